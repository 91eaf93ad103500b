/** Projections of an application's own, on each storage: written, rebuilt, parked, erased, asked. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantId } from '@counterfoil/core';
import {
  defineProjection,
  type Ledger,
  openLedger,
  type ProjectionDefinition,
  type Storage,
  silentLogger,
} from '@counterfoil/engine';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDatabase } from '../setup/databases.ts';
import { casesOfProject } from '../setup/stores.ts';
import { order, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const DAY = new Date().toISOString().slice(0, 10);
const TIMEOUT_MS = 60_000;

function salesPerDay(version = '1') {
  return defineProjection({
    name: 'sales-per-day',
    version,
    types: ['PaymentCaptured', 'Refunded'],
    initial: { version, sales: 0, takenMinor: 0n },
    keysOf: ({ event }) => [`${event.currency}/${event.at.slice(0, 10)}`],
    apply: (row, { event }) =>
      event.type === 'PaymentCaptured'
        ? { ...row, sales: row.sales + 1, takenMinor: row.takenMinor + event.amountMinor }
        : { ...row, takenMinor: row.takenMinor - event.amountMinor },
  });
}

interface Buyer {
  readonly customerId: number | undefined;
  readonly email: string;
  readonly payments: number;
}

const BUYERS: ProjectionDefinition<Buyer, 'PaymentSubmitted'> = {
  name: 'buyers',
  version: '1',
  types: ['PaymentSubmitted'],
  initial: { customerId: undefined, email: '', payments: 0 },
  keysOf: ({ event }) => [String(event.customerId)],
  apply: (row, { event: { customerId, email } }) => ({
    customerId,
    email,
    payments: row.payments + 1,
  }),
  personal: {
    customerIdOf: ({ customerId }) => customerId,
    erase: (row) => ({ ...row, email: '' }),
  },
};

function buyers({ isPersonal = true } = {}) {
  if (isPersonal) return defineProjection(BUYERS);
  const { personal, ...nameless } = BUYERS;
  return defineProjection({ ...nameless, name: 'nameless-buyers' });
}

const AMOUNTS: ProjectionDefinition<number, 'PaymentCaptured'> = {
  name: 'payments-by-amount',
  version: '1',
  types: ['PaymentCaptured'],
  initial: 0,
  keysOf: ({ event }) => [`${event.amountMinor % 2n}/${event.amountMinor}`],
  apply: (row) => row + 1,
};
const byAmount = defineProjection(AMOUNTS);

const picky = defineProjection({
  name: 'picky',
  version: '1',
  types: ['PaymentCaptured'],
  initial: 0,
  keysOf: () => ['all'],
  apply(row, { event }) {
    if (event.amountMinor === 1_300n) throw new Error('no thirteen');
    return row + 1;
  },
});

/** What an event, by its amount, makes of the key or of the row. */
const FAULTS: readonly {
  readonly keys?: unknown;
  readonly row?: (rows: number) => unknown;
  readonly error: RegExp;
}[] = [
  { keys: ['é'.repeat(250)], error: /own-strict: the key "é{60}" must have at most 500 bytes/ },
  { keys: ['a\0b'], error: /own-strict: the key "a\\u0000b" must not have the character NUL/ },
  { keys: ['\ud800'], error: /own-strict: the key "\\ud800" must not have half a surrogate/ },
  { keys: [5], error: /own-strict: the key "5" must be a text/ },
  { keys: 'all', error: /own-strict: keysOf must return an array of texts/ },
  { keys: undefined, error: /own-strict: keysOf must return an array of texts/ },
  { row: async (rows) => ({ rows }), error: /found a Promise/ },
  { row: () => undefined, error: /found undefined/ },
  { row: () => ({ count: Number.NaN }), error: /found NaN at count/ },
  { row: () => [1, [Number.POSITIVE_INFINITY]], error: /found Infinity at 1\.0/ },
  { row: () => ({ at: new Date() }), error: /found a Date at at/ },
  { row: () => ({ seen: { by: new Map() } }), error: /found a Map at seen\.by/ },
  { row: () => new Set(), error: /found a Set/ },
  { row: () => ({ toJSON: () => 1 }), error: /found function at toJSON/ },
  { row: () => [undefined], error: /found undefined at 0/ },
  { row: () => new (class Points {})(), error: /found a Points/ },
  {
    row() {
      const row: Record<string, object> = {};
      for (const name of ['self', 'too', 'also']) row[name] = [row];
      return row;
    },
    error: /found a cycle at self\.0/,
  },
];
const FIRST_FAULT_MINOR = 2_000;

