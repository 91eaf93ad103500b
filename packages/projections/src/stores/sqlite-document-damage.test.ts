/** Documents whose rows have changed in the file: refused by their key, in every kind of collection. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Position } from '@counterfoil/core';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteReadModelStore } from './sqlite.ts';

const KINDS = ['keyed', 'dictionary', 'walked'] as const;

/** The table of the bodies. */
const tableOf = { keyed: 'rows', dictionary: 'rows', walked: 'rows_bodies' };

async function written(kind: (typeof KINDS)[number]) {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-documents-'));
  const path = join(folder, 'rm.db');
  const store = openSqliteReadModelStore({ path });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const build = await store.createBuild({
    projection: 'sample',
    version: '1',
    collections: [{ name: 'rows', kind }],
    purpose: 'live',
  });
  await build.fence([{ shard: 0, epoch: 1 }]);
  await build.commit({
    moves: [{ shard: 0, epoch: 1, expected: undefined, checkpoint: '1' as Position }],
    changes: ['one', 'two', 'three'].map((key) => {
      const place = { partition: 'p', sort: 0, fields: {} };
      const after = { key, body: `the body of ${key}`, ...(kind !== 'keyed' && { place }) };
      return { collection: 'rows', after };
    }),
  });
  const edit = (sql: string) => {
    const file = new DatabaseSync(`${path}-sample-${build.info.build}`);
    file.exec(sql);
    file.close();
  };
  return { build, edit };
}

it.each(KINDS)('answers documents of a %s collection, in the order of their keys', async (kind) => {
  const { build } = await written(kind);
  expect(await build.get('rows', ['two'])).toEqual(['the body of two']);
  const found = await build.get('rows', ['three', 'none', 'one']);
  expect(found).toEqual(['the body of three', undefined, 'the body of one']);
});

it.each(KINDS)(
  'refuses a document of a %s collection that is not what was written',
  async (kind) => {
    const { build, edit } = await written(kind);
    edit(`UPDATE ${tableOf[kind]} SET body = 'the body of twa' WHERE body = 'the body of two'`);
    edit(`UPDATE ${tableOf[kind]} SET seal = seal + 1 WHERE body = 'the body of three'`);
    const refusal = { code: 'damaged' };
    await expect(build.get('rows', ['two'])).rejects.toMatchObject(refusal);
    await expect(build.get('rows', ['one', 'three'])).rejects.toMatchObject(refusal);
    expect(await build.get('rows', ['one'])).toEqual(['the body of one']);
  },
);

it.each(KINDS)('refuses a document of a %s collection under the key of another', async (kind) => {
  const { build, edit } = await written(kind);
  edit(
    `UPDATE rows SET key = 'lost' WHERE key = 'one'; UPDATE rows SET key = 'one' WHERE key = 'two'`,
  );
  await expect(build.get('rows', ['one'])).rejects.toMatchObject({ code: 'damaged' });
});

it('refuses a walk to a document whose body stands under another key', async () => {
  const { build, edit } = await written('walked');
  const walk = { collection: 'rows', partition: 'p', where: [], limit: 3 };
  const found = await build.walk(walk);
  expect(found.map(({ key }) => key)).toEqual(['one', 'three', 'two']);
  edit(`UPDATE rows_bodies SET of_key = 'twa' WHERE of_key = 'two'`);
  await expect(build.walk(walk)).rejects.toMatchObject({ code: 'damaged' });
});
