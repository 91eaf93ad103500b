/** Both adapters of the read-model store pass its contract. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryReadModelStore, openSqliteReadModelStore } from '@counterfoil/projections';
import { readModelStoreContract } from '@counterfoil/projections/testing';

readModelStoreContract({ name: 'memory', open: async () => createMemoryReadModelStore() });

const folders: string[] = [];
const pathOf = new WeakMap<object, string>();

readModelStoreContract({
  name: 'sqlite',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'counterfoil-read-models-'));
    folders.push(folder);
    const path = join(folder, 'read-models.db');
    const store = openSqliteReadModelStore({ path });
    pathOf.set(store, path);
    return store;
  },
  async reopen(store) {
    await store.close();
    return openSqliteReadModelStore({ path: pathOf.get(store) ?? '' });
  },
  async cleanUp() {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  },
});
