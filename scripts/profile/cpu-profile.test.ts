import { describe, expect, it } from 'vitest';
import { type CpuProfile, threadOf } from './cpu-profile.ts';
import { beside, bySelf, byTotal, type Frame } from './frames.ts';

const ROOT = 'file:///home/counterfoil/';

function node(id: number, functionName: string, file = '', children: number[] = []) {
  return { id, callFrame: { functionName, url: file, lineNumber: 9 }, children };
}

/** answer calls itself by way of read; ten microseconds a sample, from 1,000 on. */
const PROFILE: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 5]),
    node(2, 'answer', `${ROOT}packages/http-host/src/http/pipeline.ts`, [3]),
    node(3, 'read', `${ROOT}node_modules/.pnpm/lib@1/node_modules/lib/read.js`, [4]),
    node(4, 'answer', `${ROOT}packages/http-host/src/http/pipeline.ts`),
    node(5, '(idle)'),
  ],
  startTime: 1_000,
  samples: [2, 3, 4, 5, 3, 2],
  timeDeltas: [0, 10, 10, 10, 10, 10],
};

const ANSWER = 'answer http-host/src/http/pipeline.ts:10';
const READ = 'read lib/read.js:10';

function treeOf(fromUs: number, toUs: number, profile = PROFILE): Frame {
  return threadOf(profile, { fromUs, toUs }, ROOT).tree;
}

describe('the tree of a profile', () => {
  it('has the busy time of every call, and leaves out what was waited', () => {
    const tree = treeOf(0, 9_000);
    expect(tree.total).toBe(40);
    expect(tree.children).toMatchObject([
      {
        name: ANSWER,
        self: 10,
        total: 40,
        children: [{ name: READ, self: 20, total: 30, children: [{ name: ANSWER, self: 10 }] }],
      },
    ]);
  });

  it('has of a sample what lies within the span', () => {
    expect(treeOf(1_005, 1_012).children).toMatchObject([
      { name: ANSWER, self: 5, children: [{ name: READ, self: 2, total: 2 }] },
    ]);
    expect(treeOf(9_000, 9_999).total).toBe(0);
  });

  it('is named after the entry of its thread', () => {
    const span = { fromUs: 0, toUs: 9_000 };
    expect(threadOf(PROFILE, span, ROOT).name).toBe('main thread');
    const entry = node(6, 'run', `${ROOT}packages/event-stores/src/sqlite/writer-worker.ts`);
    const writer = { ...PROFILE, nodes: [...PROFILE.nodes, entry] };
    expect(threadOf(writer, span, ROOT).name).toBe('writer');
  });

  it('stands beside those of other threads', () => {
    const thread = threadOf(PROFILE, { fromUs: 0, toUs: 9_000 }, ROOT);
    expect(beside('all', [thread, thread])).toMatchObject({ name: 'all', total: 80 });
  });
});

describe('the lists of a profile', () => {
  it('sum what each call took by itself, the most first', () => {
    expect(bySelf(treeOf(0, 9_000))).toEqual([
      { name: ANSWER, amount: 20 },
      { name: READ, amount: 20 },
    ]);
  });

  it('count a call within itself once', () => {
    expect(byTotal(treeOf(0, 9_000))).toEqual([
      { name: ANSWER, amount: 40 },
      { name: READ, amount: 30 },
    ]);
  });
});
