/** The PostgreSQL read-model store: its contract, and what only a store of many processes has to hold. */
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import { readModelStoreContract } from '@counterfoil/projections/testing';
import { afterAll, beforeAll } from 'vitest';
import { createDatabase } from '../setup/databases.ts';

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
