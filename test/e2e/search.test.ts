/** POST /api/transactions/search and POST /customerapi/search over HTTP, as the contract states them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFields, SEARCH_RECORD } from './record-fields.ts';
import {
  AFFILIATE,
  CAMPAIGN,
  CARDS,
  type Caller,
  CHECKOUT,
  callerWith,
  card,
  ECOMMERCE,
  expectRefusal,
  type Json,
  openAccount,
  openTenant,
  PRODUCT,
  type Running,
  startHost,
} from './running-host.ts';

const WIDE = { dateFrom: '2025-12-01', dateTo: '2026-12-31' };

let now = Date.parse('2025-12-15T10:00:00.000Z');
let running: Running;
let caller: Caller;
/** Every live record of the tenant, in the order of the search. */
let all: Json[];

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
  caller = await openTenant(running, 11);
  await openAccount(running, 11, 112, { descriptor: 'Teapots & Co', mid: '900112' });
  await running.host.readSide.caughtUp(11);

  await caller.paid({ email: 'old@example.com' });
  now = Date.parse('2026-03-09T23:59:59.999Z');
  await caller.paid({ email: 'Ada.Lovelace@Example.com', productId: PRODUCT });
  now = Date.parse('2026-03-10T00:00:00.000Z');
  await caller.ordered({
    campaignId: CAMPAIGN,
    customer: { firstName: 'Grace', lastName: 'Hopper' },
  });
  await caller.paid({ currency: 'USD', amount: 19.99, affiliateId: AFFILIATE });
  now = Date.parse('2026-03-10T12:30:00.000Z');
  await caller.paid({ card: card(CARDS.networkB), merchantAccountId: 112, amount: 42.5 });
  await caller.pay({ card: card(CARDS.doNotHonour), email: 'poor@example.com' });
  await caller.paid({
    capture: false,
    applicationId: 5,
    customer: { firstName: 'Émilie', lastName: 'Noether-O’Neil' },
  });
  now = Date.parse('2026-03-10T23:59:59.999Z');
  const { id } = await caller.paid({ email: 'refunded@example.com', applicationId: ECOMMERCE });
  now = Date.parse('2026-03-11T00:00:00.000Z');
  await caller.refund(id, { amount: 100 });
  await caller.paid({ currency: 'JPY', amount: 1_999, email: 'ada.lovelace@example.com' });
  await caller.paid({ card: card(CARDS.networkC), email: 'last@example.com' });
  await caller.paid({ sandbox: true, email: 'sand@example.com' });
  now = Date.parse('2026-03-20T08:00:00.000Z');
  const { body } = await caller.search({ ...WIDE, limit: 100 });
  all = body.transactions;
});
afterAll(async () => running.close());

const LIVE = 11;

function idsOf(records: readonly Json[]): string[] {
  return records.map(({ transactionId }) => transactionId);
}

