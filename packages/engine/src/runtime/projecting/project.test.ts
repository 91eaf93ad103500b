/** An unusable read model is rebuilt while the others are followed. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryEventStore, type EventStore, encodeEvent } from '@counterfoil/core';
import { openSqliteReadModelStore, PROJECTIONS } from '@counterfoil/projections';
import { syntheticPayment } from '@counterfoil/projections/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ONLY_HOST } from './holder.ts';
import { isReady } from './lag.ts';
import type { FromThread } from './messages.ts';
import { prepareProjector } from './project.ts';

const PAYMENTS = 20;
const POLLING = { timeout: 20_000, interval: 10 };

async function pay(events: EventStore, number: number): Promise<void> {
  const payment = syntheticPayment(number, { payments: PAYMENTS });
  for (const event of payment.events) {
    const { stream, tenantId } = payment;
    const id = crypto.randomUUID();
    const appended = await events.append({
      stream,
      events: [
        { id, ...encodeEvent(event), tenantId, time: '2025-01-01T00:00:00.000Z', metadata: '{}' },
      ],
      expected: { kind: 'any' },
      command: { id: id as never, fingerprint: 'f' },
    });
    expect(appended.outcome).toBe('appended');
  }
}

/** A rebuild waits for `open` before it reads the log. */
function gated(events: EventStore) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const subscribe: EventStore['subscribe'] = (options = {}) => {
    if (!options.untilHead) return events.subscribe(options);
    return (async function* () {
      await promise;
      yield* events.subscribe(options);
    })();
  };
  const store: EventStore = Object.assign(Object.create(events) as EventStore, {
    subscribe,
    head: () => events.head(),
  });
  return { store, open: resolve };
}

async function running(path: string, events: EventStore) {
  const stopping = new AbortController();
  const store = openSqliteReadModelStore({ path });
  const messages: FromThread[] = [];
  const { signal } = stopping;
  const notify = (message: FromThread) => void messages.push(message);
  const options = { events, store, vault: undefined, holder: ONLY_HOST, signal, notify };
  const projector = await prepareProjector(options);
  const ended = projector.run();
  return {
    messages,
    async stop() {
      stopping.abort();
      await ended;
      await store.close();
    },
  };
}

it('follows the others during the rebuild, and all of them afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-project-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'rm.db');
  const events = createMemoryEventStore();
  for (let number = 0; number < PAYMENTS / 2; number += 1) await pay(events, number);
  const before = await running(path, events);
  await before.stop();

  // Damages one letter of the table's definition.
  const file = `${path}-transactions-1`;
  const at = readFileSync(file).indexOf('CREATE TABLE records');
  expect(at).toBeGreaterThan(0);
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, 'CREATE TABLE recordz', at);
  closeSync(descriptor);

  const { store: gatedEvents, open } = gated(events);
  const host = await running(path, gatedEvents);
  const reader = openSqliteReadModelStore({ path, readOnly: true });
  onTestFinished(() => reader.close());
  const checkpointOf = async (name: string) => (await reader.live(name))?.checkpoint();
  for (let number = PAYMENTS / 2; number < PAYMENTS; number += 1) await pay(events, number);
  const head = await events.head();
  await vi.waitUntil(async () => (await checkpointOf('ledger')) === head, POLLING);
  await expect(reader.live('transactions')).rejects.toMatchObject({ code: 'damaged' });
  const ready = () => Promise.all(PROJECTIONS.map(({ name }) => isReady(reader, name)));
  expect((await ready()).filter((each) => !each)).toHaveLength(1);

  open();
  await vi.waitUntil(async () => (await ready()).every(Boolean), POLLING);
  expect(await checkpointOf('transactions')).toBe(head);
  await pay(events, PAYMENTS);
  const last = await events.head();
  await vi.waitUntil(async () => (await checkpointOf('transactions')) === last, POLLING);
  await host.stop();
});
