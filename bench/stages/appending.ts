/** What all rows of appends share: the commands, the events that they write, and how fast a store takes them. */
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

/** Callers enough for every store to fill its batches. */
const FILLING_AT_ONCE = 256;

/** How many commands a round sends, and how many of them at once. */
export interface Load {
  readonly concurrent: number;
  readonly commands: number;
  readonly quickCommands: number;
}

export function sizeOf({ commands, quickCommands }: Load, { quick }: Setting): number {
  return quick ? quickCommands : commands;
}

/** Commands, and what they write. */
export interface Commands {
  readonly sent: readonly Sent[];
  /** One of each command, as a store hands it back. */
  readonly events: readonly StoredEvent[];
}

export async function commandsOf(count: number, { seed }: Setting): Promise<Commands> {
  const sent = submissions(count, seed);
  const store = createMemoryEventStore();
  for (const one of sent) await run({ store }, one);
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ untilHead: true })) events.push(...batch);
  if (events.length !== sent.length) throw new Error('a command does not write one event');
  return { sent, events };
}

/** Through `execute`, so many at once; a command counts when its event is durable. */
export async function commandsASecond(
  store: EventStore,
  sent: readonly Sent[],
  concurrent: number,
): Promise<number> {
  const seconds = await secondsOf(sent, concurrent, (one) => run({ store }, one));
  return sent.length / seconds;
}

/** So many callers, each of whom takes the next when it is done with one. */
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

/** What the rows were measured on, for the results. */
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

/** The events of `commandsOf`, a stream each, without deciding them anew. */
export async function appendAll(store: EventStore, events: readonly StoredEvent[]): Promise<void> {
  await secondsOf(events, FILLING_AT_ONCE, (event) => appendTogether(store, [event]));
}

/** Events of one stream that follow each other, under the command of the last. */
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

/** How fast a whole log is read, by a reader who answers how many events it was given. */
export async function eventsASecond(events: number, read: () => Promise<number>): Promise<number> {
  const begin = performance.now();
  const found = await read();
  const seconds = secondsSince(begin);
  if (found !== events) throw new Error(`${found} of ${events} events were read`);
  return events / seconds;
}

/** How many events a subscriber is given, from the first of the log to the last. */
export async function followed(store: EventStore, batchSize: number): Promise<number> {
  let found = 0;
  for await (const batch of store.subscribe({ untilHead: true, batchSize })) found += batch.length;
  return found;
}
