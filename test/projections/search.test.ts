/** The search answers like a plain filter over folded events, page by page, tenant by tenant. */
import { type Event, Transaction, toMajor } from '@counterfoil/core';
import {
  PageOutOfReach,
  ReferenceView,
  type SearchFilter,
  type SearchPage,
  SearchView,
  type Walk,
} from '@counterfoil/projections';
import { syntheticPayment } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adaptersInFolder } from './adapters.ts';
import { append, NOW, paymentStream, type World, world } from './ledger-of-events.ts';
import * as A from './payments.ts';
import { watchingReads } from './watched-store.ts';

const { adapters } = adaptersInFolder();

const PAYMENTS = 400;
const TENANTS = 2;
const PROPERTY_TIMEOUT_MS = 60_000;

/** What the plain filter looks at. */
interface Plain {
  readonly tenantId: number;
  readonly id: string;
  readonly sandbox: boolean;
  readonly sent: string;
  /** The last refund, chargeback or alert, and what became of it; empty without any. */
  readonly changed: string;
  readonly amount: number;
  /** Of payments alone. */
  readonly asked?: number;
  readonly applicationId: number;
  readonly kind: number;
  readonly authCode: string;
  readonly gatewayTransactionId: string;
  readonly arn: string;
  readonly payment: Transaction.Payment;
}

interface Child {
  readonly id: string;
  readonly sent: string;
  readonly changed: string;
  readonly amountMinor: bigint;
  readonly arn?: string;
}

function plainOf(tenantId: number, story: readonly Event[]): readonly Plain[] {
  let payment: Transaction.State = null;
  for (const event of story) payment = Transaction.evolve(payment, event as Transaction.Event);
  if (payment === null) return [];
  const common = { tenantId, sandbox: payment.sandbox, payment };
  const major = (minor: bigint) => toMajor(minor, payment.currency);
  const child = (kind: number, { id, sent, changed, amountMinor, arn = '' }: Child): Plain => {
    const facts = { id, sent, changed, amount: major(amountMinor), arn };
    return {
      ...common,
      ...facts,
      applicationId: kind,
      kind,
      authCode: '',
      gatewayTransactionId: '',
    };
  };
  const own: Plain = {
    ...common,
    id: payment.transactionId,
    sent: payment.submittedAt,
    changed: [
      ...payment.refunds.map(({ requestedAt, completedAt }) => completedAt ?? requestedAt),
      ...payment.chargebacks.map(({ changedAt }) => changedAt),
      ...payment.alerts.map(({ changedAt }) => changedAt),
    ].reduce((last, at) => (at > last ? at : last), ''),
    amount: major(Transaction.takenMinor(payment) || payment.amountMinor),
    asked: major(payment.amountMinor),
    applicationId: payment.applicationId,
    kind: payment.applicationKind,
    authCode: payment.authCode,
    gatewayTransactionId: payment.gatewayTransactionId,
    arn: payment.arn,
  };
  return [
    own,
    ...[payment.voided ?? []].flat().map((voided) => {
      const amountMinor = voided.amountMinor || payment.authorizedMinor;
      const [id, sent, changed] = [voided.voidId, voided.requestedAt, voided.completedAt];
      return child(11, { id, sent, changed, amountMinor });
    }),
    ...payment.refunds.map(({ refundId: id, requestedAt: sent, completedAt, ...refund }) => ({
      ...child(10, { ...refund, id, sent, changed: completedAt ?? sent }),
      gatewayTransactionId: refund.gatewayTransactionId,
    })),
    ...payment.chargebacks.map(
      ({ chargebackId: id, openedAt: sent, changedAt: changed, ...more }) =>
        child(20, { ...more, id, sent, changed }),
    ),
    ...payment.alerts.map(({ alertId: id, receivedAt: sent, changedAt: changed, ...more }) =>
      child(30, { ...more, id, sent, changed }),
    ),
  ];
}

