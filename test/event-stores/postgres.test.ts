/** The PostgreSQL store passes the contract: a store a case, and two stores on one log. */
import type { EventStore } from '@counterfoil/core';
import { eventStoreContract } from '@counterfoil/core/testing';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import { afterAll, beforeAll } from 'vitest';
import { createDatabase } from '../setup/databases.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let schemas = 0;
const schemaOf = new Map<EventStore, string>();

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

async function openIn(schema: string): Promise<EventStore> {
  const store = await openPostgresEventStore({ url: database.url, schema });
  schemaOf.set(store, schema);
  return store;
}

function newSchema(): string {
  schemas += 1;
  return `log_${schemas}`;
}

eventStoreContract({
  name: 'postgres',
  open: () => openIn(newSchema()),
  reopen: (closed) => openIn(schemaOf.get(closed) ?? ''),
  appendsAsOne: true,
});

/** Hosts in turn: every call goes to the next of two stores on the same log. */
class TwoHosts implements EventStore {
  readonly #hosts: readonly [EventStore, EventStore];
  #calls = 0;

  constructor(hosts: readonly [EventStore, EventStore]) {
    this.#hosts = hosts;
  }

  append: EventStore['append'] = (request) => this.#next().append(request);
  appendAll: Required<EventStore>['appendAll'] = async (requests) => {
    const result = await this.#next().appendAll?.(requests);
    if (result === undefined) throw new Error('the store has no appendAll');
    return result;
  };
  read: EventStore['read'] = (stream, options) => this.#next().read(stream, options);
  subscribe: EventStore['subscribe'] = (options) => this.#next().subscribe(options);
  head: EventStore['head'] = () => this.#next().head();

  async close(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.close()));
  }

  #next(): EventStore {
    this.#calls += 1;
    return this.#hosts[this.#calls % 2 === 0 ? 0 : 1];
  }
}

async function openTwo(schema: string): Promise<EventStore> {
  const hosts = new TwoHosts([await openIn(schema), await openIn(schema)]);
  schemaOf.set(hosts, schema);
  return hosts;
}

eventStoreContract({
  name: 'postgres, two hosts',
  open: () => openTwo(newSchema()),
  reopen: (closed) => openTwo(schemaOf.get(closed) ?? ''),
  appendsAsOne: true,
});
