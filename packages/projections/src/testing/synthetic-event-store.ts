/** An event store that makes its events up as they are read: a log of any length without its storage. */
import type { EventStore, Position, StoredEvent, SubscribeOptions } from '@counterfoil/core';
import { type SyntheticOptions, syntheticEvents } from './synthetic-payments.ts';

/** Serves the events of a generator, in order, to one reader after another. Nothing can be appended. */
export function syntheticEventStore(options: SyntheticOptions): EventStore {
  let head: Position | undefined;
  return {
    append: () => Promise.reject(new Error('a synthetic log cannot be appended to')),
    read: () => Promise.reject(new Error('a synthetic log is read in order only')),
    subscribe: (request) => batches(options, request),
    async head() {
      if (head === undefined) for (const { position } of syntheticEvents(options)) head = position;
      return head;
    },
    close: async () => undefined,
  };
}

async function* batches(
  options: SyntheticOptions,
  { after, batchSize = 1_000 }: SubscribeOptions = {},
): AsyncGenerator<readonly StoredEvent[]> {
  let batch: StoredEvent[] = [];
  for (const event of syntheticEvents(options)) {
    if (after !== undefined && event.position <= after) continue;
    batch.push(event);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
