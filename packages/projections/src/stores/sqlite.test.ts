/** Builds in files of another layout are rebuilt, and never read. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Position } from '@counterfoil/core';
import { afterEach, expect, it } from 'vitest';
import { openSqliteReadModelStore } from './sqlite.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

it('drops the builds of another layout, files and all', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-layout-'));
  folders.push(folder);
  const path = join(folder, 'read-models.db');
  const before = openSqliteReadModelStore({ path });
  const request = { projection: 'sample', version: '1', purpose: 'live', collections: [] } as const;
  const { info } = await before.createBuild(request);
  await before.makeLive('sample', info.build);
  await before.close();
  const catalog = new DatabaseSync(path);
  catalog.exec('PRAGMA user_version = 1');
  catalog.close();

  const reader = openSqliteReadModelStore({ path, readOnly: true });
  expect(await reader.live('sample')).toBeUndefined();
  const writer = openSqliteReadModelStore({ path });
  expect(await writer.builds('sample')).toEqual([]);
  expect(await writer.live('sample')).toBeUndefined();
  expect(existsSync(`${path}-sample-${info.build}`)).toBe(false);
  const { info: next } = await writer.createBuild(request);
  expect(next.build).toBe(info.build + 1);
  await writer.makeLive('sample', next.build);
  expect((await reader.live('sample'))?.info.build).toBe(next.build);
  await reader.close();
  await writer.close();
});

it('gives a lease again whose row has changed, and rebuilds a build that the catalog lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-catalog-'));
  folders.push(folder);
  const path = join(folder, 'rm.db');
  const writer = openSqliteReadModelStore({ path });
  const reader = openSqliteReadModelStore({ path, readOnly: true });
  const request = {
    projection: 'sample',
    version: '1',
    collections: [{ name: 'things', kind: 'keyed' as const }],
    purpose: 'live' as const,
  };
  const lease = { name: 'lease', holder: 'host', nowMs: 0, ttlMs: 1_000 };
  expect(await writer.acquireLease(lease)).toBe(1);
  const { info } = await writer.createBuild(request);
  await writer.makeLive('sample', info.build);
  expect((await reader.live('sample'))?.info.build).toBe(info.build);

  const database = new DatabaseSync(path);
  database.exec(`UPDATE leases SET holder = 'hosu', expires_ms = 9e15`);
  database.exec('UPDATE live SET build = 3');
  database.close();
  const refusal = { code: 'damaged' };
  await expect(reader.live('sample')).rejects.toMatchObject(refusal);
  await expect(writer.acquireLease(lease)).rejects.toMatchObject(refusal);
  // A writer opens it again, and repairs it.
  expect(await writer.acquireLease(lease)).toBe(1);
  expect(await reader.live('sample')).toBeUndefined();
  expect((await writer.createBuild(request)).info.build).toBe(info.build + 1);
  await reader.close();
  await writer.close();
});

it('shows at once which build is live, whoever has made it so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-live-'));
  folders.push(folder);
  const path = join(folder, 'rm.db');
  const writer = openSqliteReadModelStore({ path });
  const other = openSqliteReadModelStore({ path });
  const reader = openSqliteReadModelStore({ path, readOnly: true });
  const request = { projection: 'sample', version: '1', purpose: 'live', collections: [] } as const;
  const liveIn = async (store: typeof reader) => (await store.live('sample'))?.info.build;
  const both = async () => [await liveIn(writer), await liveIn(reader)];
  expect(await both()).toEqual([undefined, undefined]);
  for (const [build, maker] of [writer, other, writer].entries()) {
    const { info } = await maker.createBuild(request);
    expect(info.build).toBe(build + 1);
    await maker.makeLive('sample', info.build);
    expect(await both()).toEqual([info.build, info.build]);
  }
  for (const store of [reader, other, writer]) await store.close();
});

it('joins the parts of a text index that a load has left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-texts-'));
  folders.push(folder);
  const path = join(folder, 'rm.db');
  const store = openSqliteReadModelStore({ path });
  const build = await store.createBuild({
    projection: 'sample',
    version: '1',
    collections: [{ name: 'words', kind: 'dictionary' }],
    purpose: 'load',
  });
  await build.fence([{ shard: 0, epoch: 1 }]);
  for (const body of ['SHOP*LONDON', 'SHOP*PARIS', 'POPUP MARKET']) {
    const expected = await build.checkpoint();
    const checkpoint = String(Number(expected ?? 0) + 1) as Position;
    const after = { key: body, body, place: { partition: 'p', sort: 0, fields: {} } };
    await build.commit({
      moves: [{ shard: 0, epoch: 1, expected, checkpoint }],
      changes: [{ collection: 'words', after }],
    });
  }
  const parts = () => {
    const file = new DatabaseSync(`${path}-sample-${build.info.build}`, { readOnly: true });
    const found = file.prepare('SELECT count(DISTINCT segid) AS n FROM words_grep_idx').get();
    file.close();
    return found?.['n'];
  };
  expect(parts()).toBe(3);
  await build.finishLoad();
  expect(parts()).toBe(1);
  expect(await build.grep('words', 'p', 'SHOP')).toEqual(['SHOP*LONDON', 'SHOP*PARIS']);
  await store.close();
});
