/**
 * Synthetic payments in a log on disk, and their read models: built once per run for all rows that
 * read them.
 */
import { join } from 'node:path';
import {
  type CommandId,
  type Event,
  type EventStore,
  encodeEvent,
  type Position,
  type StoredEvent,
} from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import {
  bringUpToDate,
  createProjector,
  openSqliteReadModelStore,
  PROJECTIONS,
  type ReadModelStore,
  type Recorded,
} from '@counterfoil/projections';
import { type SyntheticPayment, syntheticPayment } from '@counterfoil/projections/testing';
import { fill } from '../../packages/engine/src/runtime/projecting/filling.ts';
import {
  besideInThread,
  isWorthAThread,
} from '../../packages/engine/src/runtime/projecting/rebuild-thread.ts';

/** Concurrent appends, so that commits are shared. */
const APPENDS_AT_ONCE = 256;
/** One payment in this many is of a rarely used shop: descriptors have a long tail. */
const RARE_EVERY = 500;
const RARE_SHOPS = 200;
const METADATA = '{"actor":"shop@example.test"}';

/** A log of synthetic payments, determined by size and seed. */
export interface Payments {
  readonly size: number;
  readonly seed: number;
  /** Default: 1. */
  readonly tenants?: number;
}

/** The payment with a number. Numbers from `size` on are for payments during the measurement. */
export function paymentOf(number: number, { size, seed, tenants = 1 }: Payments): SyntheticPayment {
  const payment = syntheticPayment(number, { payments: size, seed, tenants });
  if (number % RARE_EVERY !== 0) return payment;
  const shop = 1 + (Math.floor(number / RARE_EVERY) % RARE_SHOPS);
  const events = payment.events.map((event) =>
    event.type === 'AttemptStarted'
      ? { ...event, route: { ...event.route, descriptor: `POPUP ${shop} MARKET` } }
      : event,
  );
  return { ...payment, events };
}

