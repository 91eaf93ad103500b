/** What a PostgreSQL read model is opened with and what it keeps: any text, any neighbour, any rights. */
import { join } from 'node:path';
import type { Position } from '@counterfoil/core';
import {
  type Build,
  type Change,
  createMemoryReadModelStore,
  openSqliteReadModelStore,
} from '@counterfoil/projections';
import {
  openPostgresReadModelStore,
  type PostgresReadModelOptions,
} from '@counterfoil/projections/postgres';
import { commitToAll } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createDatabase, newDatabase } from '../setup/databases.ts';
import { queried } from '../setup/empty-database.ts';
import { adaptersInFolder } from './adapters.ts';

const { folder } = adaptersInFolder();

const TIMEOUT_MS = 60_000;
const COLLECTIONS = [
  { name: 'things', kind: 'keyed' },
  { name: 'rows', kind: 'walked', fields: { name: 'text' } },
  { name: 'words', kind: 'dictionary' },
] as const;

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

async function opened(options: PostgresReadModelOptions) {
  const store = await openPostgresReadModelStore(options);
  onTestFinished(() => store.close());
  return store;
}

const REQUEST = {
  projection: 'sample',
  version: '1',
  collections: COLLECTIONS,
  purpose: 'live',
} as const;

/** Characters that a database may refuse, order or match in a way of its own. */
const text = fc.string({
  unit: fc.constantFrom('\0', '\u0001', '\u0002', 'a', 'A', '%', '_', '\\', '"', "'", 'é', '😀'),
  minLength: 1,
  maxLength: 6,
});

async function filled(build: Build, texts: readonly string[]): Promise<Build> {
  const changes = texts.flatMap((each): Change[] => [
    { collection: 'things', after: { key: each, body: each } },
    { collection: 'rows', after: { key: each, body: each, place: placed(each) } },
    { collection: 'words', after: { key: each, body: each, place: placed(each) } },
  ]);
  const checkpoint = '1' as Position;
  const result = await commitToAll(build, { expected: undefined, checkpoint, epoch: 0, changes });
  expect(result).toEqual({ outcome: 'committed' });
  return build;
}

function placed(name: string) {
  return { partition: `p${[...name][0] ?? ''}`, sort: 1, fields: { name } };
}

async function answersOf(build: Build, texts: readonly string[], asked: string): Promise<unknown> {
  const where = [{ field: 'name', anyOf: [asked] }];
  const { partition } = placed(asked);
  const list = (prefix: string, after?: string) =>
    build.list('things', { prefix, limit: 100, ...(after !== undefined && { after }) });
  return [
    await build.get('things', [...texts, asked]),
    await list(asked),
    await list('', asked),
    await build.walk({ collection: 'rows', partition, where, limit: 100 }),
    await build.walk({ collection: 'rows', partition, where: [], limit: 100 }),
    await build.walk({
      collection: 'rows',
      partition,
      where: [{ field: 'key', anyOf: [asked] }],
      limit: 9,
    }),
    [...(await build.grep('words', partition, asked))].sort(),
    await build.summary(),
  ];
}

it('keeps, orders and finds any text like the plain filter', { timeout: TIMEOUT_MS }, async () => {
  const store = await opened({ url: database.url });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(text, { maxLength: 12 }), text, async (texts, asked) => {
      const plain = createMemoryReadModelStore({ shards: await store.shards() });
      const theirs = await filled(await plain.createBuild(REQUEST), texts);
      const ours = await filled(await store.createBuild(REQUEST), texts);
      for (const each of [asked, ...texts]) {
        expect(await answersOf(ours, texts, each)).toEqual(await answersOf(theirs, texts, each));
      }
    }),
    { numRuns: 25 },
  );
});

it('orders characters beyond the first plane like SQLite, by their bytes', async () => {
  const keys = ['\uffff', '\u{1f600}', '\ue000', 'z', '\u{10fffe}'];
  const sqlite = openSqliteReadModelStore({ path: join(folder, 'order.db') });
  onTestFinished(() => sqlite.close());
  const store = await opened({ url: database.url });
  const orders = await Promise.all(
    [sqlite, store].map(async (each) => {
      const build = await filled(await each.createBuild(REQUEST), keys);
      return (await build.list('things', { prefix: '', limit: 9 })).map(({ key }) => key);
    }),
  );
  expect(orders[1]).toEqual(orders[0]);
  expect(orders[1]).toHaveLength(keys.length);
});

