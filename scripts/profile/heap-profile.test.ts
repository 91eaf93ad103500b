import { describe, expect, it } from 'vitest';
import { bySelf, byTotal } from './frames.ts';
import { allocationsOf, type HeapProfile } from './heap-profile.ts';

const ROOT = 'file:///home/counterfoil/';

function node(
  functionName: string,
  url: string,
  selfSize: number,
  children: HeapProfile['head'][] = [],
) {
  return { callFrame: { functionName, url, lineNumber: 9 }, selfSize, children };
}

const FOLD = `${ROOT}packages/projections/src/folder.ts`;
const RUN = `${ROOT}packages/projections/src/worker.ts`;
const WORKER = '/home/counterfoil/packages/engine/src/runtime/projecting/projection-worker.ts';

describe('the allocations of a thread', () => {
  const fold = node('fold', FOLD, 300);
  const profile: HeapProfile = {
    head: node('(root)', '', 0, [
      node('run', RUN, 100, [fold]),
      node('run', RUN, 50, [node('fold', FOLD, 20)]),
    ]),
    entry: WORKER,
  };

  it('are the bytes of each call, of the same call together', () => {
    const { tree } = allocationsOf(profile, ROOT);
    expect(tree.total).toBe(470);
    expect(bySelf(tree)).toEqual([
      { name: 'fold projections/src/folder.ts:10', amount: 320 },
      { name: 'run projections/src/worker.ts:10', amount: 150 },
    ]);
    expect(byTotal(tree)[0]?.amount).toBe(470);
  });

  it('are of the thread that its entry file names', () => {
    expect(allocationsOf(profile, ROOT).name).toBe('projection');
    const entry = '/home/counterfoil/packages/http-host/src/cli/main.ts';
    expect(allocationsOf({ head: fold, entry }, ROOT).name).toBe('main thread');
  });
});
