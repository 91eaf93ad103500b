/** Readers of the PostgreSQL read models: swaps under their hands, and word of how far the models reach. */
import type { Position, StoredEvent } from '@counterfoil/core';
import {
  type Build,
  Progress,
  type ProjectionMessage,
  type ReadModelStore,
} from '@counterfoil/projections';
import {
  openPostgresReadModelStore,
  type PostgresReadModelOptions,
} from '@counterfoil/projections/postgres';
import { commitToAll } from '@counterfoil/projections/testing';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createDatabase } from '../setup/databases.ts';
import { queried } from '../setup/empty-database.ts';

const COLLECTIONS = [
  { name: 'things', kind: 'keyed' },
  { name: 'rows', kind: 'walked', fields: { name: 'text' } },
  { name: 'words', kind: 'dictionary' },
] as const;
const PLACE = { partition: 'p', sort: 1, fields: { name: 'ann' } };

let database: Awaited<ReturnType<typeof createDatabase>>;
let schemas = 0;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

function newSchema(): string {
  schemas += 1;
  return `readers_${schemas}`;
}

async function opened(schema: string, more: Partial<PostgresReadModelOptions> = {}) {
  const store = await openPostgresReadModelStore({ url: database.url, schema, ...more });
  onTestFinished(() => store.close());
  return store;
}

function buildIn(store: ReadModelStore, projection = 'sample'): Promise<Build> {
  const request = { projection, version: '1', collections: COLLECTIONS };
  return store.createBuild({ ...request, purpose: 'live' });
}

/** One document in each collection, all saying the same. */
async function say(build: Build, text: string, position: string): Promise<void> {
  const changes = [
    { collection: 'things', after: { key: 'a', body: text } },
    { collection: 'rows', after: { key: 'a', body: text, place: PLACE } },
    { collection: 'words', after: { key: text, body: text, place: PLACE } },
  ];
  const expected = await build.checkpoint();
  const checkpoint = position as Position;
  expect(await commitToAll(build, { expected, checkpoint, epoch: 0, changes })).toEqual({
    outcome: 'committed',
  });
}

async function everythingIn(model: Build | undefined): Promise<unknown> {
  if (model === undefined) return undefined;
  const where = [{ field: 'name', anyOf: ['ann'] }];
  const walked = await model.walk({ collection: 'rows', partition: 'p', where, limit: 9 });
  return [
    await model.get('things', ['a']),
    (await model.list('things', { prefix: '', limit: 9 })).map(({ body }) => body),
    walked.map(({ body }) => body),
    await model.grep('words', 'p', 'o'),
    model.info.build,
  ];
}

function saying(text: string, build: number): unknown {
  return [[text], [text], [text], [text], build];
}

it('goes over to the live build in the middle of a query, even when its own was dropped', async () => {
  const schema = newSchema();
  const writer = await opened(schema);
  const reader = await opened(schema, { readOnly: true, news: () => undefined });
  const first = await buildIn(writer);
  await say(first, 'one', '1');
  await writer.makeLive('sample', 1);
  const model = await reader.live('sample');
  expect(await everythingIn(model)).toEqual(saying('one', 1));

  await say(await buildIn(writer), 'two', '1');
  await writer.makeLive('sample', 2);
  expect(await everythingIn(model)).toEqual(saying('two', 2));
  await say(await buildIn(writer), 'four', '1');
  await writer.makeLive('sample', 3);
  await writer.dropBuild('sample', 1);
  await writer.dropBuild('sample', 2);
  expect(await everythingIn(model)).toEqual(saying('four', 3));
  expect(await everythingIn(await reader.live('sample'))).toEqual(saying('four', 3));
});

it('shows a reader what is parked, as it does the writer', async () => {
  const schema = newSchema();
  const writer = await opened(schema);
  const reader = await opened(schema, { readOnly: true });
  const build = await buildIn(writer);
  await writer.makeLive('sample', 1);
  const event = {
    stream: 'sample-1-a',
    revision: 0,
    data: '{"text":"\\u0000 \\" \u2603"}',
  } as StoredEvent;
  const later = { ...event, revision: 1 };
  const checkpoint = '1' as Position;
  const park = [event, later].map((each) => ({ event: each, error: 'no "reason"' }));
  await commitToAll(build, { expected: undefined, checkpoint, epoch: 0, changes: [], park });
  const model = await reader.live('sample');
  expect(await model?.parkedStreams()).toEqual(new Set(['sample-1-a']));
  expect(await model?.parked()).toEqual(await build.parked());
  expect(await model?.parked()).toEqual([
    { stream: 'sample-1-a', error: 'no "reason"', events: [event, later] },
  ]);
});

