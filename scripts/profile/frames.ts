/** Trees of calls, with what each took: microseconds, or bytes. */

/** A call, with all that was called from there. */
export interface Frame {
  readonly name: string;
  readonly self: number;
  readonly total: number;
  readonly children: readonly Frame[];
}

export interface Thread {
  readonly name: string;
  readonly tree: Frame;
}

export interface Cost {
  readonly name: string;
  readonly amount: number;
}

/** As V8's profiles have it. */
export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
}

/** A tree that is being added up. */
export interface Growing {
  readonly name: string;
  self: number;
  readonly children: Map<string, Growing>;
}

export const ROOT = '(root)';

/** Where a thread begins: its entry file is named so all over the project. */
const WORKER_ENTRY = /([^/]+)-worker\.[jt]s$/;

/** By the entry file among its files. */
export function threadNameOf(files: readonly string[]): string {
  const entries = files.map((file) => WORKER_ENTRY.exec(file)?.[1]);
  return entries.find((each) => each !== undefined) ?? 'main thread';
}

/** `answer http-host/src/http/pipeline.ts:60`; of a dependency, its package and the path within. */
export function nameOf({ functionName, url, lineNumber }: CallFrame, root: string): string {
  const called = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return called;
  const file = url
    .replace(root, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(/^packages\//, '');
  return `${called} ${file}:${lineNumber + 1}`;
}

export function growing(name: string): Growing {
  return { name, self: 0, children: new Map() };
}

export function childOf({ children }: Growing, name: string): Growing {
  const known = children.get(name) ?? growing(name);
  children.set(name, known);
  return known;
}

export function grown({ name, self, children }: Growing): Frame {
  return frameOf(name, self, [...children.values()].map(grown));
}

function frameOf(name: string, self: number, children: readonly Frame[]): Frame {
  const sorted = children.toSorted((a, b) => b.total - a.total);
  const total = sorted.reduce((sum, child) => sum + child.total, self);
  return { name, self, total, children: sorted };
}

/** Threads beside each other, under one frame. */
export function beside(name: string, threads: readonly Thread[]): Frame {
  const trees = threads.map(({ tree }) => tree);
  return frameOf(name, 0, trees);
}

/** What each call took by itself, the most first. */
export function bySelf(tree: Frame): Cost[] {
  return sums(tree, ({ self }) => self);
}

/** What each call took with all it called, the most first. A call within itself counts once. */
export function byTotal(tree: Frame): Cost[] {
  return sums(tree, ({ total, name }, open) => (open.has(name) ? 0 : total));
}

function sums(tree: Frame, costOf: (frame: Frame, open: ReadonlySet<string>) => number): Cost[] {
  const costs = new Map<string, number>();
  const visit = (frame: Frame, open: ReadonlySet<string>): void => {
    costs.set(frame.name, (costs.get(frame.name) ?? 0) + costOf(frame, open));
    const within = new Set(open).add(frame.name);
    for (const child of frame.children) visit(child, within);
  };
  for (const child of tree.children) visit(child, new Set());
  return [...costs].map(([name, amount]) => ({ name, amount })).sort((a, b) => b.amount - a.amount);
}
