/** Answers that cannot be given wait longer each time, and do not hold up the others. */
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger as logger } from '../logger.ts';
import { AnswerWork } from './answer-work.ts';
import { openPendingAnswers } from './pending-answers.ts';

const MINUTE_MS = 60_000;
const BEGIN_MS = Date.parse('2026-03-01T12:00:00.000Z');
const never = new AbortController().signal;

function open() {
  let nowMs = BEGIN_MS;
  const clock = { now: () => new Date(nowMs).toISOString() };
  const pending = openPendingAnswers(':memory:');
  onTestFinished(() => pending.close());
  const calls: string[] = [];
  const failing = new Set<string>();
  const answers = {
    async send({ disputeId }: { readonly disputeId: string }) {
      calls.push(disputeId);
      if (failing.has(disputeId)) throw new Error('the gateway is away');
    },
    async giveUp({ disputeId }: { readonly disputeId: string }, note: string) {
      calls.push(`${disputeId}: ${note}`);
    },
  };
  const work = new AnswerWork({ answers: answers as never, pending, clock, logger });
  return {
    pending,
    work,
    calls,
    failing,
    add: (disputeId: string, tries = 0) =>
      pending.put({ position: disputeId, tenantId: 7, disputeId, tries, dueAt: clock.now() }),
    async minutesToNext() {
      const nextMs = Date.parse((await work.nextDueAt()) ?? '');
      const minutes = (nextMs - nowMs) / MINUTE_MS;
      nowMs = nextMs;
      return minutes;
    },
    run: () => work.runDue(never),
  };
}

it('is tried again after a minute, then twice as long, at most an hour', async () => {
  const { add, failing, run, minutesToNext, calls, work } = open();
  failing.add('a');
  await add('a');
  await add('b');
  await run();
  expect(calls).toEqual(['a', 'b']);
  const waits: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    waits.push(await minutesToNext());
    await run();
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  failing.clear();
  await minutesToNext();
  await run();
  expect(await work.nextDueAt()).toBeUndefined();
  expect(calls.filter((each) => each === 'b')).toHaveLength(1);
});

it('is given up in the end, and said to be', async () => {
  const { add, failing, run, calls, work } = open();
  failing.add('a');
  await add('a', 4_400);
  await run();
  expect(calls).toEqual(['a: the gateway could not be asked']);
  expect(await work.nextDueAt()).toBeUndefined();
});

it('is not due before its time, nor another for what was added meanwhile', async () => {
  const { add, failing, run, calls, pending, minutesToNext } = open();
  failing.add('a');
  await add('a');
  await run();
  await run();
  expect(calls).toEqual(['a']);
  await pending.put({ position: 'p', tenantId: 7, disputeId: 'a', tries: 0, dueAt: '2026' });
  failing.clear();
  await run();
  expect(calls).toEqual(['a', 'a']);
  expect(await minutesToNext()).toBe(1);
});
