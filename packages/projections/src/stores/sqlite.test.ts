/** Builds in files of another layout are as good as gone: they are made anew, and never read. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
