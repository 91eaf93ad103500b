/** Reads V8's CPU profiles: which calls the time of a span went to, as a tree and as lists. */

/** As `node --cpu-prof` writes it. Times in microseconds of the machine's monotonic clock. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Time before each sample, since the one before it. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    /** From 0. */
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

export interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

/** A call, with all that was called from there. */
export interface Frame {
  readonly name: string;
  readonly selfUs: number;
  readonly totalUs: number;
  readonly children: readonly Frame[];
}

export interface Thread {
  readonly name: string;
  /** Its busy time; what it waited is not in it. */
  readonly tree: Frame;
}

export interface Cost {
  readonly name: string;
  readonly us: number;
}

const ROOT = '(root)';
const IDLE = '(idle)';

/** Where a thread begins: its entry file is named so all over the project. */
const WORKER_ENTRY = /([^/]+)-worker\.[jt]s$/;

/** The calls of a thread during a span. `root` is the folder that files are named from, as a URL. */
export function threadOf(profile: CpuProfile, span: Span, root: string): Thread {
  const entry = profile.nodes.map(({ callFrame }) => WORKER_ENTRY.exec(callFrame.url)?.[1]);
  const name = entry.find((each) => each !== undefined) ?? 'main thread';
  return { name, tree: treeOf(profile, span, { name, root }) };
}

interface Growing {
  readonly name: string;
  selfUs: number;
  readonly children: Map<string, Growing>;
}

function treeOf(
  profile: CpuProfile,
  span: Span,
  { name, root }: { readonly name: string; readonly root: string },
): Frame {
  const tree = growing(name);
  const stacks = stacksOf(profile, root);
  let atUs = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    atUs += profile.timeDeltas[index] ?? 0;
    // What was seen at a sample goes on until the next.
    const endUs = atUs + (profile.timeDeltas[index + 1] ?? 0);
    const us = Math.min(endUs, span.toUs) - Math.max(atUs, span.fromUs);
    const stack = stacks.get(id);
    if (us <= 0 || stack === undefined || stack.at(-1) === IDLE) continue;
    let frame = tree;
    for (const call of stack) frame = childOf(frame, call);
    frame.selfUs += us;
  }
  return grown(tree);
}

/** The names of the calls that lead to each node, the outermost first. */
function stacksOf({ nodes }: CpuProfile, root: string): ReadonlyMap<number, readonly string[]> {
  const stacks = new Map<number, readonly string[]>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isChild = new Set(nodes.flatMap(({ children = [] }) => children));
  const rest = nodes.filter(({ id }) => !isChild.has(id)).map((node) => ({ node, stack: noCalls }));
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const called = nameOf(next.node.callFrame, root);
    const stack = called === ROOT ? next.stack : [...next.stack, called];
    stacks.set(next.node.id, stack);
    for (const id of next.node.children ?? []) {
      const node = byId.get(id);
      if (node !== undefined) rest.push({ node, stack });
    }
  }
  return stacks;
}

const noCalls: readonly string[] = [];

/** `answer http-host/src/http/pipeline.ts:60`; of a dependency, its package and the path within. */
function nameOf({ functionName, url, lineNumber }: ProfileNode['callFrame'], root: string): string {
  const called = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return called;
  const file = url
    .replace(root, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(/^packages\//, '');
  return `${called} ${file}:${lineNumber + 1}`;
}

function growing(name: string): Growing {
  return { name, selfUs: 0, children: new Map() };
}

function childOf({ children }: Growing, name: string): Growing {
  const known = children.get(name) ?? growing(name);
  children.set(name, known);
  return known;
}

function grown({ name, selfUs, children }: Growing): Frame {
  return frameOf(name, selfUs, [...children.values()].map(grown));
}

function frameOf(name: string, selfUs: number, children: readonly Frame[]): Frame {
  const sorted = children.toSorted((a, b) => b.totalUs - a.totalUs);
  const totalUs = sorted.reduce((sum, child) => sum + child.totalUs, selfUs);
  return { name, selfUs, totalUs, children: sorted };
}

/** Threads beside each other, under one frame. */
export function beside(name: string, threads: readonly Thread[]): Frame {
  const trees = threads.map(({ tree }) => tree);
  return frameOf(name, 0, trees);
}

/** What each call took by itself, the most first. */
export function bySelf(tree: Frame): Cost[] {
  return sums(tree, ({ selfUs }) => selfUs);
}

/** What each call took with all it called, the most first. A call within itself counts once. */
export function byTotal(tree: Frame): Cost[] {
  return sums(tree, ({ totalUs, name }, open) => (open.has(name) ? 0 : totalUs));
}

function sums(tree: Frame, costOf: (frame: Frame, open: ReadonlySet<string>) => number): Cost[] {
  const us = new Map<string, number>();
  const visit = (frame: Frame, open: ReadonlySet<string>): void => {
    us.set(frame.name, (us.get(frame.name) ?? 0) + costOf(frame, open));
    const within = new Set(open).add(frame.name);
    for (const child of frame.children) visit(child, within);
  };
  for (const child of tree.children) visit(child, new Set());
  return [...us].map(([name, each]) => ({ name, us: each })).sort((a, b) => b.us - a.us);
}