interface Strict {
  readonly rows: number;
  readonly total: bigint;
  readonly left?: string | undefined;
  readonly fake: object;
}

const FAKES = {
  $bigint: '5',
  also: [{ $bigint: '5' }, { $bigint: ['6'] }, { $bigint: { n: 7n } }],
};

const strict = defineProjection({
  name: 'strict',
  version: '1',
  types: ['PaymentCaptured'],
  initial: { rows: 0, total: 0n, fake: {} } as Strict,
  keysOf({ event }) {
    const fault = FAULTS[Number(event.amountMinor) - FIRST_FAULT_MINOR];
    return fault !== undefined && 'keys' in fault ? (fault.keys as string[]) : ['all'];
  },
  apply({ rows, total }, { event }) {
    const fault = FAULTS[Number(event.amountMinor) - FIRST_FAULT_MINOR];
    const row = { rows: rows + 1, total: total + event.amountMinor, left: undefined, fake: FAKES };
    return fault?.row === undefined ? row : (fault.row(rows) as Strict);
  },
});

/** Keyed by what an erasure removes. */
const byEmail = defineProjection({
  ...BUYERS,
  name: 'by-email',
  keysOf: ({ event }) => [event.email],
});

const masterKey = randomBytes(32);

/** A storage of its own, and what removes it. */
type NewStorage = () => Promise<{ readonly storage: Storage; readonly drop: () => unknown }>;

async function newFolder() {
  const storage = mkdtempSync(join(tmpdir(), 'counterfoil-own-'));
  return { storage, drop: () => rmSync(storage, { recursive: true, force: true }) };
}

async function newPostgres() {
  const { url, drop } = await createDatabase();
  return { storage: { log: url, readModels: url }, drop };
}

const STORAGES = casesOfProject<readonly [string, NewStorage]>({
  embedded: [
    ['memory', async () => ({ storage: 'memory:', drop: () => undefined })],
    ['a folder', newFolder],
  ],
  postgres: [['PostgreSQL', newPostgres]],
});
const DURABLE = STORAGES.filter(([name]) => name !== 'memory');

async function inNewStorage(newStorage: NewStorage): Promise<Storage> {
  const { storage, drop } = await newStorage();
  onTestFinished(async () => void (await drop()));
  return storage;
}

const shopOf = (ledger: Ledger, tenantId = TENANT) => ledger.as({ tenantId, actor: 'shop' });