function holds({ payment, ...record }: Plain, tenantId: number, filter: SearchFilter): boolean {
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const route = payment.attempts.at(-1)?.route;
  const bin = payment.card?.bin ?? '';
  const is = <Value>(wanted: readonly Value[] | undefined, test: (value: Value) => boolean) =>
    wanted === undefined || wanted.length === 0 || wanted.some(test);
  const says = (wanted: string | undefined, test: (value: string) => boolean) =>
    wanted === undefined || wanted === '' || test(wanted);
  const days = (at: string) =>
    (!filter.dateFrom || at.slice(0, 10) >= filter.dateFrom) &&
    (!filter.dateTo || at.slice(0, 10) <= filter.dateTo);
  const { sandbox: _, includeUpdated: __, dateFrom: ___, dateTo: ____, ...others } = filter;
  const isOpen = !Object.values(others).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '',
  );
  const since = new Date(Date.parse(NOW) - 30 * 86_400_000).toISOString();
  const recent =
    record.sent >= since || (filter.includeUpdated === true && record.changed >= since);
  if (isOpen && !filter.dateFrom && !filter.dateTo && !recent) return false;
  return (
    record.tenantId === tenantId &&
    record.sandbox === (filter.sandbox ?? false) &&
    (days(record.sent) ||
      (filter.includeUpdated === true && record.changed !== '' && days(record.changed))) &&
    is(filter.emails, (email) => same(email, payment.email)) &&
    is(filter.orderIds, (id) => id === payment.orderId) &&
    is(filter.transactionIds, (id) => same(id, record.id)) &&
    is(filter.gatewayTransactionIds, (id) => id !== '' && id === record.gatewayTransactionId) &&
    says(filter.bin, (wanted) => bin.startsWith(wanted)) &&
    says(filter.last4, (last4) => last4 === payment.card?.last4) &&
    says(filter.firstName, (name) => same(name, payment.firstName)) &&
    says(filter.lastName, (name) => same(name, payment.lastName)) &&
    is(filter.authCodes, (code) => code !== '' && code === record.authCode) &&
    says(filter.currency, (currency) => same(currency, payment.currency)) &&
    says(filter.descriptorContains, (part) =>
      (route?.descriptor ?? '').toLowerCase().includes(part.toLowerCase()),
    ) &&
    is(filter.applicationIds, (id) => id === record.applicationId) &&
    is(filter.productIds, (id) => id === payment.productId) &&
    is(filter.campaignIds, (id) => id === payment.campaignId) &&
    is(filter.merchantAccountIds, (id) => id === route?.merchantAccountId) &&
    says(filter.mid, (mid) => mid === route?.mid) &&
    is(filter.companyIds, (id) => id === payment.companyId) &&
    is(filter.subscriptionIds, (id) => id === payment.subscriptionId) &&
    is(filter.affiliateIds, (id) => id === payment.affiliateId) &&
    is(filter.amounts, (amount) => amount === record.amount) &&
    is(filter.askedAmounts, (amount) => amount === record.asked) &&
    is(filter.arns, (arn) => arn !== '' && arn === record.arn) &&
    is(filter.kinds, (kind) => kind === record.kind)
  );
}

function plainSearch(all: readonly Plain[], tenantId: number, filter: SearchFilter): string[] {
  return all
    .filter((record) => holds(record, tenantId, filter))
    .sort((a, b) => (a.sent === b.sent ? (a.id < b.id ? -1 : 1) : a.sent < b.sent ? 1 : -1))
    .map(({ id }) => id);
}

const stories = Array.from({ length: PAYMENTS }, (_, number) =>
  // Two payments in three share their instant with another.
  syntheticPayment(number, { payments: PAYMENTS, tenants: TENANTS, stepMs: 86_400_000, seed: 3 }),
).map(({ events, ...rest }, index) => ({
  ...rest,
  events: index % 3 === 0 ? events : atNoon(events, index),
}));
const records = stories.flatMap(({ tenantId, events }) => plainOf(tenantId, events));

/** Moves a story's submission to noon of one of a few days, so that many are sent at once. */
function atNoon(events: readonly Event[], index: number): readonly Event[] {
  const day = String(1 + (index % 9)).padStart(2, '0');
  return events.map((event) =>
    event.type === 'PaymentSubmitted' ? { ...event, at: `2025-12-${day}T12:00:00.000Z` } : event,
  );
}

