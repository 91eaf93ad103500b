/** A log in a database of the test's own, with hands on the database itself. */
import type { EventStore } from '@counterfoil/core';
import {
  openPostgresEventStore,
  type PostgresEventStoreOptions,
} from '@counterfoil/event-stores/postgres';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { newDatabase } from '../../setup/databases.ts';

export interface PostgresLog {
  readonly url: string;
  /** A store as one host has it; closed at the end of the test. */
  openHost(options?: Partial<PostgresEventStoreOptions>): Promise<EventStore>;
  /** A connection beside all stores. */
  connect(): Promise<pg.Client>;
}

export async function newLog(): Promise<PostgresLog> {
  const url = await newDatabase();
  return {
    url,
    async openHost(options) {
      const store = await openPostgresEventStore({ url, ...options });
      onTestFinished(() => store.close());
      return store;
    },
    async connect() {
      const client = new pg.Client({ connectionString: url });
      // Killed with the others, or when the database is dropped.
      client.on('error', () => undefined);
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    },
  };
}

/** Makes PostgreSQL run statements of PL/pgSQL before a row of this type is written. */
export async function beforeEventOfType(
  client: pg.Client,
  type: string,
  statements: string,
): Promise<void> {
  await client.query(`
    CREATE FUNCTION before_${type}() RETURNS trigger LANGUAGE plpgsql AS $function$
    BEGIN
      ${statements};
      RETURN NEW;
    END $function$;
    CREATE TRIGGER before_${type} BEFORE INSERT ON counterfoil_log.events FOR EACH ROW
    WHEN (NEW.type = '${type}') EXECUTE FUNCTION before_${type}();`);
}