it.each(['get', 'list', 'walk', 'grep', 'revision', 'checkpoint', 'summary', 'isSound'] as const)(
  'answers %s of a reader whose build is gone from the one that took its place',
  async (method) => {
    const schema = newSchema();
    const writer = await opened(schema);
    const reader = await opened(schema, { readOnly: true });
    await say(await buildIn(writer), 'one', '1');
    await writer.makeLive('sample', 1);
    const model = (await reader.live('sample')) as Build;
    const next = await buildIn(writer);
    await say(next, 'two', '2');
    await writer.makeLive('sample', 2);
    await writer.dropBuild('sample', 1);
    const ask = (build: Build): Promise<unknown> => {
      const where = [{ field: 'name', anyOf: ['ann'] }];
      switch (method) {
        case 'get':
          return build.get('things', ['a']);
        case 'list':
          return build.list('things', { prefix: '', limit: 9 });
        case 'walk':
          return build.walk({ collection: 'rows', partition: 'p', where, limit: 9 });
        case 'grep':
          return build.grep('words', 'p', 'o');
        default:
          return build[method]();
      }
    };
    expect(await ask(model)).toEqual(await ask(next));
  },
);

it('lets a reader come before the first writer, and writes nothing for it', async () => {
  const schema = newSchema();
  const reader = await opened(schema, { readOnly: true });
  expect(await reader.live('sample')).toBeUndefined();
  expect(await reader.builds('sample')).toEqual([]);
  const lease = { name: 'work', holder: 'a', nowMs: 0, ttlMs: 1 };
  await expect(reader.acquireLease(lease)).rejects.toMatchObject({ code: 'read-only' });
  await expect(buildIn(reader)).rejects.toMatchObject({ code: 'read-only' });
  const writer = await opened(schema);
  const build = await buildIn(writer);
  await say(build, 'one', '1');
  await writer.makeLive('sample', 1);
  const model = await reader.live('sample');
  expect(await everythingIn(model)).toEqual(saying('one', 1));
  await expect(model?.commit({ moves: [], changes: [] })).rejects.toMatchObject({
    code: 'read-only',
  });
});

it('sees a change as soon as it is notified', async () => {
  const schema = newSchema();
  const writer = await opened(schema);
  let news: Position | undefined;
  const reader = await opened(schema, { readOnly: true, news: () => news });
  const build = await buildIn(writer);
  await writer.makeLive('sample', 1);
  const model = await reader.live('sample');
  const before = await model?.revision('p');
  const early = model?.revision('p');
  await say(build, 'one', '1');
  news = '1' as Position;
  expect(await model?.revision('p')).not.toBe(before);
  expect(await early).toBeDefined();
});

it('follows the progress of several projections, over lost connections too', async () => {
  const schema = newSchema();
  const writer = await opened(schema);
  const follower = await opened(schema, { readOnly: true });
  const progress = new Progress();
  const messages: ProjectionMessage[] = [];
  const ending = new AbortController();
  const followed = follower.followProgress(
    ['one', 'two'],
    (message) => {
      messages.push(message);
      progress.receive(message);
    },
    ending.signal,
  );
  const [one, two] = [await buildIn(writer, 'one'), await buildIn(writer, 'two')];
  await writer.makeLive('one', 1);
  await say(one, 'x', '5');
  await say(two, 'x', '3');
  expect(progress.position).toBeUndefined();
  await writer.makeLive('two', 1);
  expect(await progress.reached('3' as Position, { timeoutMs: 10_000 })).toBe(true);
  expect(progress.position).toBe('3');

  await queried(
    database.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  const changes = [{ collection: 'things', after: { key: 'b', body: 'b' } }];
  const lastEventTime = new Date(Date.now() - 60_000).toISOString();
  const commit = { expected: '3' as Position, checkpoint: '7' as Position, epoch: 0, changes };
  await commitToAll(two, { ...commit, lastEventTime });
  expect(await progress.reached('5' as Position, { timeoutMs: 10_000 })).toBe(true);
  expect(progress.behindMs).toBeGreaterThanOrEqual(60_000);
  expect(messages.map((message) => message.type === 'caught-up-to' && message.position)).toEqual([
    '3',
    '5',
  ]);
  ending.abort();
  await followed;
});

it('follows the progress where notifications do not get through', async () => {
  const schema = newSchema();
  const writer = await opened(schema);
  const follower = await opened(schema, { readOnly: true });
  const receive = vi.fn();
  const followed = follower.followProgress(['sample'], receive, new AbortController().signal);
  const build = await buildIn(writer);
  await writer.makeLive('sample', 1);
  await queried(database.url, `UPDATE ${schema}.shards SET position = '4'`);
  await vi.waitUntil(() => receive.mock.calls.length > 0, 10_000);
  expect(receive).toHaveBeenLastCalledWith(expect.objectContaining({ position: '4' }));
  expect(await build.checkpoint()).toBe('4');
  // It ends with its store.
  await follower.close();
  await followed;
});
