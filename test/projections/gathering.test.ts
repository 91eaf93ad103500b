/** Events gather between two batches, and nobody waits for that. */
import type { Position, TransactionId } from '@counterfoil/core';
import {
  createProjector,
  PROJECTIONS,
  Progress,
  type ProjectionMessage,
} from '@counterfoil/projections';
import { expect, it, onTestFinished } from 'vitest';
import { append, NOW, paymentStream, type World, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

const HOUR_MS = 3_600_000;
const LIMIT = { timeoutMs: 10_000 };

/** Appends a payment; answers the position of its last event. */
function pay(here: World, number: number): Promise<Position> {
  const transactionId = `${A.PAYMENT.slice(0, -1)}${number}` as TransactionId;
  const story = [A.submitted({ transactionId }), A.started(), A.captured()];
  return append(here.events, { stream: paymentStream(transactionId) }, story);
}

/** A worker that pauses for an hour, and the sizes of its batches. */
function following(here: World, maxBatchEvents = 10_000) {
  const progress = new Progress();
  const batches: number[] = [];
  const stopping = new AbortController();
  const projector = createProjector({
    events: here.events,
    store: here.store,
    projections: PROJECTIONS,
    holder: 'test',
    now: () => Date.parse(NOW),
    pauseMs: HOUR_MS,
    maxBatchEvents,
    signal: stopping.signal,
    notify(message: ProjectionMessage) {
      if (message.type === 'caught-up-to' && message.events > 0) batches.push(message.events);
      progress.receive(message);
    },
  });
  progress.onWait((position) => projector.hurry(position));
  const running = projector.run();
  const stop = async () => {
    stopping.abort();
    await running;
  };
  onTestFinished(stop);
  return { progress, batches, stop };
}

it('reads in one batch what has come since the last, as soon as somebody waits for it', async () => {
  const here = world();
  const first = await pay(here, 1);
  const { progress, batches } = following(here);
  expect(await progress.reached(first, LIMIT)).toBe(true);
  await pay(here, 2);
  const last = await pay(here, 3);
  expect(await progress.reached(last, LIMIT)).toBe(true);
  expect(batches).toEqual([3, 6]);
});

it('pauses again once that was read', async () => {
  const here = world();
  const first = await pay(here, 1);
  const { progress, batches } = following(here);
  expect(await progress.reached(first, LIMIT)).toBe(true);
  const second = await pay(here, 2);
  expect(await progress.reached(second, LIMIT)).toBe(true);
  await pay(here, 3);
  // Is there already, so it hurries nobody.
  expect(await progress.reached(second, LIMIT)).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(batches).toEqual([3, 3]);
});

it('does not pause after a full batch, since there may be more already', async () => {
  const here = world();
  for (let number = 1; number <= 3; number += 1) await pay(here, number);
  const { batches } = following(here, 4);
  await expect.poll(() => batches).toEqual([4, 4, 1]);
});

it('ends within a pause when it is stopped', async () => {
  const here = world();
  const { progress, stop } = following(here);
  expect(await progress.reached(await pay(here, 1), LIMIT)).toBe(true);
  await stop();
});