/** The expected matches of a single filter, computed from the records. */
const FILTERS: readonly (readonly [string, () => Json, (record: Json) => boolean])[] = [
  [
    'emails',
    () => ({ emails: ['ADA.lovelace@example.COM'] }),
    ({ email }) => /^ada\.l/i.test(email),
  ],
  [
    'several emails',
    () => ({ emails: ['old@example.com', 'poor@example.com', 'nobody@example.com'] }),
    ({ email }) => /^(old|poor)@/.test(email),
  ],
  ['orderIds', () => ({ orderIds: [all[0].orderId] }), ({ orderId }) => orderId === all[0].orderId],
  [
    'transactionIds',
    () => ({ transactionIds: [all[1].transactionId, all[3].transactionId] }),
    (record) => record === all[1] || record === all[3],
  ],
  [
    'gatewayTransactionIds',
    () => ({ gatewayTransactionIds: [all[2].gatewayTransactionId] }),
    (record) => record.gatewayTransactionId === all[2].gatewayTransactionId,
  ],
  ['bin', () => ({ bin: '555555' }), ({ bin }) => bin === '555555'],
  ['last4', () => ({ last4: '0002' }), ({ last4 }) => last4 === '0002'],
  ['firstName', () => ({ firstName: 'gRACE' }), ({ firstName }) => firstName === 'Grace'],
  [
    'firstName beyond ASCII',
    () => ({ firstName: 'éMILIE' }),
    ({ firstName }) => firstName === 'Émilie',
  ],
  ['lastName', () => ({ lastName: 'hopper' }), ({ lastName }) => lastName === 'Hopper'],
  [
    'authCodes',
    () => ({
      authCodes: all
        .map(({ authCode }) => authCode)
        .filter(Boolean)
        .slice(0, 2),
    }),
    ({ authCode }) =>
      all
        .map((each) => each.authCode)
        .filter(Boolean)
        .slice(0, 2)
        .includes(authCode),
  ],
  ['currency', () => ({ currency: 'USD' }), ({ currency }) => currency === 'USD'],
  ['dateFrom', () => ({ dateFrom: '2026-03-11' }), ({ sent }) => sent >= '2026-03-11'],
  ['dateTo', () => ({ dateTo: '2026-03-09' }), ({ sent }) => sent < '2026-03-10'],
  [
    'one day',
    () => ({ dateFrom: '2026-03-10', dateTo: '2026-03-10' }),
    ({ sent }) => sent.startsWith('2026-03-10'),
  ],
  [
    'descriptorContains',
    () => ({ descriptorContains: 'tEAPOTS' }),
    ({ descriptor }) => /teapots/i.test(descriptor),
  ],
  [
    'descriptorContains with signs',
    () => ({ descriptorContains: 'ry*lon' }),
    ({ descriptor }) => /ry\*lon/i.test(descriptor),
  ],
  [
    'descriptorContains of two letters',
    () => ({ descriptorContains: '& ' }),
    ({ descriptor }) => descriptor.includes('& '),
  ],
  ['a descriptor with a wildcard', () => ({ descriptorContains: '%' }), () => false],
  ['a descriptor with a quote', () => ({ descriptorContains: `x"y'z` }), () => false],
  ['sandbox false', () => ({ sandbox: false }), () => true],
  [
    'applicationIds',
    () => ({ applicationIds: [CHECKOUT, 10] }),
    ({ applicationId }) => [CHECKOUT, 10].includes(applicationId),
  ],
  ['productIds', () => ({ productIds: [PRODUCT] }), ({ productId }) => productId === PRODUCT],
  ['campaignIds', () => ({ campaignIds: [CAMPAIGN] }), ({ campaignId }) => campaignId === CAMPAIGN],
  [
    'affiliateIds',
    () => ({ affiliateIds: [AFFILIATE] }),
    ({ affiliateId }) => affiliateId === AFFILIATE,
  ],
  [
    'merchantAccountIds',
    () => ({ merchantAccountIds: [112] }),
    ({ merchantAccountId }) => merchantAccountId === 112,
  ],
  ['companyIds', () => ({ companyIds: [5] }), ({ companyId }) => companyId === 5],
  ['an unknown company', () => ({ companyIds: [6] }), () => false],
  ['subscriptionIds', () => ({ subscriptionIds: [1] }), ({ subId }) => subId === 1],
  ['amounts', () => ({ amounts: [42.5, 1_999] }), ({ amount }) => [42.5, 1_999].includes(amount)],
  ['amounts that nearly match', () => ({ amounts: [19.9, 42.51] }), () => false],
];

const PATHS = ['/api/transactions/search', '/customerapi/search'] as const;

