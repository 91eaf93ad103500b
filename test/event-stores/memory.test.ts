/** The in-memory store passes the contract, and the contract asks for nothing that the port does not promise. */
import { createMemoryEventStore, type EventStore, type StoredEvent } from '@counterfoil/core';
import { eventStoreContract } from '@counterfoil/core/testing';

eventStoreContract({
  name: 'memory',
  open: async () => createMemoryEventStore(),
  appendsAsOne: true,
});

/** A store that never delivers two events together, as a server may do. */
function oneByOne(store: EventStore): EventStore {
  return {
    append: (request) => store.append(request),
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => eachAlone(store.subscribe(options)),
    head: () => store.head(),
    close: () => store.close(),
  };
}

async function* eachAlone(
  batches: AsyncIterable<readonly StoredEvent[]>,
): AsyncGenerator<readonly StoredEvent[]> {
  for await (const batch of batches) for (const event of batch) yield [event];
}

eventStoreContract({
  name: 'memory, each event in a batch of its own',
  open: async () => oneByOne(createMemoryEventStore()),
});
