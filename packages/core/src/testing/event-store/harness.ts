/** What the cases of the event-store contract share: opened stores, made-up appends, collected events. */
import { expect } from 'vitest';
import type {
  AppendRequest,
  AppendResult,
  EventStore,
  Expected,
  Receipt,
  SubscribeOptions,
} from '../../event-store.ts';
import type { EncodedEvent, StoredEvent } from '../../kernel/envelope.ts';
import type { CommandId, Position, StreamName, TenantId } from '../../kernel/ids.ts';

/** An adapter under test. */
export interface EventStoreContract {
  /** Name of the adapter, carried by the name of every case. */
  readonly name: string;
  /** Opens a log: an empty one, or with `sharedLog` one that nothing else appends to meanwhile. */
  readonly open: () => Promise<EventStore>;
  /** Opens the log of a closed store once more. Absent when a log ends with its store. */
  readonly reopen?: (closed: EventStore) => Promise<EventStore>;
  /** Runs after each case, when all its stores are closed. */
  readonly cleanUp?: () => Promise<void>;
  /** The log may hold events of earlier cases: cases that need an empty one are left out. */
  readonly sharedLog?: boolean;
  /** The adapter has `appendAll`. */
  readonly appendsAsOne?: boolean;
  /** Largest data of one event that the adapter takes, in bytes; 1 MiB when absent. */
  readonly largestDataBytes?: number;
  /** Limit of one case, for adapters on a slow network. */
  readonly timeoutMs?: number;
}

const MEBIBYTE = 1024 * 1024;

/** The stores that a case has opened, and how to open more. */
export class Harness {
  readonly contract: EventStoreContract;
  #opened: EventStore[] = [];

  constructor(contract: EventStoreContract) {
    this.contract = contract;
  }

  get largestDataBytes(): number {
    return this.contract.largestDataBytes ?? MEBIBYTE;
  }

  async open(): Promise<EventStore> {
    const store = await this.contract.open();
    this.#opened.push(store);
    return store;
  }

  /** Closes a store and opens its log again. */
  async restart(store: EventStore): Promise<EventStore> {
    if (this.contract.reopen === undefined) throw new Error(`${this.contract.name} has no reopen`);
    await store.close();
    const reopened = await this.contract.reopen(store);
    this.#opened.push(reopened);
    return reopened;
  }

  async cleanUp(): Promise<void> {
    const opened = this.#opened;
    this.#opened = [];
    await Promise.all(opened.map((store) => store.close()));
    await this.contract.cleanUp?.();
  }
}

export const ANY: Expected = { kind: 'any' };
export const NO_STREAM: Expected = { kind: 'noStream' };
export const EXISTS: Expected = { kind: 'exists' };
export const exact = (revision: number): Expected => ({ kind: 'exact', revision });

export function newStream(): StreamName {
  return `transaction-1-${crypto.randomUUID()}` as StreamName;
}

export function newCommand(): AppendRequest['command'] {
  return { id: crypto.randomUUID() as CommandId, fingerprint: '0123456789abcdef' };
}

export function newEvent(data: unknown = { amountMinor: '1250' }): EncodedEvent {
  return {
    id: crypto.randomUUID(),
    type: 'Captured',
    schemaVersion: 2,
    tenantId: 1 as TenantId,
    time: '2024-02-29T12:34:56.789Z',
    data: JSON.stringify(data),
    metadata: '{"actor":"clerk@example.com"}',
  };
}

/** An append of one event by a new command; each part can be set. */
export function append(parts: Partial<AppendRequest> = {}): AppendRequest {
  return {
    stream: newStream(),
    events: [newEvent()],
    expected: ANY,
    command: newCommand(),
    ...parts,
  };
}

export function newEvents(count: number): readonly EncodedEvent[] {
  return Array.from({ length: count }, (_, index) => newEvent({ index }));
}

/** Appends what must succeed; returns its receipt. */
export async function appended(store: EventStore, request: AppendRequest): Promise<Receipt> {
  const result = await store.append(request);
  expect(result).toMatchObject({ outcome: 'appended' });
  return receiptOf(result);
}

export function receiptOf(result: AppendResult): Receipt {
  if (result.outcome !== 'appended' && result.outcome !== 'repeated') {
    throw new Error(`no receipt in ${JSON.stringify(result)}`);
  }
  return { revision: result.revision, position: result.position };
}

/** What a store must return for the events of an append that began at `firstRevision`. */
export function storedAs(request: AppendRequest, firstRevision: number): readonly unknown[] {
  return request.events.map((event, index) => ({
    ...event,
    stream: request.stream,
    revision: firstRevision + index,
    position: expect.any(String),
    commandId: request.command.id,
    commandFingerprint: request.command.fingerprint,
  }));
}

/** All events from a place on to the present head. */
export async function collect(
  store: EventStore,
  options: SubscribeOptions = {},
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ ...options, untilHead: true })) {
    expect(batch.length).toBeGreaterThan(0);
    events.push(...batch);
  }
  return events;
}

/** Reads a live subscription until it has delivered `count` events. */
export async function take(
  store: EventStore,
  count: number,
  options: SubscribeOptions = {},
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe(options)) {
    events.push(...batch);
    if (events.length >= count) break;
  }
  return events;
}

/** `after` the present head, so that a case sees only its own events. */
export async function fromHere(store: EventStore): Promise<{ readonly after?: Position }> {
  const after = await store.head();
  return after === undefined ? {} : { after };
}

export function idsOf(events: readonly { readonly id: string }[]): readonly string[] {
  return events.map((event) => event.id);
}

export function expectRisingPositions(events: readonly StoredEvent[]): void {
  for (let index = 1; index < events.length; index += 1) {
    const before = events[index - 1]?.position ?? '';
    const after = events[index]?.position ?? '';
    expect(before < after, `${before} < ${after}`).toBe(true);
  }
}

/** Every stream's events stand in the log in the order of their revisions, from 0 without a hole. */
export function expectWholeStreams(events: readonly StoredEvent[]): void {
  const next = new Map<StreamName, number>();
  for (const event of events) {
    const revision = next.get(event.stream) ?? 0;
    expect(event.revision).toBe(revision);
    next.set(event.stream, revision + 1);
  }
}

/** Expects a failure of the store itself, by its code. */
export async function expectFailure(action: Promise<unknown>, code: string): Promise<void> {
  await expect(action).rejects.toMatchObject({ name: 'EventStoreError', code });
}
