/** Made-up payments in a log on disk, and the read models made of it: once a run, for all rows that read them. */
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

/** Appends under way at the same time, so that commits are shared. */
const APPENDS_AT_ONCE = 256;
/** One payment in so many is of a shop that sells little: descriptors have a long tail. */
const RARE_EVERY = 500;
const RARE_SHOPS = 200;
const METADATA = '{"actor":"shop@example.test"}';

/** A log of made-up payments. The same size and seed give the same payments. */
export interface Payments {
  readonly size: number;
  readonly seed: number;
}

/** The payment of a number. Numbers from `size` on are those that come while it is measured. */
export function paymentOf(number: number, { size, seed }: Payments): SyntheticPayment {
  const payment = syntheticPayment(number, { payments: size, seed });
  if (number % RARE_EVERY !== 0) return payment;
  const shop = 1 + (Math.floor(number / RARE_EVERY) % RARE_SHOPS);
  const events = payment.events.map((event) =>
    event.type === 'AttemptStarted'
      ? { ...event, route: { ...event.route, descriptor: `POPUP ${shop} MARKET` } }
      : event,
  );
  return { ...payment, events };
}

/** Appends payments in the order of their numbers, as far as group commit keeps it. Answers the events. */
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

/** A UUID that grows with the number, as time-ordered ones do. */
function idOf(number: number, part: number): string {
  const digits = number.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${part.toString(16).padStart(3, '0')}-8000-000000000000`;
}

/** The same events as `appendPayments` appends, a stream at a time, without a log around them. */
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
  readonly modelsPath: string;
  /** For appending more. */
  readonly log: EventStore;
  /** As the projection thread reads it: by a connection of its own. */
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

/** What a host does that finds no read models: every projection replayed, indexed, durable and live. */
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

/** Where the log ended before and after events that came while it was measured. */
export interface Part {
  readonly after: Position;
  readonly upTo: Position;
  readonly events: number;
}

/** Parts of the same size that a log grows by, one a round: appended by whichever side comes to it first. */
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

/** The worker's own loop, from where it stopped to the head of the log, which ends with the part. Answers seconds. */
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
