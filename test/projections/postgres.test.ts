/** The PostgreSQL read-model store: its contract, and what only a store of many processes has to hold. */
import { bringUpToDate, PROJECTIONS, runProjections } from '@counterfoil/projections';
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
  async openSharded(shards) {
    schemas += 1;
    return openPostgresReadModelStore({
      url: database.url,
      schema: `contract_${schemas}`,
      shards,
    });
  },
  async reopen(store) {
    await store.close();
    const schema = schemaOf.get(store) ?? '';
    return openPostgresReadModelStore({ url: database.url, schema });
  },
});

/** Back to the catalog of the version before the shards. */
const WITHOUT_SHARDS = `
  UPDATE counterfoil_read_models.builds b SET position = s.position, epoch = 3
    FROM counterfoil_read_models.shards s WHERE s.build_id = b.id AND s.shard = 0;
  DROP TABLE counterfoil_read_models.shards, counterfoil_read_models.sharding;
  DELETE FROM counterfoil_read_models.leases;
  INSERT INTO counterfoil_read_models.leases VALUES ('projections', 'old', 3, 0), ('reactors', 'old', 3, 0);
  DELETE FROM counterfoil_read_models.kysely_migration WHERE name = '2026-11-25-shards'`;

it('takes the checkpoint of a catalog without shards for each shard, and stops its workers', {
  timeout: TIMEOUT_MS,
}, async () => {
  const url = await newDatabase();
  const events = syntheticEventStore({ payments: 30, tenants: 5 });
  const following = { events, projections: PROJECTIONS, holder: 'test', now: () => NOW };
  const before = await openPostgresReadModelStore({ url, shards: 1 });
  await runProjections({ ...following, store: before, untilHead: true });
  const reached = await (await before.live('ledger'))?.summary();
  await before.close();
  await queried(url, WITHOUT_SHARDS);
  const reader = await openPostgresReadModelStore({ url, readOnly: true });
  onTestFinished(() => reader.close());
  expect(await reader.live('ledger')).toBeUndefined();

  const store = await openPostgresReadModelStore({ url, shards: 3 });
  onTestFinished(() => store.close());
  const [position] = reached?.checkpoints ?? [];
  const kept = { ...reached, checkpoints: [position, position, position] };
  expect(await (await store.live('ledger'))?.summary()).toEqual(kept);
  expect(await (await reader.live('ledger'))?.summary()).toEqual(kept);
  const wanted = { holder: 'old', nowMs: NOW, ttlMs: 1_000 };
  expect(await store.acquireLease({ ...wanted, name: 'projections' })).toBeUndefined();
  expect(await store.acquireLease({ ...wanted, name: 'reactors' })).toBeDefined();
  const more = syntheticEventStore({ payments: 40, tenants: 5 });
  await runProjections({ ...following, events: more, store, untilHead: true });
  const head = await more.head();
  expect(await (await store.live('ledger'))?.checkpoints()).toEqual([head, head, head]);
});

it('keeps its number of shards, whatever is asked for later', async () => {
  const url = await newDatabase();
  for (const shards of [5, 2]) {
    const store = await openPostgresReadModelStore({ url, shards });
    expect(await store.shards()).toBe(5);
    await store.close();
  }
  for (const shards of [0, 257, 1.5]) {
    await expect(openPostgresReadModelStore({ url, shards })).rejects.toThrow(RangeError);
  }
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
