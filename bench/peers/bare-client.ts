/** The client of EventStoreDB by itself: unary appends and pages of the whole log, with no adapter around it. */
import type { StoredEvent } from '@counterfoil/core';
import {
  EventStoreDBClient,
  FORWARDS,
  type JSONEventData,
  jsonEvent,
  NO_STREAM,
  type ReadPosition,
  START,
} from '@eventstore/db-client';

/** Given with each call, they make the client append by a call of its own; nobody looks at them. */
const CREDENTIALS = { username: 'admin', password: 'changeit' };

/** An event as the client takes it. */
export interface ClientEvent {
  readonly stream: string;
  readonly event: JSONEventData;
}

/** The envelope stands in the metadata, as Counterfoil has it there too. */
export function clientEventOf(stored: StoredEvent): ClientEvent {
  const { stream, id, type, data, metadata, revision, position, ...envelope } = stored;
  const event = jsonEvent({
    id,
    type,
    data: JSON.parse(data) as JSONEventData['data'],
    metadata: { ...envelope, metadata: JSON.parse(metadata) },
  });
  return { stream, event };
}

export class BareClient {
  readonly #client: EventStoreDBClient;

  constructor(url: string) {
    this.#client = EventStoreDBClient.connectionString(url);
  }

  async append({ stream, event }: ClientEvent): Promise<void> {
    await this.#client.appendToStream(stream, event, {
      expectedRevision: NO_STREAM,
      credentials: CREDENTIALS,
    });
  }

  /** Reads the whole log, so many events at a time. Answers how many stand in streams of that prefix. */
  async readAll(pageEvents: number, prefix: string): Promise<number> {
    let found = 0;
    let from: ReadPosition = START;
    for (let reached = -1n; ; ) {
      let fresh = 0;
      // A page begins with the event that the one before ended with.
      const maxCount = pageEvents + 1;
      const page = this.#client.readAll({ direction: FORWARDS, fromPosition: from, maxCount });
      for await (const { event } of page) {
        if (event === undefined || event.position.commit <= reached) continue;
        fresh += 1;
        from = event.position;
        reached = from.commit;
        if (event.streamId.startsWith(prefix)) found += 1;
      }
      if (fresh === 0) return found;
    }
  }

  async close(): Promise<void> {
    await this.#client.dispose();
  }
}
