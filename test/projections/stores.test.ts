/** Both adapters of the read-model store pass its contract. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '@counterfoil/core';
import { createMemoryReadModelStore, openSqliteReadModelStore } from '@counterfoil/projections';
import { commitToAll, readModelStoreContract } from '@counterfoil/projections/testing';
import { expect, it, onTestFinished } from 'vitest';

readModelStoreContract({
  name: 'memory',
  open: async () => createMemoryReadModelStore(),
  openSharded: async (shards) => createMemoryReadModelStore({ shards }),
});

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

it('sqlite: a reader sees one snapshot per turn, but never less than the writer announced', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-read-models-'));
  const path = join(folder, 'read-models.db');
  const writer = openSqliteReadModelStore({ path });
  let news: Position | undefined;
  const reader = openSqliteReadModelStore({ path, readOnly: true, news: () => news });
  onTestFinished(async () => {
    await reader.close();
    await writer.close();
    await rm(folder, { recursive: true });
  });
  const collections = [{ name: 'things', kind: 'keyed' }] as const;
  const request = { projection: 'sample', version: '1', collections, purpose: 'live' } as const;
  const build = await writer.createBuild(request);
  await writer.makeLive('sample', build.info.build);
  let position: Position | undefined;
  const write = async (key: string) => {
    const checkpoint = key as Position;
    const changes = [{ collection: 'things', after: { key, body: key } }];
    await commitToAll(build, { expected: position, checkpoint, epoch: 0, changes });
    position = checkpoint;
  };
  const seen = async () => {
    const model = await reader.live('sample');
    const bodies = await model?.get('things', ['a', 'b', 'c']);
    return [await model?.revision(), bodies?.filter((body) => body !== undefined)];
  };

  await write('a');
  expect(await seen()).toEqual([1, ['a']]);
  await write('b');
  // Same turn: no notification yet.
  expect(await seen()).toEqual([1, ['a']]);
  news = position;
  expect(await seen()).toEqual([2, ['a', 'b']]);
  await write('c');
  await nextTurn();
  expect(await seen()).toEqual([3, ['a', 'b', 'c']]);
  const second = await writer.createBuild(request);
  await writer.makeLive('sample', second.info.build);
  await nextTurn();
  expect(await seen()).toEqual([0, []]);
});

it('sqlite: a reader outlives a damaged page, and says so at each read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-read-models-'));
  const path = join(folder, 'read-models.db');
  const writer = openSqliteReadModelStore({ path });
  const reader = openSqliteReadModelStore({ path, readOnly: true, news: () => undefined });
  onTestFinished(async () => {
    await reader.close();
    await writer.close();
    await rm(folder, { recursive: true });
  });
  const collections = [{ name: 'things', kind: 'keyed' }] as const;
  const request = { projection: 'sample', version: '1', collections, purpose: 'live' } as const;
  const build = await writer.createBuild(request);
  await writer.makeLive('sample', build.info.build);
  const changes = Array.from({ length: 500 }, (_, index) => ({
    collection: 'things',
    after: { key: `key ${index}`, body: 'b'.repeat(100) },
  }));
  await commitToAll(build, { expected: undefined, checkpoint: '1' as Position, epoch: 0, changes });
  const model = await reader.live('sample');
  expect(await model?.revision()).toBe(1);
  const wal = `${path}-sample-${build.info.build}-wal`;
  const bytes = await readFile(wal);
  await writeFile(wal, bytes.fill(0xff, bytes.length / 2));
  for (let read = 0; read < 2; read += 1) {
    const found = model?.get(
      'things',
      changes.map(({ after }) => after.key),
    );
    await expect(found).rejects.toMatchObject({ code: 'damaged' });
    // An error after the turn would end the process.
    await nextTurn();
  }
});
