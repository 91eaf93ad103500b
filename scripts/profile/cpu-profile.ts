/** Reads V8's CPU profiles: which calls the time of a span went to. */
import {
  type CallFrame,
  childOf,
  type Frame,
  growing,
  grown,
  nameOf,
  ROOT,
  type Thread,
  threadNameOf,
} from './frames.ts';

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
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

export interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

const IDLE = '(idle)';

/**
 * The busy microseconds of a thread during a span, without what it waited. `root` is the folder that
 * files are named from, as a URL.
 */
export function threadOf(profile: CpuProfile, span: Span, root: string): Thread {
  const name = threadNameOf(profile.nodes.map(({ callFrame }) => callFrame.url));
  return { name, tree: treeOf(profile, span, { name, root }) };
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
    frame.self += us;
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
