/** Shared by all rows of appends: commands, their events, and the measured rate. */
import {
  createMemoryEventStore,
  type EventStore,
  type Executor,
  execute,
  type StoredEvent,
  Transaction,
} from '@counterfoil/core';
import { type Sent, submissions } from '../data/payments.ts';
import type { Setting } from '../harness/stage.ts';

/** Enough concurrency for every store to fill its batches. */
const FILLING_AT_ONCE = 256;

/** The number of commands of a round, and their concurrency. */
export interface Load {
  readonly concurrent: number;
  readonly commands: number;
  readonly quickCommands: number;
}

export function sizeOf({ commands, quickCommands }: Load, { quick }: Setting): number {
  return quick ? quickCommands : commands;
}

/** Commands and their events. */
export interface Commands {
  readonly sent: readonly Sent[];
  /** One event per command, as a store returns it. */
  readonly events: readonly StoredEvent[];
}

export async function commandsOf(
  count: number,
  { seed }: Pick<Setting, 'seed'>,
): Promise<Commands> {
  const sent = submissions(count, seed);
  const store = createMemoryEventStore();
  for (const one of sent) await run({ store }, one);
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ untilHead: true })) events.push(...batch);
  if (events.length !== sent.length) throw new Error('a command does not write one event');
  return { sent, events };
}

/** Runs `execute` with that concurrency; a command counts when its event is durable. */
export async function commandsASecond(
  store: EventStore,
  sent: readonly Sent[],
  concurrent: number,
): Promise<number> {
  const seconds = await secondsOf(sent, concurrent, (one) => run({ store }, one));
  return sent.length / seconds;
}

/** Workers with a shared queue. */
export async function secondsOf<Item>(
  items: readonly Item[],
  concurrent: number,
  work: (item: Item) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const caller = async () => {
    for (let one = items[next++]; one !== undefined; one = items[next++]) await work(one);
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: concurrent }, caller));
  return secondsSince(begin);
}

async function run(executor: Executor, { command, context }: Sent): Promise<void> {
  const { outcome } = await execute(executor, Transaction, command, context);
  if (outcome !== 'accepted') throw new Error(`a command was not accepted: ${outcome}`);
}

export function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1_000;
}

/** The conditions of the measurement, for the results. */
export function factsOf(
  loads: readonly Load[],
  events: readonly StoredEvent[],
  setting: Setting,
): Record<string, string> {
  const sizes = loads.map((load) => `${load.concurrent} at once: ${sizeOf(load, setting)}`);
  return {
    command: 'SubmitPayment with card, cart, address and visit: one event to a new stream',
    commandsARound: sizes.join(', '),
    bytesAnEvent: String(bytesOf(events)),
  };
}

function bytesOf(events: readonly StoredEvent[]): number {
  const bytes = events.map(({ data, metadata }) => Buffer.byteLength(data + metadata));
  return Math.round(bytes.reduce((sum, one) => sum + one, 0) / events.length);
}

/** Appends the events of `commandsOf`, one stream each, without deciding again. */
export async function appendAll(store: EventStore, events: readonly StoredEvent[]): Promise<void> {
  await secondsOf(events, FILLING_AT_ONCE, (event) => appendTogether(store, [event]));
}

/** Appends consecutive events of one stream under the command of the last. */
export async function appendTogether(
  store: EventStore,
  events: readonly StoredEvent[],
): Promise<void> {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) throw new Error('there is nothing to append');
  const { stream, revision } = first;
  const { outcome } = await store.append({
    stream,
    events: events.map(({ id, type, schemaVersion, tenantId, time, data, metadata }) => {
      return { id, type, schemaVersion, tenantId, time, data, metadata };
    }),
    expected: revision === 0 ? { kind: 'noStream' } : { kind: 'exact', revision: revision - 1 },
    command: { id: last.commandId, fingerprint: last.commandFingerprint },
  });
  if (outcome !== 'appended') throw new Error(`events were not appended: ${outcome}`);
}

/** The rate at which a reader reads a whole log; the reader returns the number of events. */
export async function eventsASecond(events: number, read: () => Promise<number>): Promise<number> {
  const begin = performance.now();
  const found = await read();
  const seconds = secondsSince(begin);
  if (found !== events) throw new Error(`${found} of ${events} events were read`);
  return events / seconds;
}

/** The number of events that a subscription delivers, from the first to the last. */
export async function followed(store: EventStore, batchSize: number): Promise<number> {
  let found = 0;
  for await (const batch of store.subscribe({ untilHead: true, batchSize })) found += batch.length;
  return found;
}
