/** Emmett's command handler on its own PostgreSQL event store, with the same commands and the same data. */
import { connect } from '../harness/postgres.ts';
import { type Emmett, emmettOn } from './emmett.ts';

/** Opens a store with its default pool of ten connections. */
export async function openEmmettPostgres(
  url: string,
): Promise<Emmett & { close(): Promise<void> }> {
  const { getPostgreSQLEventStore } = await import('@event-driven-io/emmett-postgresql');
  const store = getPostgreSQLEventStore(url);
  await store.schema.migrate();
  const emmett = await emmettOn(store);
  return { ...emmett, close: () => store.close() };
}

/** Counts Emmett's events in a database, over a separate connection. */
export async function emmettEvents(url: string): Promise<number> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ events: string }>(
      'SELECT count(*) AS events FROM emt_messages',
    );
    return Number(rows[0]?.events);
  } finally {
    await client.end();
  }
}
