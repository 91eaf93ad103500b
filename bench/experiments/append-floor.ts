/**
 * What a command costs beyond its append: `node bench/experiments/append-floor.ts [commands] [rounds]`. The
 * commands of `append-64` by more and more of `execute`, 64 at once, beside bare inserts of their events.
 * Microseconds of the main thread and of all threads for a command, and the speed beside the inserts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AppendRequest,
  type EncodedEvent,
  type Event,
  type EventStore,
  encodeEvent,
  eventIdOf,
  execute,
  fingerprintOf,
  type StoredEvent,
  Transaction,
} from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import type { Sent } from '../data/payments.ts';
import { RawSqlite } from '../peers/raw-sqlite.ts';
import { spread } from '../report/numbers.ts';
import { appendTogether, commandsOf, secondsOf } from '../stages/appending.ts';

const [COMMANDS = 20_000, ROUNDS = 7] = process.argv.slice(2).map(Number);
const IN_FLIGHT = 64;
const SEED = 20260101;
const MARK = '0000000000000000';

/** A command and the event that it made. */
interface Made {
  readonly one: Sent;
  readonly stored: StoredEvent;
}

interface Cost {
  readonly seconds: number;
  readonly mainUs: number;
  readonly allUs: number;
}

type Step = (store: EventStore, made: Made) => Promise<unknown>;

/** Each does what the one before does, and more. */
const STEPS: Readonly<Record<string, Step>> = {
  'an append of what is ready': (store, { stored }) => appendTogether(store, [stored]),
  '+ deciding': (store, { one, stored }) => {
    decided(one);
    return appendTogether(store, [stored]);
  },
  '+ encoding': (store, { one }) => store.append(requestOf(one, decided(one), MARK)),
  '+ the mark of the command': (store, { one }) =>
    store.append(requestOf(one, decided(one), fingerprintOf({ ...one.command, at: undefined }))),
  '`execute`': (store, { one: { command, context } }) =>
    execute({ store }, Transaction, command, context),
};

function decided({ command }: Sent): readonly Event[] {
  const decision = Transaction.decide(Transaction.initial, command);
  if (decision._tag === 'Left') throw new Error('a command was refused');
  return decision.right;
}

function requestOf(
  { command, context }: Sent,
  events: readonly Event[],
  fingerprint: string,
): AppendRequest {
  const stream = Transaction.streamOf(command);
  const { commandId, metadata, recordedAt } = context;
  const encoded = events.map(
    (event, index): EncodedEvent => ({
      ...encodeEvent(event),
      id: eventIdOf(commandId, stream, index),
      tenantId: command.tenantId,
      time: recordedAt,
      metadata: JSON.stringify(metadata),
    }),
  );
  return {
    stream,
    events: encoded,
    expected: { kind: 'noStream' },
    command: { id: commandId, fingerprint },
  };
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const before = { main: process.threadCpuUsage(), all: process.cpuUsage() };
  const begin = performance.now();
  await work();
  const seconds = (performance.now() - begin) / 1_000;
  const us = ({ user, system }: ReturnType<typeof process.cpuUsage>) => (user + system) / COMMANDS;
  return {
    seconds,
    mainUs: us(process.threadCpuUsage(before.main)),
    allUs: us(process.cpuUsage(before.all)),
  };
}

const { sent, events } = await commandsOf(COMMANDS, { seed: SEED });
const made = sent.map((one, index): Made => ({ one, stored: events[index] as StoredEvent }));
const folder = mkdtempSync(join(fileURLToPath(new URL('../results', import.meta.url)), 'append-'));
const found = new Map<string, (Cost & { readonly ratio: number })[]>();
try {
  for (let round = 0; round <= ROUNDS; round += 1) {
    const raw = new RawSqlite(join(folder, `raw-${round}.db`));
    const inserts = await costOf(async () => raw.insert(events, IN_FLIGHT));
    raw.close();
    const costs: [string, Cost][] = [['bare inserts, 64 a commit', inserts]];
    for (const [index, [name, step]] of Object.entries(STEPS).entries()) {
      const store = await openSqliteEventStore({ path: join(folder, `own-${round}-${index}.db`) });
      costs.push([
        name,
        await costOf(() => secondsOf(made, IN_FLIGHT, (each) => step(store, each))),
      ]);
      await store.close();
    }
    if (round === 0) continue;
    for (const [name, cost] of costs) {
      const ratio = inserts.seconds / cost.seconds;
      found.set(name, [...(found.get(name) ?? []), { ...cost, ratio }]);
    }
  }
  for (const [name, costs] of found) {
    const shown = (of: (cost: (typeof costs)[number]) => number, digits: number) =>
      spread(costs.map(of), digits);
    console.log(
      `${name.padEnd(28)} speed ${shown(({ ratio }) => ratio, 2)}, main ${shown(({ mainUs }) => mainUs, 1)} µs, all ${shown(({ allUs }) => allUs, 1)} µs`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