describe.each(PATHS)('%s', (path) => {
  async function ask(filters: Json): Promise<Json> {
    const { status, text, body } = await caller.post(path, { body: filters });
    expect(status, text).toBe(200);
    return body;
  }

  it('answers with the members of the contract', async () => {
    const body = await ask({ ...WIDE, limit: 3 });
    expect(body).toEqual({
      success: true,
      message: expect.any(String),
      count: 3,
      pageNumber: 1,
      moreResults: true,
      transactions: expect.any(Array),
    });
  });

  it('has every field of the search record with its type', () => {
    expect(all.length).toBe(LIVE);
    for (const record of all) expectFields(record, SEARCH_RECORD);
  });

  it.each(FILTERS)('filters by %s', async (_name, filter, matches) => {
    const found = await ask({ ...WIDE, limit: 100, ...filter() });
    const wanted = { ...WIDE, ...filter() };
    const inRange = ({ sent }: Json) =>
      sent.slice(0, 10) >= wanted.dateFrom && sent.slice(0, 10) <= wanted.dateTo;
    expect(idsOf(found.transactions)).toEqual(
      idsOf(all.filter((record) => matches(record) && inRange(record))),
    );
    expect(found.count).toBe(found.transactions.length);
  });

  it('has filters that find something, so that the others mean something', () => {
    const empty = FILTERS.filter(([, , matches]) => !all.some(matches)).map(([name]) => name);
    expect(empty).toEqual([
      'a descriptor with a wildcard',
      'a descriptor with a quote',
      'an unknown company',
      'subscriptionIds',
      'amounts that nearly match',
    ]);
  });

  it('combines every two filters by AND', async () => {
    const pairs = FILTERS.flatMap((one, index) =>
      FILTERS.slice(index + 1).map((other) => [one, other] as const),
    ).filter(([one, other]) => {
      const names = Object.keys(one[1]());
      const { dateFrom = '', dateTo = '~' } = { ...one[1](), ...other[1]() };
      return dateFrom <= dateTo && !Object.keys(other[1]()).some((name) => names.includes(name));
    });
    for (const [[oneName, one, isOne], [otherName, other, isOther]] of pairs) {
      const filters = { ...WIDE, limit: 100, ...one(), ...other() };
      const { transactions } = await ask(filters);
      const wanted = all.filter(
        (record) =>
          isOne(record) &&
          isOther(record) &&
          record.sent.slice(0, 10) >= filters.dateFrom &&
          record.sent.slice(0, 10) <= filters.dateTo,
      );
      expect(idsOf(transactions), `${oneName} and ${otherName}`).toEqual(idsOf(wanted));
    }
  });

  it('takes an empty array for no filter', async () => {
    const empty = Object.fromEntries(
      [
        'emails',
        'orderIds',
        'transactionIds',
        'gatewayTransactionIds',
        'authCodes',
        'applicationIds',
        'productIds',
        'campaignIds',
        'merchantAccountIds',
        'companyIds',
        'subscriptionIds',
        'affiliateIds',
        'amounts',
      ].map((name) => [name, []]),
    );
    const { transactions } = await ask({ ...WIDE, ...empty, limit: 100 });
    expect(idsOf(transactions)).toEqual(idsOf(all));
  });

  it('without any filter gives the last 30 days', async () => {
    const recent = idsOf(all.filter(({ sent }) => sent >= '2026-02-18'));
    expect(idsOf((await ask({ limit: 100 })).transactions)).toEqual(recent);
    expect(idsOf((await ask({ limit: 100, emails: [] })).transactions)).toEqual(recent);
    expect(recent.length).toBe(LIVE - 1);
  });

  it('with a filter looks at all days', async () => {
    expect((await ask({ emails: ['old@example.com'] })).count).toBe(1);
  });

  it('orders by sent, the newest first, and then by transactionId', () => {
    const sorted = all.toSorted((a, b) =>
      a.sent === b.sent ? (a.transactionId < b.transactionId ? -1 : 1) : a.sent < b.sent ? 1 : -1,
    );
    expect(idsOf(all)).toEqual(idsOf(sorted));
    expect(new Set(all.map(({ sent }) => sent)).size).toBeLessThan(all.length);
  });

  it('gives 10 unless a limit is set', async () => {
    const { count, moreResults } = await ask(WIDE);
    expect([count, moreResults]).toEqual([10, true]);
  });

  it.each([1, 2, 5, 10, 11, 100])('in pages of %d gives each record once', async (limit) => {
    const seen: string[] = [];
    for (let pageNumber = 1; ; pageNumber += 1) {
      const body = await ask({ ...WIDE, limit, pageNumber });
      expect(body.pageNumber).toBe(pageNumber);
      expect(body.count).toBe(body.transactions.length);
      seen.push(...idsOf(body.transactions));
      expect(body.moreResults).toBe(seen.length < all.length);
      if (!body.moreResults) break;
    }
    expect(seen).toEqual(idsOf(all));
  });

  it('gives any page first, out of order, and an empty one beyond the end', async () => {
    const { transactions } = await ask({ ...WIDE, limit: 3, pageNumber: 3 });
    expect(idsOf(transactions)).toEqual(idsOf(all.slice(6, 9)));
    expect(await ask({ ...WIDE, limit: 10, pageNumber: 999 })).toMatchObject({
      count: 0,
      pageNumber: 999,
      moreResults: false,
      transactions: [],
    });
    expect(await ask({ ...WIDE, limit: 11, pageNumber: 2 })).toMatchObject({ count: 0 });
  });

  it.each([
    ['limit', 0],
    ['limit', -1],
    ['limit', 101],
    ['limit', 1.5],
    ['limit', '10'],
    ['pageNumber', 0],
    ['pageNumber', -1],
    ['pageNumber', 1.5],
    ['emails', 'ada@example.com'],
    ['emails', [7]],
    ['orderIds', ['7']],
    ['orderIds', 7],
    ['transactionIds', ['no uuid']],
    ['amounts', ['1']],
    ['sandbox', 'true'],
    ['dateFrom', '10.03.2026'],
    ['dateFrom', '2026-02-30'],
    ['dateTo', '2026-13-01'],
    ['dateTo', '2026-03-10T00:00:00Z'],
    ['bin', 424_242],
    ['bin', '42424'],
    ['bin', '4242424'],
    ['bin', '42424242'],
    ['last4', 2],
    ['firstName', ['Ada']],
    ['descriptorContains', 1],
    ['currency', 840],
  ])('refuses %s of %j', async (name, value) => {
    const answer = await caller.post(path, { body: { [name]: value } as Json });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors?.[0]?.pointer).toMatch(new RegExp(`^/${name}`));
  });

  it('refuses a range that ends before it begins', async () => {
    const answer = await caller.post(path, {
      body: { dateFrom: '2026-03-11', dateTo: '2026-03-10' },
    });
    expectRefusal(answer, 400);
  });

  it('takes at most 1,000 elements in an array', async () => {
    const orderIds = Array.from({ length: 1_001 }, (_, index) => index + 1);
    expectRefusal(await caller.post(path, { body: { orderIds } }), 400);
    expect((await caller.post(path, { body: { orderIds: orderIds.slice(1) } })).status).toBe(200);
  });

  it('keeps the sandbox apart', async () => {
    expect(await ask({ emails: ['sand@example.com'] })).toMatchObject({ count: 0 });
    const sandbox = await ask({ sandbox: true });
    expect(sandbox.transactions).toMatchObject([{ email: 'sand@example.com', sandbox: true }]);
    expect(all.every((record) => record.sandbox === false)).toBe(true);
  });

  it('shows a test key the sandbox and nothing else', async () => {
    const tester = await callerWith(running, 11, { environment: 'test' });
    const absent = await tester.post(path, { body: {} });
    expect(absent.body.transactions).toMatchObject([{ email: 'sand@example.com' }]);
    const live = await tester.post(path, { body: { sandbox: false } });
    expect(live.status === 403 || live.body.count === 0).toBe(true);
    const byId = await tester.post(path, {
      body: { transactionIds: [all[0].transactionId] },
    });
    expect(byId.body.count).toBe(0);
  });
});

it('finds what was taken at once', async () => {
  const other = await openTenant(running, 12);
  for (let round = 0; round < 10; round += 1) {
    const { id, orderId } = await other.paid();
    expect(await other.found({ orderIds: [orderId] })).toEqual([id]);
    const { body } = await other.refund(id, { amount: 1 });
    expect((await other.found({ orderIds: [orderId] })).toSorted()).toEqual(
      [id, body.refundId].toSorted(),
    );
  }
});
