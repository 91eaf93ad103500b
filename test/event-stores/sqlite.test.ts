/** The SQLite store passes the contract. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '@counterfoil/core';
import { eventStoreContract } from '@counterfoil/core/testing';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';

const paths = new Map<EventStore, string>();
const folders: string[] = [];

async function openAt(path: string): Promise<EventStore> {
  const store = await openSqliteEventStore({ path });
  paths.set(store, path);
  return store;
}

eventStoreContract({
  name: 'sqlite',
  open: () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-log-'));
    folders.push(folder);
    return openAt(join(folder, 'log.db'));
  },
  reopen: (closed) => openAt(paths.get(closed) ?? ''),
  cleanUp: async () => {
    paths.clear();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  },
});
