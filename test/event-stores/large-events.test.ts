/** A batch of a subscription is bounded by what its events hold, and not by their number alone. */
import { join } from 'node:path';
import type { EventStore } from '@counterfoil/core';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase } from '../setup/databases.ts';
import { casesOfProject } from '../setup/stores.ts';
import { newAppend } from './support/appends.ts';
import { newFolder, removeFolders } from './support/folders.ts';

/** 48 million characters in all, of 32 that a batch may hold. */
const EVENTS_AN_APPEND = 8;
const APPENDS = 3;
const CHARACTERS = 2 * 2 ** 20;
const MAX_BATCH_CHARACTERS = 32 * 2 ** 20;

vi.setConfig({ testTimeout: 60_000 });
afterAll(removeFolders);

const stores = casesOfProject<[string, () => Promise<EventStore>]>({
  embedded: [['sqlite', () => openSqliteEventStore({ path: join(newFolder(), 'log.db') })]],
  postgres: [['postgres', async () => openPostgresEventStore({ url: await newDatabase() })]],
});

it.each(stores)('%s', async (_, open) => {
  const store = await open();
  onTestFinished(() => store.close());
  const data = JSON.stringify('x'.repeat(CHARACTERS));
  for (let number = 0; number < APPENDS; number += 1) {
    const { events, ...append } = newAppend(EVENTS_AN_APPEND);
    await store.append({ ...append, events: events.map((event) => ({ ...event, data })) });
  }
  const batches: number[] = [];
  for await (const batch of store.subscribe({ batchSize: 10_000, untilHead: true })) {
    const characters = batch.reduce((sum, event) => sum + event.data.length, 0);
    expect(characters).toBeLessThanOrEqual(MAX_BATCH_CHARACTERS + APPENDS * CHARACTERS);
    batches.push(batch.length);
  }
  expect(batches.reduce((sum, length) => sum + length)).toBe(EVENTS_AN_APPEND * APPENDS);
  expect(batches.length).toBeGreaterThan(1);
});
