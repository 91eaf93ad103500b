/** What the tests of the EventStoreDB adapter share: logs of their own in one cluster, and the contract on them. */
import type { EventStore } from '@counterfoil/core';
import { eventStoreContract } from '@counterfoil/core/testing';
import {
  type ClientKind,
  type EventStoreDbOptions,
  openEventStoreDb,
} from '@counterfoil/event-stores/eventstoredb';
import { afterAll, beforeAll, it } from 'vitest';
import { openClient } from '../../eventstoredb-server/clients.ts';
import { type ProtocolServer, startProtocolServer } from '../../eventstoredb-server/server.ts';

/** What a server takes in one append is a mebibyte, and the envelope is a part of it. */
const LARGEST_DATA_BYTES = 1_000_000;

/** A prefix that no other log has. */
export function newPrefix(): string {
  return `test_${crypto.randomUUID().replaceAll('-', '')}.`;
}

const opened: EventStore[] = [];

/** Opens a log that `closeStores` closes; of its own unless a prefix is given. */
export async function open(options: EventStoreDbOptions): Promise<EventStore> {
  const store = await openEventStoreDb({ prefix: newPrefix(), ...options });
  opened.push(store);
  return store;
}

export async function closeStores(): Promise<void> {
  await Promise.all(opened.splice(0).map((store) => store.close()));
}

/** A server for the tests of one file. */
export function serverForThisFile(): () => ProtocolServer {
  let server: ProtocolServer | undefined;
  beforeAll(async () => {
    server = await startProtocolServer();
  });
  afterAll(() => server?.close());
  return () => {
    if (server === undefined) throw new Error('the server is there while tests run');
    return server;
  };
}

/** Declares the contract for one client: on the protocol server, and on a real one at ESDB_URL. */
export function contractsWith(client: ClientKind): void {
  const server = serverForThisFile();
  const onProtocolServer = `eventstoredb, client ${client}, on the protocol server`;
  contractOf(onProtocolServer, () => ({ url: server().url, client }));
  contractOf(`${onProtocolServer}, appending in batches`, () => ({
    url: server().url,
    client,
    batchAppends: true,
  }));
  const real = process.env['ESDB_URL'];
  if (real === undefined) return;
  contractOf(`eventstoredb, client ${client}, on the server at ESDB_URL`, () => ({
    url: real,
    client,
  }));
  it(`eventstoredb, client ${client}: prints the version of the server at ESDB_URL`, async () => {
    const raw = await openClient(client, real);
    process.stdout.write(`the server at ESDB_URL is of version ${await raw.serverVersion()}\n`);
    await raw.dispose();
  });
}

function contractOf(name: string, optionsOf: () => EventStoreDbOptions): void {
  const prefixes = new Map<EventStore, string>();
  const openAt = async (prefix: string) => {
    const store = await openEventStoreDb({ ...optionsOf(), prefix });
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
