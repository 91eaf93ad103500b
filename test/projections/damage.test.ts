/** Read models whose files have changed on the disk: the truth or an error, and never anything else. */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Subscription, streamName, type Transaction } from '@counterfoil/core';
import { subscriptionHistory } from '@counterfoil/core/testing';
import {
  alertDeadlines,
  bringUpToDate,
  DetailView,
  dueRebills,
  EntryView,
  LedgerView,
  openIntents,
  openSqliteReadModelStore,
  PROJECTIONS,
  paymentExpiries,
  pendingRebills,
  ReadModelError,
  type ReadModelStore,
  RecurringView,
  ReferenceView,
  reserveReleases,
  rollBack,
  runProjections,
  type SearchFilter,
  SearchView,
  SubscriptionView,
  transactions,
} from '@counterfoil/projections';
import { syntheticPayment } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { append, NOW, paymentStream, TENANT, type World, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

const PAYMENTS = 60;
const TENANTS = 2;
/** Few customers, currencies and tenants among them, so that there are pages of each. */
const LIVES = fc.sample(subscriptionHistory(12), { seed: 7, numRuns: PAYMENTS });
const CURRENCIES = ['GBP', 'EUR'];
/** Of each property; `FAULT_RUNS=500` looks longer. */
const RUNS = Number(process.env['FAULT_RUNS'] ?? '2') * 10;
const TIMEOUT_MS = 60_000 + RUNS * 500;
const HEADER_BYTES = 100;
const REFUSED = 'refused: ';

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-damage-'));
const path = join(folder, 'rm.db');
let here: World;
let questions: readonly Question[];

/** What is asked of the read models, and what they answered while they were sound. */
interface Question {
  readonly about: string;
  readonly ask: (store: ReadModelStore) => Promise<unknown>;
  truth: string;
}

beforeAll(async () => {
  here = world(openSqliteReadModelStore({ path }));
  for (let number = 0; number < PAYMENTS; number += 1) {
    const { stream, tenantId, events } = syntheticPayment(number, {
      payments: PAYMENTS,
      tenants: TENANTS,
    });
    await append(here.events, { stream, tenantId }, events);
  }
  await append(here.events, { stream: paymentStream(A.PAYMENT) }, [A.submitted()]);
  for (const [category, id, event] of A.DEFINITIONS) {
    await append(here.events, { stream: streamName(category, TENANT, id) }, [event]);
  }
  for (const [index, { events }] of LIVES.entries()) {
    const stream = streamName('subscription', TENANT, index + 1);
    await append(
      here.events,
      { stream },
      events.map((event) => ofFew(event, index)),
    );
  }
  await here.catchUp();
  await here.store.close();
  questions = questionsOf();
  const store = openSqliteReadModelStore({ path, readOnly: true });
  for (const question of questions) question.truth = textOf(await question.ask(store));
  await store.close();
}, TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true }));

function ofFew(event: Subscription.Event, index: number): Subscription.Event {
  const currency = CURRENCIES[index % CURRENCIES.length] ?? 'GBP';
  const counted = 'currency' in event ? { ...event, currency } : event;
  return counted.type === 'SubscriptionStarted'
    ? { ...counted, subscriptionId: index + 1, customerId: 1 + (index % 5), sandbox: false }
    : counted;
}

