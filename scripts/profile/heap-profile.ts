/** Reads V8's sampled allocations: which calls the bytes went to. */
import {
  type CallFrame,
  childOf,
  type Growing,
  growing,
  grown,
  nameOf,
  ROOT,
  type Thread,
  threadNameOf,
} from './frames.ts';

/** As `HeapProfiler.stopSampling` of V8 returns it; sizes in bytes. */
export interface HeapProfile {
  readonly head: HeapNode;
  /** The file that the thread was started with, which need not be among the calls. */
  readonly entry: string;
}

interface HeapNode {
  readonly callFrame: CallFrame;
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

/** The bytes that a thread has allocated. `root` is the folder that files are named from, as a URL. */
export function allocationsOf({ head, entry }: HeapProfile, root: string): Thread {
  const tree = growing('');
  const add = (node: HeapNode, parent: Growing): void => {
    const called = nameOf(node.callFrame, root);
    const frame = called === ROOT ? parent : childOf(parent, called);
    frame.self += node.selfSize;
    for (const child of node.children) add(child, frame);
  };
  add(head, tree);
  const name = threadNameOf([entry]);
  return { name, tree: { ...grown(tree), name } };
}
