/** Where activity is kept: pages by any filter are those of all records, of one tenant alone; wherever it is kept. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { uuidV7 } from '@counterfoil/engine';
import { ActivityStore } from '@counterfoil/engine/storage';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostDatabaseOfFile } from '../setup/host-database.ts';
import { casesOfProject } from '../setup/stores.ts';

type Place = ConstructorParameters<typeof ActivityStore>[0];
type Query = Parameters<ActivityStore['page']>[0];
type Filter = Omit<Query, 'tenantId' | 'environment' | 'limit' | 'after'>;
type Owned = Parameters<ActivityStore['add']>[0][number];

const hostDatabase = hostDatabaseOfFile();

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-activity-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'activity.db');
}

const PLACES = casesOfProject<readonly [string, () => Place]>({
  embedded: [
    ['memory', () => ':memory:'],
    ['a file', newFile],
  ],
  postgres: [['PostgreSQL', () => hostDatabase().pool]],
});

const HOUR_MS = 3_600_000;
const FIRST_MS = Date.parse('2026-03-01T00:00:00.000Z');
const DAYS = ['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03', '9999-12-31', '0001-01-01'];
const MOST_PAGES = 100;
const OUTCOMES = ['done', 'refused', 'failed', 'replayed'] as const;
const ACTIONS = ['payments.submit', 'payments.refund', 'keys.revoke'];
const IDS = ['one', 'two', 'three'];
/** No run has the tenants of another one: the stores are shared. */
let tenants = 0;

const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const arbitrary = {
  hour: fc.integer({ min: 0, max: 71 }),
  isOther: fc.boolean(),
  environment: oneOf(['live', 'live', 'test'] as const),
  actor: oneOf(IDS),
  keyId: fc.option(oneOf(IDS)),
  action: oneOf(ACTIONS),
  subject: fc.option(oneOf(IDS)),
  outcome: oneOf(OUTCOMES),
};
/** Mostly not: hardly any record matches many filters. */
const maybe = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const filterOf = fc.record({
  actor: maybe(oneOf(IDS)),
  keyId: maybe(oneOf(IDS)),
  action: maybe(oneOf(ACTIONS)),
  subject: maybe(oneOf(IDS)),
  outcome: maybe(oneOf(OUTCOMES)),
  dateFrom: maybe(oneOf(DAYS)),
  dateTo: maybe(oneOf(DAYS)),
});

function recordOf(drawn: Partial<Owned> & { readonly hour?: number }): Owned {
  const { hour = 0, ...more } = drawn;
  const atMs = FIRST_MS + hour * HOUR_MS;
  return {
    id: uuidV7({ msecs: atMs, seq: 0 }),
    at: new Date(atMs).toISOString(),
    tenantId: 7 as Owned['tenantId'],
    environment: 'live',
    actor: 'one',
    keyId: null,
    requestId: null,
    action: 'payments.submit',
    subject: null,
    outcome: 'done',
    code: null,
    remoteAddress: null,
    ...more,
  };
}

function matches(record: Owned, { dateFrom = '', dateTo = '9', ...filter }: Filter): boolean {
  const day = record.at.slice(0, 10);
  if (day < dateFrom || day > dateTo) return false;
  return Object.entries(filter).every(
    ([name, value]) => value === undefined || record[name as keyof Owned] === value,
  );
}

async function allOf(store: ActivityStore, query: Omit<Query, 'limit'>, limit: number) {
  const all = [];
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await store.page({ ...query, after, limit });
    all.push(...page);
    after = page.at(-1)?.id;
    if (after === undefined) return all;
  }
  throw new Error('the pages do not end');
}