function questionsOf(): Question[] {
  const asked: Question[] = [];
  const add = (about: string, ask: Question['ask']) => asked.push({ about, ask, truth: '' });
  for (let number = 0; number < PAYMENTS; number += 3) {
    const { tenantId, events } = syntheticPayment(number, { payments: PAYMENTS, tenants: TENANTS });
    const { transactionId: id } = events[0] as Transaction.EventOf<'PaymentSubmitted'>;
    add(`detail ${id}`, (store) => viewsOf(store).detail.detail({ tenantId, id, now: NOW }));
    add(`record ${id}`, (store) => viewsOf(store).search.record(tenantId, id, NOW));
    add(`entries ${id}`, (store) =>
      new EntryView(store).entriesOf(paymentStream(id, tenantId), 100),
    );
  }
  for (const [index, filter] of filters().entries()) {
    for (let tenantId = 1; tenantId <= TENANTS + 1; tenantId += 1) {
      const query = { tenantId, filter, limit: 100, now: NOW };
      add(`search ${index} of ${tenantId}`, (store) => viewsOf(store).search.search(query));
      const deep = { ...query, limit: 5, pageNumber: 3 };
      add(`page 3 of ${index} of ${tenantId}`, (store) => viewsOf(store).search.search(deep));
    }
  }
  for (let tenantId = 1; tenantId <= TENANTS; tenantId += 1) {
    const books = { tenantId, sandbox: false };
    add(`balance ${tenantId}`, (store) => new LedgerView(store).trialBalance(books));
    add(`accounts ${tenantId}`, (store) =>
      new LedgerView(store).accounts({ ...books, limit: 50 } as never),
    );
  }
  for (let id = 1; id <= PAYMENTS; id += 4) {
    add(`subscription ${id}`, (store) => new SubscriptionView(store).subscription(TENANT, id));
  }
  for (let customerId = 1; customerId <= 6; customerId += 1) {
    const customer = { tenantId: TENANT, sandbox: false, customerId, limit: 100 };
    add(`customer ${customerId}`, (store) => new SubscriptionView(store).ofCustomer(customer));
  }
  const range = { tenantId: TENANT, sandbox: false, from: '2000-01', to: '2009-12' };
  add('recurring', (store) => new RecurringView(store).months(range));
  const due = { now: '2050-01-01T00:00:00.000Z', limit: 100 };
  add('due rebills', (store) => dueRebills(store, due));
  const lists = { openIntents, alertDeadlines, reserveReleases, paymentExpiries, pendingRebills };
  for (const [about, work] of Object.entries(lists)) {
    add(about, (store) => work(store, { limit: 100 }));
  }
  return asked;
}

function textOf(answer: unknown): string {
  const text = JSON.stringify(answer, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : (value as unknown),
  );
  return text ?? 'nothing';
}

function filters(): readonly SearchFilter[] {
  const { events } = syntheticPayment(0, { payments: PAYMENTS, tenants: TENANTS });
  const payment = events[0] as Transaction.EventOf<'PaymentSubmitted'>;
  return [
    { dateFrom: '2020-01-01' },
    { dateFrom: '2025-03-01', dateTo: '2025-06-01', includeUpdated: true },
    { currency: 'GBP' },
    { emails: [payment.email] },
    { firstName: 'Ada' },
    { lastName: 'Hopper', currency: 'EUR' },
    { applicationIds: [payment.applicationId, 100] },
    { companyIds: [payment.companyId] },
    { orderIds: [payment.orderId] },
    { transactionIds: [payment.transactionId] },
    { kinds: [1, 2, 3], bin: payment.card?.bin.slice(0, 6) ?? '' },
    { descriptorContains: 'sho' },
    { descriptorContains: 'p' },
  ];
}

function viewsOf(store: ReadModelStore) {
  const reference = new ReferenceView(store);
  return { search: new SearchView(store, reference), detail: new DetailView(store, reference) };
}

function copied(): string {
  const copy = mkdtempSync(join(tmpdir(), 'counterfoil-damaged-'));
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** The questions that were answered otherwise, with the answers; errors are as good as the truth. */
async function wrongAnswers(at: string): Promise<readonly string[]> {
  return (await refusedOrWrong(at)).filter((each) => !each.startsWith(REFUSED));
}

async function refusedOrWrong(
  at: string,
  { marksDamage = false } = {},
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const store = openSqliteReadModelStore({ path: at, readOnly: true, marksDamage });
  for (const { about, ask, truth } of questions) {
    try {
      const answer = textOf(await ask(store));
      if (answer !== truth) wrong.push(`${about}: ${answer} instead of ${truth}`);
    } catch (error) {
      // Anything else would be a bug in the caller's view.
      expect(error).toMatchObject({ name: 'ReadModelError' });
      wrong.push(`${REFUSED}${about}: ${(error as Error).message}`);
    }
  }
  await store.close();
  return wrong;
}

/** Whether the start misses the damage, and its worker takes the file over. */
async function looksSound(at: string, name: string): Promise<boolean> {
  const store = openSqliteReadModelStore({ path: at });
  try {
    const database = new DatabaseSync(`${at}-${name}-1`, { readOnly: true });
    const rows = database.prepare('PRAGMA integrity_check').all();
    database.close();
    if (!rows.every((row) => row['integrity_check'] === 'ok')) return false;
    await (await store.live(name))?.fence([{ shard: 0, epoch: Number.MAX_SAFE_INTEGER }]);
    return true;
  } catch {
    return false;
  } finally {
    await store.close();
  }
}

const place = fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000);