describe.each(STORAGES)('in %s', { timeout: TIMEOUT_MS }, (_, newStorage) => {
  const sales = salesPerDay();
  const [named, nameless] = [buyers(), buyers({ isPersonal: false })];
  const error = vi.fn();
  let ledger: Ledger;
  let drop: () => unknown;
  let tenants = 0;

  beforeAll(async () => {
    const opening = await newStorage();
    drop = opening.drop;
    ledger = await openLedger({
      storage: opening.storage,
      projections: [sales, byAmount, picky, strict, byEmail, named, nameless],
      masterKey,
      logger: { ...silentLogger, error },
    });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await ledger?.close();
    await drop?.();
  });

  async function newTenant(): Promise<TenantId> {
    tenants += 1;
    const tenantId = TenantId.parse(tenants);
    await withShop(ledger, tenantId);
    return tenantId;
  }

  it('shows one its own writes, and no other tenant or environment', async () => {
    const tenantId = await newTenant();
    const shop = shopOf(ledger, tenantId);
    for (let sale = 1; sale <= 3; sale += 1) {
      const { id } = await shop.payments.submit(order());
      await shop.payments.refund(id, { amount: '10.00' });
      const row = await shop.view(sales).get(`GBP/${DAY}`);
      expect(row).toEqual({ version: '1', sales: sale, takenMinor: 999n * BigInt(sale) });
    }
    const other = shopOf(ledger, await newTenant());
    const tester = ledger.as({ tenantId, actor: 'tester', environment: 'test' });
    for (const each of [other, tester]) expect(await each.view(sales).list()).toEqual([]);
    await tester.payments.submit(order({ amount: '5.00' }));
    expect(await tester.view(sales).list()).toMatchObject([
      { key: `GBP/${DAY}`, row: { takenMinor: 500n } },
    ]);
    expect(await shop.view(sales).list()).toMatchObject([{ row: { sales: 3 } }]);
  });

  it('lists by prefix and in pages', async () => {
    const shop = shopOf(ledger, await newTenant());
    for (const amount of ['1.01', '1.02', '1.03', '1.04']) {
      await shop.payments.submit(order({ amount }));
    }
    const view = shop.view(byAmount);
    expect((await view.list({ prefix: '1/' })).map(({ key }) => key)).toEqual(['1/101', '1/103']);
    const first = await view.list({ limit: 3 });
    const rest = await view.list({ after: first[2]?.key ?? '', limit: 3 });
    expect([...first, ...rest].map(({ key }) => key)).toEqual(['0/102', '0/104', '1/101', '1/103']);
    await expect(view.list({ limit: 1_001 })).rejects.toThrow(/limit must be/);
  });

  it('parks a stream whose event fails, and applies the others', async () => {
    const shop = shopOf(ledger, await newTenant());
    for (const amount of ['12.00', '13.00', '14.00']) {
      await shop.payments.submit(order({ amount }));
    }
    expect(await shop.view(picky).get('all')).toBe(2);
    expect((await shop.transactions.search()).count).toBe(3);
    expect(error).toHaveBeenCalledWith(
      expect.objectContaining({ projection: 'own-picky', error: 'no thirteen' }),
      expect.stringContaining('parked'),
    );
    expect(await parkedStreams()).toMatchObject({ 'own-picky': 1, 'own-sales-per-day': 0 });
  });

  it('parks a stream with a key or a row that would not be kept as it is', async () => {
    const shop = shopOf(ledger, await newTenant());
    error.mockClear();
    const faulty = FAULTS.map((_, fault) => ((FIRST_FAULT_MINOR + fault) / 100).toFixed(2));
    await Promise.all(
      ['1.00', ...faulty, '2.00'].map((amount) => shop.payments.submit(order({ amount }))),
    );
    const view = shop.view(strict);
    expect(await view.list()).toEqual([{ key: 'all', row: { rows: 2, total: 300n, fake: FAKES } }]);
    const parked = (projection: string) =>
      error.mock.calls
        .map(([facts]) => facts)
        .filter((facts) => facts.projection === projection)
        .map((facts): string => facts.error);
    const errors = parked('own-strict');
    expect(errors).toHaveLength(FAULTS.length);
    for (const fault of FAULTS) {
      expect(errors).toContainEqual(expect.stringMatching(fault.error));
    }

    expect(await view.get('a\0b')).toBeUndefined();
    await expect(view.list({ prefix: '\ud800' })).rejects.toThrow(/prefix and after/);
    expect(await shop.view(byEmail).list()).toEqual([]);
    expect(parked('own-by-email')).toContain(
      'own-by-email: a key must be the same once the person is erased',
    );
  });

  /** The metrics of each projection. */
  async function parkedStreams(): Promise<Record<string, number>> {
    const figures: Promise<[string, number][]>[] = [];
    ledger.registerMetrics({
      gauge: () => undefined,
      counter: () => undefined,
      gauges({ names, look }) {
        const of = names['projection_parked_streams']?.of;
        if (of === undefined) return;
        figures.push(look().then((found) => [...found].map(([name, facts]) => [name, of(facts)])));
      },
    });
    return Object.fromEntries((await Promise.all(figures)).flat());
  }

  it('erases customer data, and otherwise gets none', async () => {
    const shop = shopOf(ledger, await newTenant());
    const { customerId } = await shop.payments.submit(order());
    const other = await shop.payments.submit(order({ email: 'bo@shop.example' }));
    const rowOf = async (projection: typeof named, id = customerId) =>
      shop.view(projection).get(String(id));
    expect(await rowOf(named)).toEqual({ customerId, email: 'ann@shop.example', payments: 1 });
    expect(await rowOf(nameless)).toEqual({ customerId, email: '', payments: 1 });
    await shop.customers.erase(customerId);
    expect(await rowOf(named)).toEqual({ customerId, email: '', payments: 1 });
    expect((await rowOf(named, other.customerId))?.email).toBe('bo@shop.example');
  });

  it('gives no view of what it was not opened with', () => {
    const stranger = defineProjection({ ...AMOUNTS, name: 'stranger' });
    expect(() => shopOf(ledger).view(stranger)).toThrow(/opened without the projection/);
  });
});

