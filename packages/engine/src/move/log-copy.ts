/** Copies a log into another one and compares them: the same events, in the same order. */
import { createHash } from 'node:crypto';
import type { EncodedEvent, EventStore, Expected, Position, StoredEvent } from '@counterfoil/core';
import { MoveError } from './move-error.ts';

const BATCH_SIZE = 1_000;
/** Appends that are sent at once: what a log in PostgreSQL commits together, in their order. */
const MAX_APPENDS = 200;
/** In UTF-16 units of data and metadata; in PostgreSQL a batch of more is split. */
const MAX_LENGTH = 2 * 1024 * 1024;

/** All that an event is, but for its position. */
const COMPARED = [
  ...['id', 'stream', 'revision', 'type', 'schemaVersion', 'tenantId', 'time', 'commandId'],
  ...['commandFingerprint', 'data', 'metadata'],
] as readonly (keyof StoredEvent)[];

/** The events that belong together: of one command in one stream. */
interface Append {
  readonly events: StoredEvent[];
  length: number;
}

export interface LogCopy {
  readonly source: EventStore;
  readonly target: EventStore;
  /** Whether appends that are sent together keep their order; else they are sent one by one. */
  readonly keepsOrder: boolean;
  /** Called with the number of events that the target has. May throw to stop. */
  readonly onEvents: (count: number) => void;
}

/**
 * Appends what the target lacks. What it has must be the beginning of the source. Stopped at any moment,
 * it goes on where it was: events are appended in their order, those of a command together.
 */
export async function copyLog({ source, target, keepsOrder, onEvents }: LogCopy): Promise<void> {
  const present = eventsOf(target);
  const appends = new Appends(target, keepsOrder ? MAX_APPENDS : 1);
  let count = 0;
  let isResumed = true;
  for await (const event of eventsOf(source)) {
    if (isResumed) {
      const { value: kept } = await present.next();
      isResumed = kept !== undefined;
      if (kept !== undefined) refuseDifference(event, kept);
    }
    if (!isResumed) await appends.add(event);
    count += 1;
    if (count % BATCH_SIZE === 0) onEvents(count);
  }
  await appends.end();
  const { value: more } = await present.next();
  if (isResumed && more !== undefined) throw tooMany(more);
  onEvents(count);
}

class Appends {
  readonly #target: EventStore;
  readonly #most: number;
  #waiting: Append[] = [];
  #length = 0;

  constructor(target: EventStore, most: number) {
    this.#target = target;
    this.#most = most;
  }

  async add(event: StoredEvent): Promise<void> {
    const length = event.data.length + event.metadata.length;
    const last = this.#waiting.at(-1);
    const [before] = last?.events ?? [];
    if (last && before?.stream === event.stream && before.commandId === event.commandId) {
      last.events.push(event);
      last.length += length;
      this.#length += length;
      return;
    }
    // The last one has all of its events.
    if (this.#waiting.length >= this.#most || this.#length + length > MAX_LENGTH) await this.end();
    this.#waiting.push({ events: [event], length });
    this.#length += length;
  }

  async end(): Promise<void> {
    const appends = this.#waiting;
    this.#waiting = [];
    this.#length = 0;
    await Promise.all(appends.map((each) => this.#append(each)));
  }

  async #append({ events }: Append): Promise<void> {
    const [first] = events;
    if (first === undefined) return;
    const { stream, revision, commandId: id, commandFingerprint: fingerprint } = first;
    const expected: Expected =
      revision === 0 ? { kind: 'noStream' } : { kind: 'exact', revision: revision - 1 };
    const request = { stream, events: events.map(encoded), expected, command: { id, fingerprint } };
    const { outcome } = await this.#target.append(request);
    // Repeated: a move before this one was stopped while the server committed.
    if (outcome === 'appended' || outcome === 'repeated') return;
    throw new MoveError(
      'different',
      `the target does not take the event ${nameOf(first)} (${outcome}): another process writes to it, or it is not what a move has filled. Empty it, and move again`,
    );
  }
}

function encoded(event: StoredEvent): EncodedEvent {
  const { id, type, schemaVersion, tenantId, time, data, metadata } = event;
  return { id, type, schemaVersion, tenantId, time, data, metadata };
}

export interface ComparedLogs {
  readonly events: number;
  /** Of all that every event is, but for positions; SHA-256, in hex. */
  readonly digest: string;
}

export interface LogComparison {
  readonly source: EventStore;
  readonly target: EventStore;
  /** Called with the position of each event in both. May throw to stop. */
  readonly onEvent: (source: Position, target: Position) => void;
  readonly onEvents: (count: number) => void;
}

/** Throws a MoveError for the first event in which they differ. */
export async function compareLogs(options: LogComparison): Promise<ComparedLogs> {
  const { source, target, onEvent, onEvents } = options;
  const moved = eventsOf(target);
  const digest = createHash('sha256');
  let events = 0;
  for await (const event of eventsOf(source)) {
    const { value: other } = await moved.next();
    if (other === undefined) {
      throw new MoveError('different', `the target lacks the event ${nameOf(event)}`);
    }
    refuseDifference(event, other);
    digest.update(JSON.stringify(COMPARED.map((name) => event[name])));
    onEvent(event.position, other.position);
    events += 1;
    if (events % BATCH_SIZE === 0) onEvents(events);
  }
  const { value: more } = await moved.next();
  if (more !== undefined) throw tooMany(more);
  onEvents(events);
  return { events, digest: digest.digest('hex') };
}

/** How many there are. */
export async function countEvents(log: EventStore): Promise<number> {
  let count = 0;
  for await (const batch of log.subscribe({ untilHead: true, batchSize: BATCH_SIZE })) {
    count += batch.length;
  }
  return count;
}

async function* eventsOf(log: EventStore): AsyncGenerator<StoredEvent, undefined> {
  for await (const batch of log.subscribe({ untilHead: true, batchSize: BATCH_SIZE })) yield* batch;
}

function refuseDifference(event: StoredEvent, other: StoredEvent): void {
  const field = COMPARED.find((name) => event[name] !== other[name]);
  if (field === undefined) return;
  throw new MoveError(
    'different',
    `the event ${nameOf(event)} is another one in the target (${nameOf(other)}): its ${field} differs. Empty the target, and move again`,
  );
}

function tooMany(event: StoredEvent): MoveError {
  return new MoveError('different', `the target has an event too many: ${nameOf(event)}`);
}

/** Where it is, for people. */
function nameOf({ stream, revision, position }: StoredEvent): string {
  return `${stream}@${revision} at position ${position}`;
}