it('finds a document again whose key is no whole text', async () => {
  const store = await opened({ url: database.url });
  const build = await filled(await store.createBuild(REQUEST), ['a\ud800']);
  expect(await build.get('things', ['a\ud800', 'a'])).toEqual(['a\ufffd', undefined]);
});

it('parks and marks damage with any text', async () => {
  const store = await opened({ url: database.url, schema: 'any_text' });
  const build = await store.createBuild(REQUEST);
  const event = { stream: 's\0', revision: 1, data: '\0\u0001' } as never;
  const park = [{ event, error: 'a \0 in it' }];
  const commit = { expected: undefined, checkpoint: undefined, epoch: 0, changes: [], park };
  expect(await commitToAll(build, commit)).toEqual({ outcome: 'committed' });
  expect(await build.parked()).toEqual([{ stream: 's\0', error: 'a \0 in it', events: [event] }]);
  expect(await build.parkedStreams()).toEqual(new Set(['s\0']));
});

it('is opened concurrently, and one creates the catalog', async () => {
  const url = await newDatabase();
  const stores = await Promise.all(Array.from({ length: 6 }, () => opened({ url })));
  const builds = await Promise.all(stores.map((store) => store.createBuild(REQUEST)));
  expect(builds.map(({ info }) => info.build).sort()).toEqual([1, 2, 3, 4, 5, 6]);
});

it('refuses what a later program has changed', async () => {
  const url = await newDatabase();
  await (await opened({ url })).close();
  await queried(
    url,
    `INSERT INTO counterfoil_read_models.kysely_migration VALUES ('2999-01-01-later', '2999')`,
  );
  for (const readOnly of [true, false]) {
    const opening = openPostgresReadModelStore({ url, readOnly });
    await expect(opening).rejects.toMatchObject({
      code: 'outdated',
      message: expect.stringContaining('2999-01-01-later'),
    });
  }
});

it('is rebuilt where its tables have another layout', async () => {
  const url = await newDatabase();
  const store = await opened({ url });
  await store.createBuild(REQUEST);
  await store.makeLive('sample', 1);
  await queried(url, 'UPDATE counterfoil_read_models.builds SET layout = layout + 1');
  expect(await store.live('sample')).toBeUndefined();
  await expect(store.openBuild('sample', 1)).rejects.toMatchObject({ code: 'outdated' });
});

it('says where it could not connect, and never the password', { timeout: TIMEOUT_MS }, async () => {
  const secret = 'open-sesame';
  const url = `postgres://user:${secret}@127.0.0.1:1/books`;
  const failed = await openPostgresReadModelStore({ url, readOnly: true }).catch(
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ code: 'unavailable' });
  expect(String(failed)).toContain('127.0.0.1:1/books');
  expect(JSON.stringify(failed) + String((failed as Error).stack)).not.toContain(secret);
  const other = openPostgresReadModelStore({ url: `mysql://${secret}@there/books` });
  await expect(other).rejects.toThrow(/postgres:\/\//);
  await expect(other).rejects.not.toThrow(secret);
});

it('finds texts without trigrams where they cannot be had', async () => {
  const url = new URL(await newDatabase());
  const role = `reader_${url.pathname.slice(-16)}`;
  await queried(url.href, `CREATE ROLE ${role} LOGIN; CREATE SCHEMA own AUTHORIZATION ${role}`);
  const dropped = `DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`;
  onTestFinished(async () => void (await queried(url.href, dropped)));
  const owned = new URL(url);
  owned.username = role;
  const store = await openPostgresReadModelStore({ url: owned.href, schema: 'own' });
  const build = await filled(await store.createBuild(REQUEST), ['pa popup shop', 'pa other']);
  expect(await build.grep('words', 'pp', 'popup')).toEqual(['pa popup shop']);
  const extensions = await queried(url.href, `SELECT FROM pg_extension WHERE extname = 'pg_trgm'`);
  expect(extensions.rowCount).toBe(0);
  await store.close();
});

it('finds texts by their trigrams where it may', async () => {
  const store = await opened({ url: database.url, schema: 'with_trigrams' });
  await store.createBuild(REQUEST);
  const { rows } = await queried(
    database.url,
    `SELECT indexdef FROM pg_indexes WHERE schemaname = 'with_trigrams' AND tablename LIKE '%words'`,
  );
  expect(rows.map(({ indexdef }) => indexdef as string).join()).toContain('gin_trgm_ops');
});
