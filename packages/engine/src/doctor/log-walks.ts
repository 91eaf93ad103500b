/** Walks through all events of a log, by position and by stream, over the port of event stores. */
import type { EventStore, Position, StoredEvent, StreamName } from '@counterfoil/core';
import type { InspectedEvent, InspectedPlace } from '@counterfoil/event-stores/sqlite';

const BATCH_EVENTS = 5_000;
/** Streams that are read side by side, and the events of each that are read at once. */
const STREAMS_AT_ONCE = 50;
const PAGE_EVENTS = 200;

/** An event; not every log marks the last one of an append. */
export interface WalkedEvent extends Pick<InspectedEvent, 'stored' | 'intact'> {
  readonly endsCommand: boolean | undefined;
}

type Pages<Item> = Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>;

/** The log of one moment. */
export interface LogWalks {
  /** How many events there are, as far as is known yet. */
  readonly events: number;
  /** Every event by its position. */
  inOrder(): Pages<InspectedPlace>;
  /** Every event by stream and revision. A stream may go on in the next page. */
  byStream(): Pages<WalkedEvent>;
}

/** Up to `head`: what is appended meanwhile is left out. Its memory does not grow with the log. */
export class PortWalks implements LogWalks {
  readonly #store: EventStore;
  readonly #head: Position | undefined;
  #events = 0;

  constructor(store: EventStore, head: Position | undefined) {
    this.#store = store;
    this.#head = head;
  }

  get events(): number {
    return this.#events;
  }

  async *inOrder(): AsyncGenerator<readonly InspectedPlace[]> {
    for await (const batch of this.#batches()) {
      yield batch.map(({ position, time }) => ({ position, time, missingBefore: 0 }));
    }
  }

  /** Reads each stream by its name, so that the log's own index of streams is tested as well. */
  async *byStream(): AsyncGenerator<readonly WalkedEvent[]> {
    let names: StreamName[] = [];
    for await (const batch of this.#batches()) {
      for (const { stream, revision } of batch) {
        if (revision !== 0) continue;
        names.push(stream);
        if (names.length < STREAMS_AT_ONCE) continue;
        yield* this.#streams(names);
        names = [];
      }
    }
    yield* this.#streams(names);
  }

  async *#batches(): AsyncGenerator<readonly StoredEvent[]> {
    const head = this.#head;
    if (head === undefined) return;
    let events = 0;
    for await (const batch of this.#store.subscribe({ batchSize: BATCH_EVENTS, untilHead: true })) {
      const within = batch.filter(({ position }) => position <= head);
      events += within.length;
      this.#events = Math.max(this.#events, events);
      if (within.length > 0) yield within;
      if (within.length < batch.length) return;
    }
  }

  async *#streams(names: readonly StreamName[]): AsyncGenerator<readonly WalkedEvent[]> {
    const limit = PAGE_EVENTS;
    const first = await Promise.all(names.map((name) => this.#store.read(name, { limit })));
    let page: StoredEvent[] = [];
    for (const [index, name] of names.entries()) {
      let part = first[index] ?? [];
      page.push(...part);
      for (let last = part.at(-1); last !== undefined && part.length === limit; ) {
        yield this.#walked(page);
        page = [];
        part = await this.#store.read(name, { from: last.revision + 1, limit });
        page.push(...part);
        last = part.at(-1);
      }
    }
    yield this.#walked(page);
  }

  /** The store has checked what it returns. */
  #walked(page: readonly StoredEvent[]): readonly WalkedEvent[] {
    const head = this.#head;
    return page
      .filter(({ position }) => head !== undefined && position <= head)
      .map((stored) => ({ stored, intact: true, endsCommand: undefined }));
  }
}