describe.each(PLACES)('activity in %s', (_, placeOf) => {
  function open(): ActivityStore {
    const store = new ActivityStore(placeOf());
    onTestFinished(() => store.close());
    return store;
  }

  it('is found by any filter as by looking at all of it, of its tenant and environment alone', async () => {
    const store = open();
    const drawn = fc.array(fc.record(arbitrary), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        drawn,
        filterOf,
        fc.integer({ min: 1, max: 7 }),
        async (all, filter, limit) => {
          tenants += 2;
          const own = tenants as Owned['tenantId'];
          const records = all.map(({ isOther, ...each }) =>
            recordOf({ ...each, tenantId: (own + (isOther ? 1 : 0)) as typeof own }),
          );
          await store.add(records);
          const expected = records
            .filter(({ tenantId, environment }) => tenantId === own && environment === 'live')
            .filter((each) => matches(each, filter))
            .map(({ id }) => id)
            .toSorted()
            .toReversed();
          const query = { ...filter, tenantId: own, environment: 'live' } as const;
          const found = await allOf(store, query, limit);
          expect(found.map(({ id }) => id)).toEqual(expected);
        },
      ),
    );
  });

  it('has what was written, once', async () => {
    const store = open();
    tenants += 2;
    const record = recordOf({
      tenantId: tenants as Owned['tenantId'],
      keyId: 'a key',
      requestId: 'a request',
      subject: 'a payment',
      outcome: 'refused',
      code: 'refund_exceeds_refundable',
      remoteAddress: '::1',
    });
    // As after a commit whose answer was lost.
    await store.add([record]);
    await store.add([record]);
    const { tenantId, ...shown } = record;
    const found = await store.page({ tenantId, environment: 'live', limit: 10 });
    expect(found).toEqual([shown]);
  });

  it('is removed from before an instant, the oldest first', async () => {
    const store = open();
    tenants += 2;
    const tenantId = tenants as Owned['tenantId'];
    // Before those of other tests.
    const hours = [-5_000, -4_000, -3_000, -2_000];
    await store.add(hours.map((hour) => recordOf({ hour, tenantId })));
    const before = FIRST_MS - 2_000 * HOUR_MS;
    expect(await store.removeBefore(before, 2)).toBe(2);
    expect(await store.removeBefore(before, 2)).toBe(1);
    const left = await store.page({ tenantId, environment: 'live', limit: 10 });
    expect(left.map(({ at }) => Date.parse(at))).toEqual([before]);
  });
});

describe.runIf(PLACES.length > 1)('the thread that writes a file', () => {
  const idsIn = async (store: ActivityStore) => {
    const tenantId = 7 as Owned['tenantId'];
    const found = await store.page({ tenantId, environment: 'live', limit: 10 });
    return found.map(({ id }) => id);
  };

  it('writes what was asked for before it is closed, and nothing afterwards', async () => {
    const path = newFile();
    const store = new ActivityStore(path);
    const [first, late] = [recordOf({}), recordOf({})];
    const adding = store.add([first]);
    await store.close();
    await adding;
    await expect(store.add([late])).rejects.toThrow('no more activity is written');
    expect(existsSync(`${path}-wal`)).toBe(false);
    const again = new ActivityStore(path);
    onTestFinished(() => again.close());
    expect(await idsIn(again)).toEqual([first.id]);
  });

  it('says when it has failed, and another one takes its place', async () => {
    const path = newFile();
    const store = new ActivityStore(path);
    onTestFinished(() => store.close());
    rmSync(path);
    mkdirSync(path);
    const record = recordOf({});
    const failing = [store.add([record]), store.add([recordOf({})])];
    for (const each of failing) await expect(each).rejects.toThrow('has ended');
    rmSync(path, { recursive: true });
    const again = new ActivityStore(path);
    onTestFinished(() => again.close());
    await store.add([record]);
    expect(await idsIn(again)).toEqual([record.id]);
  });

  it('writes all of a batch or nothing', async () => {
    const store = new ActivityStore(newFile());
    onTestFinished(() => store.close());
    const [sound, broken] = [recordOf({}), recordOf({ actor: null as never })];
    await expect(store.add([sound, broken])).rejects.toThrow('NOT NULL');
    expect(await idsIn(store)).toEqual([]);
    await store.add([sound]);
    expect(await idsIn(store)).toEqual([sound.id]);
  });
});

/** The plan of each filter in a file, which a database chooses without statistics. */
it.runIf(PLACES.length > 1)('uses the index of each filter', async () => {
  const path = newFile();
  await new ActivityStore(path).close();
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const scoped = 'tenant_id = 7 AND environment = ? AND id < ?';
  const planOf = (where: string) =>
    database
      .prepare(`EXPLAIN QUERY PLAN SELECT * FROM activity WHERE ${where} ORDER BY id DESC LIMIT 9`)
      .all('live', 'g')
      .map(({ detail }) => String(detail));
  for (const [where, index] of [
    ['', 'time'],
    [`AND actor = 'a'`, 'actor'],
    [`AND key_id = 'a' AND (action || '') = 'b'`, 'key'],
    [`AND action = 'a'`, 'action'],
    [`AND subject = 'a' AND (key_id || '') = 'b'`, 'subject'],
    [`AND outcome = 'refused' AND outcome <> 'done'`, 'outcome'],
  ]) {
    const plan = planOf(`${scoped} ${where}`);
    expect(plan).toEqual([expect.stringContaining(`USING INDEX activity_by_${index} `)]);
  }
});
