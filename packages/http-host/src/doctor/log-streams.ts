/** The streams of a log by their names, for those who compare it with something else. */
import type { EventStore, StreamName } from '@counterfoil/core';

export interface LogStreams {
  /** Those whose names begin so. */
  streamNames(prefix: string): Iterable<StreamName> | AsyncIterable<StreamName>;
}

/** Of a log without an index of them: each call reads it once, from its beginning to its end. */
export function streamsOf(events: EventStore): LogStreams {
  return {
    async *streamNames(prefix) {
      for await (const batch of events.subscribe({ untilHead: true })) {
        for (const { stream, revision } of batch) {
          if (revision === 0 && stream.startsWith(prefix)) yield stream;
        }
      }
    },
  };
}
