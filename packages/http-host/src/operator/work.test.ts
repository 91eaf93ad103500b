/** Work of an operator: one piece at a time, with its progress, its outcome and its end. */
import { expect, it } from 'vitest';
import { OperatorWork, type Outcome, type Work, type WorkProgress } from './work.ts';

const COUNT: Work = { kind: 'count', projection: 'ledger' };
const OUTCOME: Outcome = { kind: 'count', build: 1, collections: [] };
const AT = '2026-01-02T03:04:05.000Z';

/** Work that goes on until it is told how it ends. */
function opened() {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  let report: (progress: WorkProgress) => void = () => undefined;
  const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
  const work = new OperatorWork({
    now: () => AT,
    onEnded: () => over(),
    does(_, signal, onProgress) {
      report = onProgress;
      signal.addEventListener('abort', () => reject(new Error('killed')));
      return promise;
    },
  });
  return {
    work,
    isOver,
    finish: resolve,
    fail: reject,
    progress: (each: WorkProgress) => report(each),
  };
}

it('is done one at a time, and says how far it is', async () => {
  const { work, progress, finish, isOver } = opened();
  expect(work.running).toBeUndefined();
  expect(work.begin(COUNT, 'ann')).toEqual({ work: COUNT, by: 'ann', startedAt: AT });
  expect(work.begin({ kind: 'examine', quick: true }, 'ben')).toBeUndefined();
  expect(work.last({ kind: 'examine' })).toBeUndefined();
  progress({ what: 'rows', done: 7 });
  expect(work.running).toMatchObject({ by: 'ann', progress: { done: 7 } });
  finish(OUTCOME);
  await isOver;
  expect(work.running).toBeUndefined();
  expect(work.last(COUNT)).toMatchObject({ by: 'ann', endedAt: AT, outcome: OUTCOME });
  expect(work.states).toHaveLength(1);
});

it('keeps why it failed, and leaves room for the next', async () => {
  const { work, fail, isOver } = opened();
  work.begin(COUNT, 'ann');
  fail(new Error('no room'));
  await isOver;
  expect(work.last(COUNT)).toMatchObject({ endedAt: AT, failure: 'no room' });
  expect(work.begin({ kind: 'rebuild', projection: 'ledger' }, 'ben')).toBeDefined();
  expect(work.last(COUNT)?.failure).toBe('no room');
});

it('is ended on demand, by name', async () => {
  const { work } = opened();
  expect(await work.stop('ann')).toBe(false);
  work.begin(COUNT, 'ann');
  expect(await work.stop('ben')).toBe(true);
  expect(work.last(COUNT)?.failure).toBe('Stopped by ben');
});