function filters(): fc.Arbitrary<SearchFilter> {
  const payments = stories.flatMap(({ tenantId, events }) => plainOf(tenantId, events));
  const some = fc.constantFrom(...payments);
  const list = <Value>(of: (record: Plain) => Value | null | undefined, no: Value) =>
    fc.array(
      fc.oneof(
        some.map((record) => of(record) ?? no),
        fc.constant(no),
      ),
      { maxLength: 4 },
    );
  const one = (of: (record: Plain) => string, no: string) =>
    fc.oneof({ weight: 5, arbitrary: some.map(of) }, fc.constantFrom('', no));
  const shouted = (text: string) => text.toUpperCase();
  const day = fc.oneof(
    some.map(({ sent }) => sent.slice(0, 10)),
    fc.constantFrom('2024-12-31', '2026-02-01', ''),
  );
  return fc.record(
    {
      emails: list(({ payment }) => shouted(payment.email), 'unknown@example.test'),
      orderIds: list(({ payment }) => payment.orderId, -1),
      transactionIds: list(({ id }) => shouted(id), A.VOID as string),
      gatewayTransactionIds: list((record) => record.gatewayTransactionId, 'none'),
      bin: one(({ payment }) => payment.card?.bin ?? '', '41111122'),
      last4: one(({ payment }) => payment.card?.last4 ?? '', '42'),
      firstName: one(({ payment }) => shouted(payment.firstName), 'x'),
      lastName: one(({ payment }) => payment.lastName, 'x'),
      authCodes: list((record) => record.authCode, 'zzz'),
      currency: one(({ payment }) => payment.currency.toLowerCase(), 'XXX'),
      dateFrom: day,
      dateTo: day,
      descriptorContains: fc.oneof(
        some.map(({ payment }) => (payment.attempts[0]?.route.descriptor ?? '').slice(3, 9)),
        fc.constantFrom('shop', 'SHOP*1', 'o', '%', '*2', 'liskov', ''),
      ),
      sandbox: fc.boolean(),
      applicationIds: list((record) => record.applicationId, 999),
      productIds: list(({ payment }) => payment.productId, 999),
      campaignIds: list(({ payment }) => payment.campaignId, 999),
      merchantAccountIds: list(({ payment }) => payment.attempts[0]?.route.merchantAccountId, 999),
      mid: one(({ payment }) => payment.attempts[0]?.route.mid ?? '', '999'),
      companyIds: list(({ payment }) => payment.companyId, 999),
      subscriptionIds: list(({ payment }) => payment.subscriptionId, 999),
      affiliateIds: list(({ payment }) => payment.affiliateId, 999),
      amounts: list((record) => record.amount, 0.01),
      askedAmounts: list((record) => record.asked ?? record.amount, 0.01),
      arns: list((record) => record.arn || null, 'none'),
      kinds: fc.uniqueArray(fc.constantFrom(1, 2, 3, 4, 5, 10, 20, 30), { maxLength: 3 }),
      includeUpdated: fc.boolean(),
    },
    { requiredKeys: [] },
  );
}

/** Arbitrary filters have many fields and few results; these have at most three. */
function fewFilters(): fc.Arbitrary<SearchFilter> {
  return fc.tuple(filters(), fc.array(fc.nat(), { maxLength: 3 })).map(([filter, picks]) => {
    const names = Object.keys(filter) as (keyof SearchFilter)[];
    const kept = picks.map((pick) => names[pick % Math.max(1, names.length)]);
    return Object.fromEntries(
      names.filter((name) => kept.includes(name)).map((name) => [name, filter[name]]),
    );
  });
}

const anyFilter = fc.oneof({ weight: 4, arbitrary: fewFilters() }, filters());

