/** The PostgreSQL read-model store: its contract, and what only a store of many processes has to hold. */
import { bringUpToDate, PROJECTIONS } from '@counterfoil/projections';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import { readModelStoreContract, syntheticEventStore } from '@counterfoil/projections/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createDatabase, newDatabase } from '../setup/databases.ts';
import { queried } from '../setup/empty-database.ts';

const TIMEOUT_MS = 60_000;
const NOW = Date.parse('2026-01-01T00:00:00.000Z');

let database: Awaited<ReturnType<typeof createDatabase>>;
const schemaOf = new WeakMap<object, string>();
let schemas = 0;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

readModelStoreContract({
  name: 'postgres',
  async open() {
    schemas += 1;
    const schema = `contract_${schemas}`;
    const store = await openPostgresReadModelStore({ url: database.url, schema });
    schemaOf.set(store, schema);
    return store;
  },
  async reopen(store) {
    await store.close();
    const schema = schemaOf.get(store) ?? '';
    return openPostgresReadModelStore({ url: database.url, schema });
  },
});

it.each([
  [
    'an index',
    'DROP INDEX',
    `SELECT schemaname || '.' || quote_ident(indexname) AS name FROM pg_indexes
    WHERE tablename LIKE '%\\_records' AND indexdef LIKE '%f_email%'`,
  ],
  [
    'a column',
    'ALTER TABLE',
    `SELECT schemaname || '.' || tablename || ' DROP COLUMN "f_last4"' AS name
    FROM pg_tables WHERE tablename LIKE '%\\_records'`,
  ],
])(
  'a missing %s is noticed by a start, which rebuilds that read model',
  { timeout: TIMEOUT_MS },
  async (_, drop, find) => {
    const url = await newDatabase();
    const shared = {
      events: syntheticEventStore({ payments: 5 }),
      projections: PROJECTIONS,
      holder: 'test',
      now: () => NOW,
    };
    const before = await openPostgresReadModelStore({ url });
    await bringUpToDate({ ...shared, store: before });
    await before.close();
    const { rows } = await queried(url, find);
    expect(rows).toHaveLength(1);
    await queried(url, `${drop} ${rows[0]?.name}`);
    const store = await openPostgresReadModelStore({ url });
    onTestFinished(() => store.close());
    await expect(store.live('transactions')).rejects.toMatchObject({ code: 'damaged' });
    const made = await bringUpToDate({ ...shared, store });
    expect(made.map(({ projection }) => projection)).toEqual(['transactions']);
    expect(await (await store.live('transactions'))?.isSound()).toBe(true);
  },
);
