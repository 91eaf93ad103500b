/** The PostgreSQL store when things go wrong: lost connections, refusals of the server, bad requests. */
import type { AppendRequest, EventStore, StoredEvent } from '@counterfoil/core';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Appender } from './support/appender-process.ts';
import { appendOf, idsOf, idsOfAll, newAppend, wholeLog } from './support/appends.ts';
import { Cuttable } from './support/cuttable.ts';
import { follow } from './support/following.ts';
import { beforeEventOfType, newLog } from './support/postgres-log.ts';

const TIMEOUT_MS = 120_000;
const WAIT = { timeout: 30_000, interval: 10 };
const KILL_RUNS = 8;
const EVENTS_PER_APPEND = 3;
const WRITERS = 32;

const KILL_ALL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND application_name LIKE 'counterfoil log%'`;

const appenders: Appender[] = [];
afterEach(async () => {
  await Promise.all(appenders.splice(0).map((appender) => appender.kill()));
});

/** Every acknowledged command is in the log once and whole, and every stream is without a hole. */
function expectLogOf(log: readonly StoredEvent[], requests: readonly AppendRequest[]): void {
  expect(idsOf(log).sort()).toEqual(idsOfAll(requests).sort());
  const next = new Map<string, number>();
  for (const event of log) {
    expect(event.revision).toBe(next.get(event.stream) ?? 0);
    next.set(event.stream, event.revision + 1);
  }
  const positions = log.map((event) => event.position);
  expect(positions).toEqual([...new Set(positions)].sort());
}

describe('postgres: lost connections', { timeout: TIMEOUT_MS }, () => {
  it('killed backends lose and double nothing, for writers and subscribers', async () => {
    const log = await newLog();
    const hosts = [await log.openHost(), await log.openHost({ batchesUnderWay: 2 })];
    const killer = await log.connect();
    const seen = follow(hosts[0] as EventStore, { batchSize: 7 });
    const done: AppendRequest[] = [];
    const plan = fc.array(
      fc.record({ stream: fc.nat(3), events: fc.integer({ min: 1, max: 3 }), kills: fc.nat(4) }),
      { minLength: 8, maxLength: 40 },
    );
    const streams = Array.from({ length: 4 }, () => newAppend().stream);
    const property = fc.asyncProperty(plan, async (steps) => {
      let kills: Promise<unknown> = Promise.resolve();
      const results = await Promise.all(
        steps.map(async ({ stream, events, kills: dice }, index) => {
          const request = newAppend(events, { stream: streams[stream] ?? '' } as object);
          done.push(request);
          if (dice === 0) kills = kills.then(() => killer.query(KILL_ALL));
          const result = await hosts[index % 2]?.append(request);
          // A repetition gets the same position, however the first outcome was found.
          const again = await hosts[(index + 1) % 2]?.append(request);
          expect(again).toEqual({ ...result, outcome: 'repeated' });
          return result;
        }),
      );
      await kills;
      // An append whose response was lost is reported as repeated: the retry settles it.
      for (const result of results) expect(['appended', 'repeated']).toContain(result?.outcome);
    });
    await fc.assert(property, { numRuns: KILL_RUNS });
    expectLogOf(await wholeLog(hosts[1] as EventStore), done);
    const ids = idsOf(await wholeLog(hosts[0] as EventStore));
    await vi.waitUntil(() => seen.length >= ids.length, WAIT);
    expect(idsOf(seen)).toEqual(ids);
  });

  it('an append whose answer is lost is settled by asking again', async () => {
    const log = await newLog();
    const way = await Cuttable.before(log.url);
    const store = await log.openHost({ url: way.url });
    await store.append(newAppend());
    const request = newAppend(2);
    const asOne = [newAppend(3), newAppend()];
    const beside = await log.openHost();
    way.way = 'answers-cut';
    const answers = [store.append(request), store.appendAll?.(asOne)];
    await vi.waitUntil(async () => (await wholeLog(beside)).length === 7, WAIT);
    way.way = 'cut';
    way.way = 'open';
    expect(await Promise.all(answers)).toMatchObject([
      { outcome: 'repeated', revision: 1 },
      { outcome: 'repeated', receipts: [{ revision: 2 }, { revision: 0 }] },
    ]);
    expect(await wholeLog(beside)).toHaveLength(7);
  });

  it('waits for a server that comes back, and continues', async () => {
    const log = await newLog();
    const way = await Cuttable.before(log.url);
    const store = await log.openHost({ url: way.url });
    const seen = follow(store, { batchSize: 7 });
    const first = newAppend();
    await store.append(first);
    await vi.waitUntil(() => seen.length === 1, WAIT);
    way.way = 'cut';
    const requests = Array.from({ length: 5 }, () => newAppend());
    const answers = requests.map((request) => store.append(request));
    const read = store.read(first.stream);
    const head = store.head();
    const beside = newAppend();
    await (await log.openHost()).append(beside);
    way.way = 'open';
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatchObject({ outcome: 'appended', revision: 0 });
    }
    expect(await read).toHaveLength(1);
    expect(await head).toBeDefined();
    await vi.waitUntil(() => seen.length === 7, WAIT);
    expectLogOf(seen, [first, ...requests, beside]);
  });

  it('times out on a server that does not respond', async () => {
    const log = await newLog();
    const way = await Cuttable.before(log.url);
    const store = await log.openHost({ url: way.url, statementTimeoutMs: 1_000 });
    const seen = follow(store, { batchSize: 7 });
    const first = newAppend();
    await store.append(first);
    await vi.waitUntil(() => seen.length === 1, WAIT);
    way.way = 'stalled';
    const stalled = newAppend();
    const calls = [store.append(stalled), store.read(first.stream), store.head()] as const;
    await vi.waitUntil(() => way.lost > 0, WAIT);
    way.way = 'open';
    const [appended, read, head] = await Promise.all(calls);
    expect(appended).toMatchObject({ outcome: 'appended' });
    expect(read).toHaveLength(1);
    expect(head).toBeDefined();
    await vi.waitUntil(() => seen.length === 2, WAIT);
    expectLogOf(await wholeLog(store), [first, stalled]);
  });

  it('reports an unreachable server on timeout, without the password', async () => {
    const log = await newLog();
    const way = await Cuttable.before(log.url);
    const url = new URL(way.url);
    url.password = 'secret-of-the-log';
    const store = await log.openHost({ url: url.href, retryForMs: 50 });
    way.way = 'cut';
    const failures = await Promise.allSettled([
      store.append(newAppend()),
      store.read(newAppend().stream),
      store.head(),
      openPostgresEventStore({ url: url.href }),
    ]);
    for (const failure of failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
      if (failure.status === 'rejected') expect(String(failure.reason)).not.toContain('secret');
    }
    way.way = 'open';
    await vi.waitUntil(async () => (await store.append(newAppend())).outcome === 'appended', WAIT);
  });

  it.each([1, 200])('a host that is killed has lost nothing of %i commands', async (count) => {
    const log = await newLog();
    const appender = new Appender(log.url, WRITERS);
    appenders.push(appender);
    await appender.acknowledged(count);
    const acknowledged = await appender.kill();
    const store = await log.openHost();
    // Its transaction may still be running: the locks end with it.
    const kept = new Map<string, number>();
    for (const event of await wholeLog(store)) {
      kept.set(event.commandId, (kept.get(event.commandId) ?? 0) + 1);
    }
    for (const command of acknowledged) expect(kept.get(command)).toBe(EVENTS_PER_APPEND);
    for (const events of kept.values()) expect(events).toBe(EVENTS_PER_APPEND);
    expect(await store.append(newAppend())).toMatchObject({ outcome: 'appended' });
  });
});

describe('postgres: refusals of the server', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['53100', 'full'],
    ['25006', 'read-only'],
    ['42501', 'read-only'],
    ['XX001', 'corrupt'],
    ['42P01', 'corrupt'],
    ['54000', 'too-large'],
    ['53200', 'unavailable'],
    ['40P01', 'unavailable'],
    ['57014', 'unavailable'],
    ['F0000', 'unavailable'],
  ])('%s is reported as %s, and the next append succeeds', async (state, code) => {
    const log = await newLog();
    const store = await log.openHost({ retryForMs: 50 });
    const client = await log.connect();
    const raise = `RAISE EXCEPTION 'as the test wants it' USING ERRCODE = '${state}'`;
    await beforeEventOfType(client, 'Refused', raise);
    const failed = store.append(appendOf({ type: 'Refused' }));
    await expect(failed).rejects.toMatchObject({ name: 'EventStoreError', code });
    expect(await store.append(newAppend())).toMatchObject({ outcome: 'appended' });
    expect(await wholeLog(store)).toHaveLength(1);
  });

  it('an append that the server cannot store fails alone', async () => {
    const log = await newLog();
    const store = await log.openHost();
    const client = await log.connect();
    const raise = `RAISE EXCEPTION 'not a number' USING ERRCODE = '22003'`;
    await beforeEventOfType(client, 'Poison', raise);
    const answers = await Promise.allSettled([
      store.append(newAppend()),
      store.append(appendOf({ type: 'Poison' })),
      store.append(newAppend()),
    ]);
    expect(answers).toMatchObject([
      { value: { outcome: 'appended' } },
      { reason: { name: 'TypeError' } },
      { value: { outcome: 'appended' } },
    ]);
    expect(await wholeLog(store)).toHaveLength(2);
  });

  it('tries again what passes', async () => {
    const log = await newLog();
    const store = await log.openHost();
    const client = await log.connect();
    await client.query('CREATE SEQUENCE tries');
    const raise = `IF nextval('tries') < 4 THEN
      RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF`;
    await beforeEventOfType(client, 'Late', raise);
    expect(await store.append(appendOf({ type: 'Late' }))).toMatchObject({ outcome: 'appended' });
    expect(await wholeLog(store)).toHaveLength(1);
  });

  it('follows on when there is room again to look at the log', async () => {
    const log = await newLog();
    const store = await log.openHost({ pollIntervalMs: 10 });
    const client = await log.connect();
    const { rows } = await client.query<{ made: string }>(
      `SELECT pg_get_functiondef('counterfoil_log.settled_head'::regproc) AS made`,
    );
    const next = store.subscribe()[Symbol.asyncIterator]().next();
    await client.query('CREATE SEQUENCE looks');
    await client.query(`
      CREATE OR REPLACE FUNCTION counterfoil_log.settled_head(
        OUT transaction bigint, OUT ordinal int, OUT is_newest boolean
      ) LANGUAGE plpgsql AS $function$
      BEGIN
        PERFORM nextval('looks');
        RAISE EXCEPTION 'as the test wants it' USING ERRCODE = '53100';
      END $function$`);
    await vi.waitUntil(async () => {
      const { rowCount } = await client.query('SELECT FROM looks WHERE last_value > 1');
      return rowCount === 1;
    }, WAIT);
    await client.query(rows[0]?.made ?? '');
    expect(await store.append(newAppend())).toMatchObject({ outcome: 'appended' });
    expect(await next).toMatchObject({ done: false });
  });

  it('never changes an event', async () => {
    const log = await newLog();
    const store = await log.openHost();
    await store.append(newAppend());
    const client = await log.connect();
    for (const change of [
      `UPDATE counterfoil_log.events SET data = '{}'`,
      'DELETE FROM counterfoil_log.events',
      'TRUNCATE counterfoil_log.events',
    ]) {
      await expect(client.query(change)).rejects.toThrow('events are never changed');
    }
  });
});

describe('postgres: opening a log says what to do', { timeout: TIMEOUT_MS }, () => {
  const wrong: readonly (readonly [string, (url: URL) => void, string])[] = [
    ['a user', (url) => Object.assign(url, { username: 'other' }), 'correct the user or the pass'],
    ['a database', (url) => Object.assign(url, { pathname: '/none' }), 'create the database'],
    ['TLS', (url) => url.searchParams.set('sslmode', 'require'), 'take sslmode out of the URL'],
    ['a port', (url) => Object.assign(url, { port: '9' }), 'start the server, or correct the URL'],
  ];
  it.each(wrong)('about %s', async (_what, spoil, advice) => {
    const { url: text } = await newLog();
    const url = new URL(text);
    url.password = 'hunter2';
    spoil(url);
    const opening = openPostgresEventStore({ url: url.href });
    const error: unknown = await opening.catch((reason) => reason);
    expect(error).toMatchObject({ name: 'EventStoreError', code: 'unavailable' });
    expect(String((error as Error).message)).toContain(advice);
    expect(String((error as Error).stack)).not.toContain('hunter2');
  });
});

describe('postgres: requests', { timeout: TIMEOUT_MS }, () => {
  it('refuses an append that is too large, and that alone', async () => {
    const log = await newLog();
    const store = await log.openHost();
    const answers = await Promise.allSettled([
      store.append(newAppend()),
      store.append(appendOf({ data: 'x'.repeat(65 * 1024 * 1024) })),
      store.append(newAppend()),
    ]);
    expect(answers).toMatchObject([
      { value: { outcome: 'appended' } },
      { reason: { code: 'too-large' } },
      { value: { outcome: 'appended' } },
    ]);
    expect(await wholeLog(store)).toHaveLength(2);
  });

  it('takes the longest names that it promises, and many large appends at once', async () => {
    const log = await newLog();
    const store = await log.openHost();
    const longest = newAppend(1, {
      stream: Array.from({ length: 1_024 / 32 }, () => crypto.randomUUID().slice(0, 32)).join(
        '',
      ) as AppendRequest['stream'],
    });
    expect(await store.append(longest)).toMatchObject({ outcome: 'appended' });
    const data = JSON.stringify('größe '.repeat(300_000));
    const requests = Array.from({ length: 6 }, () => appendOf({ data }));
    await Promise.all(requests.map((request) => store.append(request)));
    for (const { stream } of requests) expect((await store.read(stream))[0]?.data).toBe(data);
  });

  it('readers and many subscriptions share one connection without a deadlock', async () => {
    const log = await newLog();
    const store = await log.openHost({ poolSize: 1 });
    const requests = Array.from({ length: 4 }, () => newAppend(2));
    for (const request of requests) await store.append(request);
    const readAll = async () => {
      let read = 0;
      for await (const batch of store.subscribe({ untilHead: true, batchSize: 3 })) {
        for (const { stream } of batch) read += (await store.read(stream)).length;
      }
      return read;
    };
    expect(await Promise.all(Array.from({ length: 12 }, readAll))).toEqual(Array(12).fill(16));
  });
});

describe('postgres: schema', { timeout: TIMEOUT_MS }, () => {
  it('is made once, however many open an empty database at the same time', async () => {
    const log = await newLog();
    const stores = await Promise.all(Array.from({ length: 4 }, () => log.openHost()));
    await Promise.all(stores.map((store) => store.append(newAppend())));
    expect(await wholeLog(stores[0] as EventStore)).toHaveLength(4);
  });

  it('is refused when a newer build has made it', async () => {
    const log = await newLog();
    await (await log.openHost()).close();
    const client = await log.connect();
    await client.query(
      `INSERT INTO counterfoil_log.migrations (name, timestamp) VALUES ('2099-01-01-more', 'x')`,
    );
    await expect(openPostgresEventStore({ url: log.url })).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('2099-01-01-more'),
    });
  });

  it('keeps logs in different schemas apart, and refuses a name that needs quotes', async () => {
    const log = await newLog();
    const [one, two] = [
      await log.openHost({ schema: 'one' }),
      await log.openHost({ schema: 'two' }),
    ];
    const request = newAppend();
    await one.append(request);
    expect(await wholeLog(two)).toEqual([]);
    expect(await two.append(request)).toMatchObject({ outcome: 'appended' });
    await expect(log.openHost({ schema: 'No; DROP' })).rejects.toThrow(RangeError);
  });
});
