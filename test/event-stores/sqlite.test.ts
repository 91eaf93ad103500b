/** The SQLite store passes the contract. */
import { join } from 'node:path';
import type { EventStore } from '@counterfoil/core';
import { eventStoreContract } from '@counterfoil/core/testing';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { expect, it } from 'vitest';
import { appendOf, newAppend } from './support/appends.ts';
import { newFolder, removeFolders } from './support/folders.ts';

const paths = new Map<EventStore, string>();

async function openAt(path: string): Promise<EventStore> {
  const store = await openSqliteEventStore({ path });
  paths.set(store, path);
  return store;
}

eventStoreContract({
  name: 'sqlite',
  open: () => openAt(join(newFolder(), 'log.db')),
  reopen: (closed) => openAt(paths.get(closed) ?? ''),
  appendsAsOne: true,
  cleanUp: async () => {
    paths.clear();
    removeFolders();
  },
});

it('sqlite: refuses an append that is too large, and that one only', async () => {
  const store = await openSqliteEventStore({ path: join(newFolder(), 'log.db') });
  const huge = appendOf({ data: 'x'.repeat(65 * 1024 * 1024) });
  const results = await Promise.allSettled([
    store.append(newAppend()),
    store.append({ ...huge, events: [...newAppend().events, ...huge.events] }),
    store.append(newAppend()),
  ]);
  expect(results).toMatchObject([
    { value: { outcome: 'appended' } },
    { reason: { name: 'EventStoreError', code: 'too-large' } },
    { value: { outcome: 'appended' } },
  ]);
  await store.close();
  removeFolders();
});