it('takes no two projections of one name, and no definition that is none', async () => {
  const projections = [salesPerDay(), salesPerDay('2')];
  const opening = openLedger({ storage: 'memory:', projections, logger: silentLogger });
  await expect(opening).rejects.toThrow(/two projections have the name own-sales-per-day/);
  const definition = { ...AMOUNTS, name: 'sound' };
  expect(() => defineProjection(definition)).not.toThrow();
  const names = ['', 'Sales', 'a_b', 'a-', 'a'.repeat(41), '../a'].map((name) => ({ name }));
  for (const change of [
    ...names,
    { version: '' },
    { version: 1 },
    { types: 'PaymentCaptured' },
    { types: ['PaymentCaptured', 'Nope'] },
    { types: ['EmailClaimed'] },
    { types: [] },
    { keysOf: undefined },
    { apply: {} },
    { personal: { customerIdOf: () => 1 } },
    { personel: {} },
  ]) {
    const [member = ''] = Object.keys(change);
    const define = () => defineProjection({ ...definition, ...change } as typeof definition);
    expect(define).toThrow(TypeError);
    expect(define).toThrow(member);
  }
});

describe.each(DURABLE)('opened again, in %s', { timeout: TIMEOUT_MS }, (_, newStorage) => {
  it('is built from the whole log, follows it, is rebuilt, and can be removed', async () => {
    const storage = await inNewStorage(newStorage);
    const first = await openLedger({ storage, masterKey, logger: silentLogger });
    await withShop(first, TENANT);
    await shopOf(first).payments.submit(order());
    await first.close();

    const pay = async (projection: ReturnType<typeof salesPerDay>) => {
      const ledger = await openLedger({
        storage,
        projections: [projection],
        masterKey,
        logger: silentLogger,
      });
      const shop = shopOf(ledger);
      const found = await shop.view(projection).get(`GBP/${DAY}`);
      await shop.payments.submit(order());
      await ledger.close();
      return found;
    };
    const row = (version: string, sales: number) => ({
      version,
      sales,
      takenMinor: 1_999n * BigInt(sales),
    });
    expect(await pay(salesPerDay())).toEqual(row('1', 1));
    expect(await pay(salesPerDay('2'))).toEqual(row('2', 2));
    const without = await openLedger({ storage, masterKey, logger: silentLogger });
    await shopOf(without).payments.submit(order());
    expect((await shopOf(without).books.trialBalance()).balanced).toBe(true);
    await without.close();
    expect(await pay(salesPerDay('2'))).toEqual(row('2', 4));
  });
});

describe.each(DURABLE.filter(([name]) => name === 'a folder'))('files of %s', (_, newStorage) => {
  it('erase rows of an earlier version', { timeout: TIMEOUT_MS }, async () => {
    const storage = (await inNewStorage(newStorage)) as string;
    const filesWith = (text: string) =>
      readdirSync(storage).filter(
        (name) => name.includes('-own-') && readFileSync(join(storage, name)).includes(text),
      );
    const email = 'ann.of.the.rows@shop.example';
    const options = { storage, masterKey, logger: silentLogger };
    const first = await openLedger({ ...options, projections: [buyers()] });
    await withShop(first, TENANT);
    const { customerId } = await shopOf(first).payments.submit(order({ email }));
    expect((await shopOf(first).view(buyers()).list())[0]?.row.email).toBe(email);
    await first.close();
    expect(filesWith(email)).toHaveLength(1);

    const nameless = { ...buyers({ isPersonal: false }), name: buyers().name, version: '2' };
    const second = await openLedger({ ...options, projections: [nameless] });
    expect((await shopOf(second).view(nameless).list())[0]?.row.email).toBe('');
    await shopOf(second).customers.erase(customerId);
    await shopOf(second).view(nameless).list();
    await second.close();
    expect(filesWith(email)).toEqual([]);
  });
});

describe.each(DURABLE.filter(([name]) => name === 'PostgreSQL'))(
  'two processes on %s',
  (_, newStorage) => {
    it('show in one what the other has projected', { timeout: TIMEOUT_MS }, async () => {
      const storage = await inNewStorage(newStorage);
      const sales = salesPerDay();
      const options = { storage, projections: [sales], masterKey, logger: silentLogger };
      const working = await openLedger(options);
      onTestFinished(() => working.close());
      await withShop(working, TENANT);
      const asking = await openLedger({ ...options, background: false });
      onTestFinished(() => asking.close());
      await shopOf(asking).payments.submit(order());
      expect(await shopOf(asking).view(sales).get(`GBP/${DAY}`)).toMatchObject({ sales: 1 });
    });
  },
);
