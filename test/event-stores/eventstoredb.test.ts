/** The EventStoreDB adapter passes the contract with both clients: on the protocol server, and on a real one at ESDB_URL. */
import type { EventStore } from '@counterfoil/core';
import { eventStoreContract } from '@counterfoil/core/testing';
import { type ClientKind, openEventStoreDb } from '@counterfoil/event-stores/eventstoredb';
import { afterAll, beforeAll } from 'vitest';
import { type ProtocolServer, startProtocolServer } from '../eventstoredb-server/server.ts';
import { CLIENTS, newPrefix } from './support/eventstoredb.ts';

/** What a server takes in one append is a mebibyte, and the envelope is a part of it. */
const LARGEST_DATA_BYTES = 1_000_000;

let server: ProtocolServer;
beforeAll(async () => {
  server = await startProtocolServer();
});
afterAll(() => server.close());

interface Opening {
  readonly name: string;
  readonly url: () => string;
  readonly client: ClientKind;
  readonly batchAppends?: boolean;
}

function contractOf({ name, url, ...options }: Opening): void {
  const prefixes = new Map<EventStore, string>();
  const openAt = async (prefix: string) => {
    const store = await openEventStoreDb({ ...options, url: url(), prefix });
    prefixes.set(store, prefix);
    return store;
  };
  eventStoreContract({
    name,
    open: () => openAt(newPrefix()),
    reopen: (closed) => openAt(prefixes.get(closed) ?? ''),
    largestDataBytes: LARGEST_DATA_BYTES,
  });
}

for (const client of CLIENTS) {
  contractOf({
    name: `eventstoredb, client ${client}, on the protocol server`,
    url: () => server.url,
    client,
  });
}
