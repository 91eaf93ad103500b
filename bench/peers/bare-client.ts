/** The EventStoreDB client without an adapter: unary appends, and pages of the whole log. */
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

/** Passing credentials per call makes the client use unary appends; their values are ignored. */
const CREDENTIALS = { username: 'admin', password: 'changeit' };

/** An event in the client's format. */
export interface ClientEvent {
  readonly stream: string;
  readonly event: JSONEventData;
}

/** The envelope is in the metadata, as in Counterfoil. */
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

  /** Reads the whole log in pages. Returns the number of events in streams with the prefix. */
  async readAll(pageEvents: number, prefix: string): Promise<number> {
    let found = 0;
    let from: ReadPosition = START;
    for (let reached = -1n; ; ) {
      let fresh = 0;
      // A page starts with the last event of the previous one.
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