/** Appends payments in order, as far as group commit keeps it. Returns the events. */
export async function appendPayments(
  log: EventStore,
  payments: Payments,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<number> {
  let next = from;
  let events = 0;
  const appendNext = async () => {
    while (next < from + count) {
      const number = next;
      next += 1;
      const payment = paymentOf(number, payments);
      const request = appendOf(number, payment);
      const { outcome } = await log.append(request);
      if (outcome !== 'appended') throw new Error(`payment ${number} was not appended: ${outcome}`);
      events += request.events.length;
    }
  };
  await Promise.all(Array.from({ length: APPENDS_AT_ONCE }, appendNext));
  return events;
}

function appendOf(number: number, { tenantId, stream, events }: SyntheticPayment) {
  const encoded = events.map((event, index) => ({
    id: idOf(number, index + 1),
    ...encodeEvent(event),
    tenantId,
    time: timeOf(event),
    metadata: METADATA,
  }));
  return {
    stream,
    events: encoded,
    expected: { kind: 'noStream' },
    command: { id: idOf(number, 0) as CommandId, fingerprint: '0000000000000000' },
  } as const;
}

function timeOf(event: Event): string {
  return 'at' in event ? event.at : '';
}

/** A UUID that increases with the number, like time-ordered ones. */
function idOf(number: number, part: number): string {
  const digits = number.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${part.toString(16).padStart(3, '0')}-8000-000000000000`;
}

/** The same events as `appendPayments`, stream by stream, without a log. */
export function* streamsOf(payments: Payments): Generator<readonly Recorded[]> {
  for (let number = 0; number < payments.size; number += 1) {
    const { tenantId, stream, events } = paymentOf(number, payments);
    yield events.map((event, revision) => ({
      id: idOf(number, revision + 1),
      tenantId,
      stream,
      revision,
      position: '' as Position,
      time: timeOf(event),
      event,
    }));
  }
}

/** A log and its read models on disk. */
export interface ReadSide {
  readonly payments: Payments;
  readonly logPath: string;
  readonly modelsPath: string;
  /** For further appends. */
  readonly log: EventStore;
  /** A separate read connection, as in the projection thread. */
  readonly follower: EventStore;
  /** Events in the log. */
  readonly events: number;
  close(): Promise<void>;
}

export async function makeReadSide(
  folder: string,
  payments: Payments,
  say: (what: string) => void,
): Promise<ReadSide> {
  const { size } = payments;
  const path = join(folder, `events-${size}.db`);
  const modelsPath = join(folder, `read-models-${size}.db`);
  say(`writing a log of ${size} payments`);
  const log = await openSqliteEventStore({ path });
  const events = await appendPayments(log, payments, { from: 0, count: size });
  const follower = await openSqliteEventStore({ path, follow: true });
  say(`making the read models of ${size} payments`);
  const store = openSqliteReadModelStore({ path: modelsPath });
  await rebuildAll(follower, store);
  await store.close();
  return {
    payments,
    logPath: path,
    modelsPath,
    log,
    follower,
    events,
    async close() {
      await follower.close();
      await log.close();
    },
  };
}

/** A host's initial build: every projection replayed, indexed, durable and live. */
export async function rebuildAll(events: EventStore, store: ReadModelStore): Promise<void> {
  const rebuilt = await bringUpToDate({
    events,
    store,
    projections: PROJECTIONS,
    holder: 'bench',
    now: Date.now,
  });
  const parked = rebuilt.flatMap((each) => each.parked);
  if (rebuilt.length !== PROJECTIONS.length || parked.length > 0) {
    throw new Error(`not every event could be applied: ${JSON.stringify(parked[0])}`);
  }
}

/** What a host does at its start that finds no read models in its files. */
export async function fillFiles(
  { follower, logPath }: Pick<ReadSide, 'follower' | 'logPath'>,
  path: string,
): Promise<void> {
  const store = openSqliteReadModelStore({ path });
  const data = {
    log: { eventStoreUrl: `sqlite:${logPath}` },
    readModelUrl: `sqlite:${path}`,
    holder: 'bench',
    keys: undefined,
  };
  await fill({
    ...data,
    events: follower,
    store,
    signal: new AbortController().signal,
    projections: PROJECTIONS,
    beside: isWorthAThread(data.log) ? besideInThread(data, () => undefined) : undefined,
  });
  for (const { name } of PROJECTIONS) {
    const parked = await (await store.live(name))?.parkedStreams();
    if (parked?.size !== 0) throw new Error(`${name} was not filled with every event`);
  }
  await store.close();
}

/** The events of the log after a position, in batches. */
export function eventsAfter(
  log: EventStore,
  after: StoredEvent['position'] | undefined,
  batchSize: number,
): AsyncIterable<readonly StoredEvent[]> {
  return log.subscribe({
    ...(after === undefined ? {} : { after }),
    batchSize,
    untilHead: true,
  });
}

/** The positions of the log before and after a part. */
export interface Part {
  readonly after: Position;
  readonly upTo: Position;
  readonly events: number;
}

/** Parts of equal size by which a log grows, one per round: the first side to need one appends it. */
export class Growth {
  readonly parts: Part[] = [];
  readonly #side: () => Promise<ReadSide>;
  readonly #live: number;

  /** `live`: payments in a part. */
  constructor(side: () => Promise<ReadSide>, live: number) {
    this.#side = side;
    this.#live = live;
  }

  async part(round: number): Promise<Part> {
    const { payments, log } = await this.#side();
    for (let next = this.parts.length; next <= round; next += 1) {
      const after = await log.head();
      const range = { from: payments.size + next * this.#live, count: this.#live };
      const events = await appendPayments(log, payments, range);
      const upTo = await log.head();
      if (after === undefined || upTo === undefined) throw new Error('the log is empty');
      this.parts.push({ after, upTo, events });
    }
    return this.parts[round] as Part;
  }
}

/** Runs the worker's own loop from its checkpoint to the head, which ends the part. Returns seconds. */
export async function follow(
  events: EventStore,
  store: ReadModelStore,
  { upTo }: Part,
): Promise<number> {
  let reached: Position | undefined;
  const projector = createProjector({
    events,
    store,
    projections: PROJECTIONS,
    holder: 'bench',
    now: Date.now,
    untilHead: true,
    notify: (message) => {
      if (message.type === 'caught-up-to') reached = message.position;
      if (message.type === 'parked') throw new Error(`parked ${message.stream}`);
    },
  });
  const begin = performance.now();
  await projector.run();
  const seconds = (performance.now() - begin) / 1_000;
  if (reached !== upTo) throw new Error(`the worker reached ${reached}, not ${upTo}`);
  return seconds;
}
