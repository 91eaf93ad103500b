/** Reads streams of the log by pages, and checks that nothing is missing. */
import { EventStoreError, type StreamName } from '@counterfoil/core';
import type { Calls, Retries } from './calls.ts';
import { decode, type MarkedEvent } from './envelope.ts';
import type { KnownStreams } from './known-streams.ts';
import type { StreamNames } from './stream-names.ts';

/** Events of one call: an event may be a megabyte, most are some hundred bytes. */
const PAGE_EVENTS = 500;

export class StreamReader {
  readonly #calls: Calls;
  readonly #names: StreamNames;
  readonly #known: KnownStreams;

  constructor(calls: Calls, names: StreamNames, known: KnownStreams) {
    this.#calls = calls;
    this.#names = names;
    this.#known = known;
  }

  /** The events of a stream from a revision on; also updates the cache. */
  async read(
    stream: StreamName,
    from: number,
    limit = Number.POSITIVE_INFINITY,
    retries?: Retries,
  ): Promise<readonly MarkedEvent[]> {
    const events: MarkedEvent[] = [];
    for (let wanted = Math.min(limit, PAGE_EVENTS); wanted > 0; ) {
      const page = await this.#page(stream, from + events.length, wanted, retries);
      events.push(...page);
      if (page.length < wanted) break;
      wanted = Math.min(limit - events.length, PAGE_EVENTS);
    }
    return events;
  }

  async #page(
    stream: StreamName,
    from: number,
    count: number,
    retries: Retries | undefined,
  ): Promise<readonly MarkedEvent[]> {
    const name = this.#names.onServer(stream);
    const recorded = await this.#calls.read(
      `reading ${name}`,
      (client) => client.readStream(name, from, count),
      retries,
    );
    for (const [index, { revision }] of recorded.entries()) {
      if (Number(revision) === from + index) continue;
      // A stream that was truncated or deleted begins later than it did.
      throw new EventStoreError('corrupt', `${name} has lost its event ${from + index}`);
    }
    const events = recorded.map((each) => decode(each, stream));
    this.#known.learn(
      stream,
      from,
      events.map(({ event }) => event),
    );
    return events;
  }
}