describe.each(adapters)('search on %s', (_, open) => {
  let here: World;
  beforeAll(async () => {
    here = world(await open());
    for (const { stream, tenantId, events } of stories) {
      await append(here.events, { stream, tenantId }, events);
    }
    await here.catchUp();
  }, PROPERTY_TIMEOUT_MS);
  afterAll(() => here.store.close());

  const search = (
    tenantId: number,
    filter: SearchFilter,
    page: Partial<{ pageNumber: number; limit: number }> = {},
  ) => here.search.search({ tenantId, filter, now: NOW, limit: 100, ...page });
  const ids = ({ transactions }: SearchPage) =>
    transactions.map(({ transactionId }) => transactionId);

  async function everything(
    tenantId: number,
    filter: SearchFilter,
    limit: number,
  ): Promise<string[]> {
    const found: string[] = [];
    for (let pageNumber = 1; ; pageNumber += 1) {
      const page = await search(tenantId, filter, { pageNumber, limit });
      expect(page.count).toBe(page.transactions.length);
      found.push(...ids(page));
      if (!page.moreResults) return found;
      expect(page.count).toBe(limit);
    }
  }

  it('equals a plain filter over the folded events', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(
        anyFilter,
        fc.integer({ min: 1, max: TENANTS }),
        async (filter, tenantId) => {
          const expected = plainSearch(records, tenantId, filter);
          expect(await everything(tenantId, filter, 100)).toEqual(expected);
          hits += expected.length > 0 ? 1 : 0;
        },
      ),
      { numRuns: 400 },
    );
    // The property says little when nearly every filter finds nothing.
    expect(hits).toBeGreaterThan(40);
  });

  it('partitions the result into pages, in any order of asking', {
    timeout: PROPERTY_TIMEOUT_MS,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fewFilters(),
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }),
        async (filter, limit, pageNumbers) => {
          const all = plainSearch(records, 1, filter);
          for (const pageNumber of pageNumbers) {
            const page = await search(1, filter, { pageNumber, limit });
            const start = (pageNumber - 1) * limit;
            expect(ids(page)).toEqual(all.slice(start, start + limit));
            expect(page.moreResults).toBe(all.length > start + limit);
          }
          expect(await everything(1, filter, limit)).toEqual(all);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('finds a subset with a tighter filter', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(fewFilters(), fewFilters(), async (one, two) => {
        const wide = { ...one, dateFrom: '2000-01-01', includeUpdated: false };
        const { sandbox: _, ...more } = two;
        const narrow = { ...more, ...wide };
        const found = new Set(await everything(1, wide, 100));
        for (const id of await everything(1, narrow, 100)) expect(found).toContain(id);
      }),
      { numRuns: 100 },
    );
  });

  it('continues after the end of a page', async () => {
    const filter = { dateFrom: '2000-01-01' };
    const first = await search(1, filter, { limit: 7 });
    const after = first.end;
    if (after === undefined) throw new Error('a full page has an end');
    const second = await here.search.search({ tenantId: 1, filter, limit: 7, after, now: NOW });
    expect([...ids(first), ...ids(second)]).toEqual(plainSearch(records, 1, filter).slice(0, 14));
  });

  it('keeps tenants and the sandbox apart', async () => {
    const filter = { dateFrom: '2000-01-01' };
    const parts = [
      await everything(1, filter, 100),
      await everything(2, filter, 100),
      await everything(1, { ...filter, sandbox: true }, 100),
      await everything(2, { ...filter, sandbox: true }, 100),
      await everything(3, filter, 100),
    ];
    expect(parts[4]).toEqual([]);
    expect(parts.flat().sort()).toEqual(records.map(({ id }) => id).sort());
    for (const part of parts.slice(0, 4)) expect(part.length).toBeGreaterThan(0);
  });
});

const NOON = '2025-12-02T12:00:00.000Z';

/** A log of one payment for each instant, in the read models. */
async function paidAt(instants: readonly string[]): Promise<World> {
  const here = world();
  for (const [index, at] of instants.entries()) {
    const transactionId = `${A.PAYMENT.slice(0, -2)}${10 + index}` as typeof A.PAYMENT;
    const stream = paymentStream(transactionId);
    await append(here.events, { stream }, [A.submitted({ transactionId, at })]);
  }
  await here.catchUp();
  return here;
}