describe.each(PROJECTIONS.map(({ name }) => name))('a flipped bit in %s', (name) => {
  it(
    'is the truth or an error, and what is missing is for a start to see',
    async () => {
      const copy = copied();
      onTestFinished(() => rmSync(copy, { recursive: true }));
      const file = join(copy, `rm.db-${name}-1`);
      const sound = readFileSync(file);
      await fc.assert(
        fc.asyncProperty(place, fc.noBias(fc.nat(7)), async (at, bit) => {
          const bytes = Buffer.from(sound);
          const offset = Math.floor(at * bytes.length);
          bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
          writeFileSync(file, bytes);
          const wrong = await wrongAnswers(join(copy, 'rm.db'));
          // What an index does not lead to any more cannot be missed by a read.
          if (wrong.length > 0 && (await looksSound(join(copy, 'rm.db'), name)))
            expect(wrong).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );
});

/** What a start does with the read models, and its worker until it has reached the head of the log. */
async function start(at: string): Promise<readonly string[]> {
  const store = openSqliteReadModelStore({ path: at });
  try {
    const shared = { events: here.events, store, projections: PROJECTIONS, holder: 'test' };
    const options = { ...shared, now: () => Date.parse(NOW) };
    const made = await bringUpToDate(options);
    await runProjections({ ...options, untilHead: true });
    for (const { name } of PROJECTIONS)
      expect(await (await store.live(name))?.isSound()).toBe(true);
    return made.map(({ projection }) => projection);
  } finally {
    await store.close();
  }
}

/** The parts of a file that describe it: its header and its schema. */
function placesOfSchema(bytes: Buffer): readonly number[] {
  const places = Array.from({ length: HEADER_BYTES }, (_, offset) => offset);
  for (let at = bytes.indexOf('CREATE '); at >= 0; at = bytes.indexOf('CREATE ', at + 1)) {
    for (let offset = at - 40; offset < at + 160; offset += 1) places.push(offset);
  }
  return places.filter((offset) => offset >= 0 && offset < bytes.length);
}

/** Where the catalog has anything at all. */
function placesOfCatalog(bytes: Buffer): readonly number[] {
  return [...bytes.keys()].filter((offset) => offset < HEADER_BYTES || bytes[offset] !== 0);
}

describe.each([
  ['rm.db', placesOfCatalog],
  ...PROJECTIONS.map(({ name }) => [`rm.db-${name}-1`, placesOfSchema] as const),
] as const)('a flipped bit in the catalog or the schema: %s', (name, placesOf) => {
  it(
    'is repaired by a start, or by the one after a read that is refused',
    async () => {
      const sound = readFileSync(join(folder, name));
      const places = placesOf(sound);
      const [, own] = /^rm\.db-([a-z_]+)-1$/.exec(name) ?? [];
      await fc.assert(
        fc.asyncProperty(place, fc.noBias(fc.nat(7)), async (at, bit) => {
          const copy = copied();
          const path = join(copy, 'rm.db');
          const bytes = Buffer.from(sound);
          const offset = places[Math.floor(at * places.length)] ?? 0;
          bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
          writeFileSync(join(copy, name), bytes);
          // Beside it, before anybody starts: the truth or an error.
          expect(await wrongAnswers(path)).toEqual([]);
          const made = await startedAgain(path);
          if (own !== undefined) expect([[], [own]]).toContainEqual(made);
          // Damage that a start does not come upon is what the reads of a host refuse, once.
          const met = await refusedOrWrong(path, { marksDamage: true });
          expect(met.filter((each) => !each.startsWith(REFUSED))).toEqual([]);
          if (met.length > 0) {
            await startedAgain(path);
            expect(await refusedOrWrong(path)).toEqual([]);
          }
          rmSync(copy, { recursive: true });
        }),
        { numRuns: Math.ceil(RUNS / 3) },
      );
    },
    TIMEOUT_MS,
  );
});

it('a catalog with a name that is no text is replaced by a start', async () => {
  const copy = copied();
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const path = join(copy, 'rm.db');
  const bytes = readFileSync(path);
  for (
    let at = bytes.indexOf('transactions');
    at >= 0;
    at = bytes.indexOf('transactions', at + 1)
  ) {
    // It stays the last one, so that the order of the keys shows nothing.
    bytes.writeUInt8(bytes.readUInt8(at) | 0x80, at);
  }
  writeFileSync(path, bytes);
  expect(await start(path)).toContain('transactions');
  expect(await refusedOrWrong(path)).toEqual([]);
});

/** What a write meets first is healed by the next start: the host's thread begins again by itself. */
async function startedAgain(path: string): Promise<readonly string[]> {
  try {
    return await start(path);
  } catch (error) {
    if (!(error instanceof ReadModelError) || error.code !== 'damaged') throw error;
    return start(path);
  }
}

/** Changes every copy of a text in a file: pages that were split may hold a row's bytes twice. */
function respell(file: string, from: string, to: string): void {
  const text = readFileSync(file).toString('latin1');
  expect(text).toContain(from);
  writeFileSync(file, Buffer.from(text.replaceAll(from, to), 'latin1'));
}

describe('a build under the name of another', () => {
  it('is refused by readers, and both are rebuilt', async () => {
    const copy = copied();
    onTestFinished(() => rmSync(copy, { recursive: true }));
    const at = join(copy, 'rm.db');
    const [ledger, reference] = [`${at}-ledger-1`, `${at}-reference-1`];
    renameSync(ledger, `${at}-aside`);
    renameSync(reference, ledger);
    renameSync(`${at}-aside`, reference);
    const reader = openSqliteReadModelStore({ path: at, readOnly: true });
    for (const name of ['ledger', 'reference']) {
      await expect(reader.live(name)).rejects.toMatchObject({
        code: 'damaged',
        message: expect.stringMatching(`this is .*, and not ${name} `),
      });
    }
    await reader.close();
    const store = openSqliteReadModelStore({ path: at });
    onTestFinished(() => store.close());
    const shared = { events: here.events, store, projections: PROJECTIONS, holder: 'test' };
    const made = await bringUpToDate({ ...shared, now: () => Date.parse(NOW) });
    expect(made.map(({ projection }) => projection).sort()).toEqual(['ledger', 'reference']);
    expect(await wrongAnswers(at)).toEqual([]);
    // Nothing leads back to it.
    const projection = PROJECTIONS.find(({ name }) => name === 'ledger');
    expect(await rollBack(store, projection ?? transactions)).toBeUndefined();
  });
});

describe('a text that has changed', () => {
  const search = { tenantId: 1, filter: { emails: ['Ada@Example.test'] }, now: NOW };

  async function damaged(): Promise<string> {
    const copy = copied();
    onTestFinished(() => rmSync(copy, { recursive: true }));
    respell(join(copy, 'rm.db-transactions-1'), '"Ada@Example.test"', '"Eva@Example.test"');
    return join(copy, 'rm.db');
  }

  it('is an error for its readers; other reads succeed', async () => {
    const at = await damaged();
    const store = openSqliteReadModelStore({ path: at, readOnly: true });
    const views = viewsOf(store);
    const refusal = { name: 'ReadModelError', code: 'damaged' };
    await expect(views.search.search(search)).rejects.toMatchObject(refusal);
    const detail = views.detail.detail({ tenantId: 1, id: A.PAYMENT, now: NOW });
    await expect(detail).rejects.toMatchObject(refusal);
    await expect((await store.live('transactions'))?.summary()).rejects.toMatchObject(refusal);
    await store.close();
    expect(await wrongAnswers(at)).toEqual([]);
    // A reader that was not asked to mark the damage left no trace of it.
    const again = openSqliteReadModelStore({ path: at });
    expect(await (await again.live('transactions'))?.isSound()).toBe(true);
    await again.close();
  });

  it('ends the worker, and the next start rebuilds it', async () => {
    const at = await damaged();
    const reader = openSqliteReadModelStore({ path: at, readOnly: true, marksDamage: true });
    const store = openSqliteReadModelStore({ path: at });
    onTestFinished(async () => {
      await reader.close();
      await store.close();
    });
    const shared = { events: here.events, store, projections: PROJECTIONS, holder: 'test' };
    const options = { ...shared, now: () => Date.parse(NOW) };
    const following = runProjections(options);
    const refused = expect(following).rejects.toMatchObject({ code: 'damaged' });
    await expect(viewsOf(reader).search.search(search)).rejects.toThrow();
    await refused;
    expect((await bringUpToDate(options)).map(({ projection }) => projection)).toEqual([
      'transactions',
    ]);
    const live = await store.live('transactions');
    expect([live?.info.build, await live?.isSound()]).toEqual([2, true]);
    expect(await viewsOf(reader).search.search(search)).toMatchObject({ count: 1 });
    // Nothing leads back to the damaged one.
    expect(await rollBack(store, transactions)).toBeUndefined();
    await store.dropBuild('transactions', 1);
    expect(readdirSync(join(at, '..')).filter((each) => each.includes('-1-damaged'))).toEqual([]);
  });

  it('as the checkpoint causes a rebuild', async () => {
    const copy = copied();
    onTestFinished(() => rmSync(copy, { recursive: true }));
    const at = join(copy, 'rm.db');
    const position = (await here.events.head()) ?? '';
    const other = `${position.slice(0, -1)}${Number(position.slice(-1)) === 0 ? 1 : 0}`;
    respell(`${at}-ledger-1`, position, other);
    const store = openSqliteReadModelStore({ path: at });
    onTestFinished(() => store.close());
    const shared = { events: here.events, store, projections: PROJECTIONS, holder: 'test' };
    const rebuilt = await bringUpToDate({ ...shared, now: () => Date.parse(NOW) });
    expect(rebuilt.map(({ projection }) => projection)).toEqual(['ledger']);
  });
});

/** Changes what a sound database says, as no flipped bit could: each index agrees with its table. */
function edit(at: string, sql: string): void {
  const database = new DatabaseSync(`${at}-transactions-1`);
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  database.close();
}

describe('an index that has changed', () => {
  async function edited(sql: string): Promise<ReadModelStore> {
    const copy = copied();
    const at = join(copy, 'rm.db');
    edit(at, sql);
    const store = openSqliteReadModelStore({ path: at });
    onTestFinished(async () => {
      await store.close();
      rmSync(copy, { recursive: true });
    });
    return store;
  }

  it.each([
    ['f_currency', { currency: 'GBP' }],
    ['f_kind', { kinds: [2] }],
    ['part', { dateFrom: '2020-01-01' }],
  ])('to lead to records that were not asked for (%s) is noticed', async (column, filter) => {
    const one = `(SELECT ${column} FROM records WHERE key = '1/${A.PAYMENT}')`;
    const store = await edited(`UPDATE records SET ${column} = ${one}`);
    const search = viewsOf(store).search.search({ tenantId: 1, filter, limit: 100, now: NOW });
    await expect(search).rejects.toMatchObject({ code: 'damaged' });
  });

  const lostTrigrams = `INSERT INTO descriptors_grep (descriptors_grep, rowid, body)
    SELECT 'delete', id, body FROM descriptors LIMIT 1`;
  it.each([
    ['trigrams', lostTrigrams],
    ['eras', 'DELETE FROM records_eras WHERE no = (SELECT min(no) FROM records_eras)'],
  ])('of its %s stops the next owner of the build', async (_, sql) => {
    const store = await edited(sql);
    const live = await store.live('transactions');
    await expect(live?.fence([{ shard: 0, epoch: 99 }])).rejects.toMatchObject({ code: 'damaged' });
    expect(await live?.isSound()).toBe(false);
  });
});
