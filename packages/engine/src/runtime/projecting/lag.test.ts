/** The lag of a projection. */
import type { StoredEvent } from '@counterfoil/core';
import {
  createMemoryReadModelStore,
  PROJECTIONS,
  type ReadModelStore,
  runProjections,
} from '@counterfoil/projections';
import { syntheticEventStore, syntheticEvents } from '@counterfoil/projections/testing';
import { describe, expect, it } from 'vitest';
import { behindOf, lagOf, MOST_COUNTED } from './lag.ts';

const STEP_MS = 1_000;
const PROJECTED = 10;
const NAMES = PROJECTIONS.map(({ name }) => name);

function logOf(payments: number): StoredEvent[] {
  return [...syntheticEvents({ payments, stepMs: STEP_MS })];
}

/** Read models that have applied the first payments of a log. */
async function projected(payments: number): Promise<ReadModelStore> {
  const store = createMemoryReadModelStore();
  await runProjections({
    events: syntheticEventStore({ payments, stepMs: STEP_MS }),
    store,
    projections: PROJECTIONS,
    holder: 'test',
    now: Date.now,
    untilHead: true,
  });
  return store;
}

describe('the lag of a projection', () => {
  it('is zero at the head', async () => {
    const events = syntheticEventStore({ payments: PROJECTED, stepMs: STEP_MS });
    const store = await projected(PROJECTED);
    const lags = await lagOf({ events, store, projections: NAMES, now: Date.now });
    expect(lags).toEqual(
      NAMES.map((projection) => ({ projection, events: 0, seconds: 0, parked: 0 })),
    );
  });

  it('is the unapplied events, and the age of the oldest', async () => {
    const payments = PROJECTED + 5;
    const events = syntheticEventStore({ payments, stepMs: STEP_MS });
    const store = await projected(PROJECTED);
    const missing = logOf(payments).slice(logOf(PROJECTED).length);
    const now = () => Date.parse(missing[0]?.time ?? '') + 4_000;
    const lags = await lagOf({ events, store, projections: NAMES, now });
    expect(lags).toEqual(
      NAMES.map((projection) => ({
        projection,
        events: missing.length,
        seconds: 4,
        parked: 0,
      })),
    );
  });

  it('is counted up to a limit', async () => {
    const events = syntheticEventStore({ payments: MOST_COUNTED / 2, stepMs: STEP_MS });
    const store = await projected(PROJECTED);
    const projections = NAMES.slice(0, 1);
    const [lag] = await lagOf({ events, store, projections, now: Date.now });
    expect(lag?.events).toBe(MOST_COUNTED);
  });

  it('omits a read model that is not built', async () => {
    const events = syntheticEventStore({ payments: PROJECTED });
    const store = createMemoryReadModelStore();
    expect(await lagOf({ events, store, projections: NAMES, now: Date.now })).toEqual([]);
    await store.close();
    expect(await lagOf({ events, store, projections: NAMES, now: Date.now })).toEqual([]);
  });
});

describe('a follower of the log', () => {
  const events = syntheticEventStore({ payments: PROJECTED, stepMs: STEP_MS });
  const log = logOf(PROJECTED);
  const now = () => Date.parse(log.at(-2)?.time ?? '') + 7_000;

  it('is behind by what comes after its place, and by all without one', async () => {
    const place = log.at(-3)?.position;
    expect(await behindOf({ events, now }, place)).toEqual({ events: 2, seconds: 7 });
    expect((await behindOf({ events, now }, undefined)).events).toBe(log.length);
    expect(await behindOf({ events, now }, log.at(-1)?.position)).toEqual({
      events: 0,
      seconds: 0,
    });
  });
});