describe('a page of the search', () => {
  it('defaults to ten of the last thirty days', async () => {
    const here = await paidAt([...Array(11).fill(NOON), '2025-12-01T23:59:59.999Z']);
    const first = await here.search.search({ tenantId: 1, filter: {}, now: NOW });
    expect(first).toMatchObject({ count: 10, pageNumber: 1, moreResults: true });
    const second = await here.search.search({ tenantId: 1, filter: {}, pageNumber: 2, now: NOW });
    expect(second).toMatchObject({ count: 1, pageNumber: 2, moreResults: false });
  });

  it('answers a page behind the end, and refuses one too far to count up to', async () => {
    const here = await paidAt(Array(12).fill(NOON));
    const near = new SearchView(here.store, new ReferenceView(here.store), 15);
    const far = new SearchView(here.store, new ReferenceView(here.store), 5);
    const query = { tenantId: 1, filter: {}, limit: 1, now: NOW };
    expect(await near.search({ ...query, pageNumber: 1_000_000 })).toMatchObject({
      count: 0,
      moreResults: false,
    });
    await expect(far.search({ ...query, pageNumber: 12 })).rejects.toThrow(PageOutOfReach);
    // Read in order, every page can be reached.
    for (let pageNumber = 1; pageNumber <= 12; pageNumber += 1) {
      expect((await far.search({ ...query, pageNumber })).count).toBe(1);
    }
  });

  it('is counted up to from the first one, and then from the page before it', async () => {
    const here = await paidAt(Array(12).fill(NOON));
    const walks: (Walk | 'revision')[] = [];
    const store = watchingReads(here.store, (read) => walks.push(read));
    const view = new SearchView(store, new ReferenceView(here.store));
    const skipped = async (pageNumber: number) => {
      walks.length = 0;
      const query = { tenantId: 1, filter: {}, pageNumber, limit: 3, now: NOW };
      expect((await view.search(query)).count).toBe(3);
      return walks.map((read) => (read === 'revision' ? read : (read.skip ?? 0)));
    };
    // The first page asks for no revision, and is not remembered.
    expect(await skipped(1)).toEqual([0]);
    expect(await skipped(2)).toEqual(['revision', 2]);
    expect(await skipped(3)).toEqual(['revision', 0]);
    expect(await skipped(2)).toEqual(['revision', 0]);
  });

  it('takes both days of a range as a whole, in GMT', async () => {
    const days = ['2025-12-02T00:00:00.000Z', '2025-12-03T23:59:59.999Z'];
    const instants = [...days, '2025-12-04T00:00:00.000Z'];
    const here = await paidAt(instants);
    const sent = async (filter: SearchFilter) => {
      const page = await here.search.search({ tenantId: 1, filter, now: NOW });
      return page.transactions.map((record) => record.sent).toReversed();
    };
    expect(await sent({ dateFrom: '2025-12-02', dateTo: '2025-12-03' })).toEqual(days);
    expect(await sent({ dateFrom: '2025-12-03' })).toEqual(instants.slice(1));
    expect(await sent({ dateTo: '2025-12-02' })).toEqual(instants.slice(0, 1));
  });

  it('sees what was added since the page before it was read', async () => {
    const here = world();
    const submit = async (digits: number, at: string) => {
      const transactionId = `${A.PAYMENT.slice(0, -2)}${digits}` as typeof A.PAYMENT;
      await append(here.events, { stream: paymentStream(transactionId) }, [
        A.submitted({ transactionId, at }),
      ]);
      await here.catchUp();
      return transactionId;
    };
    const old = [];
    for (const digits of [10, 11, 12, 13])
      old.push(await submit(digits, `2025-12-${digits}T00:00:00.000Z`));
    const page = async (pageNumber: number) => {
      const query = { tenantId: 1, filter: {}, pageNumber, limit: 2, now: NOW };
      const found = await here.search.search(query);
      return found.transactions.map(({ transactionId }) => transactionId);
    };
    expect([await page(1), await page(2)]).toEqual([
      [old[3], old[2]],
      [old[1], old[0]],
    ]);
    await submit(20, '2025-12-20T00:00:00.000Z');
    expect(await page(2)).toEqual([old[2], old[1]]);
  });

  it('matches six digits of a bin with the first six, and eight with all', async () => {
    const here = await paidAt([NOON]);
    const count = async (bin: string) =>
      (await here.search.search({ tenantId: 1, filter: { bin }, now: NOW })).count;
    expect(await count('411111')).toBe(1);
    expect(await count('41111122')).toBe(1);
    expect(await count('41111123')).toBe(0);
    expect(await count('4111112')).toBe(0);
    expect(await count('422222')).toBe(0);
  });

  it('refuses pages and limits out of range', async () => {
    const here = world();
    const ask = (pageNumber: number, limit: number) =>
      here.search.search({ tenantId: 1, filter: {}, pageNumber, limit, now: NOW });
    await expect(ask(0, 10)).rejects.toThrow(RangeError);
    await expect(ask(1, 0)).rejects.toThrow(RangeError);
    await expect(ask(1, 101)).rejects.toThrow(RangeError);
    await expect(ask(1, 1.5)).rejects.toThrow(RangeError);
  });
});
