/** Compares a host's responses for a tenant with the model. */
import { type EventStore, toMajor } from '@counterfoil/core';
import { PROJECTIONS, type ReadModelStore, type SearchRecord } from '@counterfoil/projections';
import { expect, vi } from 'vitest';
import { type Caller, type Json, present } from './caller.ts';
import { flagsOf, type Model, type Payment, type Row, rowsOf } from './model.ts';

const POLLING = { timeout: 60_000, interval: 10 };

export interface Tenancy {
  readonly refundWindowDays: number;
  /** What the host takes for the present. */
  readonly now: string;
}

export function paymentsOf({ payments }: Model, tenantId: number): Payment[] {
  return [...payments.values()].filter((payment) => payment.tenantId === tenantId);
}

/** Detail and search show the flags that follow from the events. */
export async function expectFlags(model: Model, caller: Caller, tenancy: Tenancy): Promise<void> {
  for (const payment of paymentsOf(model, caller.tenantId)) {
    const flags = flagsOf(payment, tenancy);
    const body = { ...caller.claims, id: payment.id, getSearchData: true };
    const detail = await caller.post('/customerapi/detail', { body });
    expect(detail.status, payment.id).toBe(200);
    expect(detail.body.transaction, payment.id).toMatchObject({ ...flags, status: payment.status });
    const filter = { transactionIds: [payment.id], sandbox: payment.order.sandbox };
    const found = await caller.post('/api/transactions/search', { body: filter });
    expect(found.body.transactions, payment.id).toMatchObject([
      { ...flags, status: payment.status, transactionId: payment.id },
    ]);
    const shown = present(detail.body.transaction).childTransactions.map((child) => [
      child.messageID,
      child.status,
    ]);
    const expected = [...payment.children.values()].map(({ id, status }) => [id, status]);
    expect(shown.sort(), payment.id).toEqual(expected.sort());
  }
}

/** The trial balance is zero, and every account is what the events add up to. */
export async function expectBooks(model: Model, caller: Caller): Promise<void> {
  for (const environment of ['live', 'sandbox']) {
    const sandbox = environment === 'sandbox';
    const trial = await caller.get('/api/ledger/trial-balance', { query: { sandbox } });
    expect(trial.body).toMatchObject({ success: true, balanced: true });
    for (const { difference } of trial.body.currencies) expect(difference).toBe(0);

    const shown: Json[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const from: { cursor?: string } = cursor === '' ? {} : { cursor };
      const query = { sandbox, limit: 7, ...from };
      const page = await caller.get('/api/ledger/accounts', { query });
      expect(page.status).toBe(200);
      shown.push(...page.body.accounts);
      cursor = page.body.nextCursor;
    }
    expect(shown.map(accountLine).sort()).toEqual(
      accountsOf(model, `${caller.tenantId}/${environment}/`).sort(),
    );
  }
}

function accountLine({ merchantAccountId, currency, account, debit, credit }: Json): string {
  return `${merchantAccountId}/${currency}/${account} ${debit} ${credit}`;
}

function accountsOf({ balances }: Model, prefix: string): string[] {
  return [...balances]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, { debitMinor, creditMinor }]) => {
      const account = key.slice(prefix.length);
      const currency = account.split('/')[1] ?? '';
      return `${account} ${toMajor(debitMinor, currency)} ${toMajor(creditMinor, currency)}`;
    });
}

/** Every live build has applied the whole log. */
export async function expectCaughtUp(events: EventStore, store: ReadModelStore): Promise<void> {
  for (const { name } of PROJECTIONS) {
    const hasAll = async () =>
      (await (await store.live(name))?.checkpoint()) === (await events.head());
    await vi.waitUntil(hasAll, POLLING);
  }
}

/** A filter of a record's own values, selected by a random mask. */
export interface Drawn {
  readonly pick: number;
  readonly fields: number;
  readonly limit: number;
}

const FIELDS: readonly ((row: Row) => [Json, (other: Row) => boolean])[] = [
  ({ payment: { order } }) => {
    const email = order.email.toUpperCase();
    return [{ emails: [email] }, (row) => row.payment.order.email.toUpperCase() === email];
  },
  ({ payment: { order } }) => [
    { orderIds: [order.orderId, order.orderId + 1] },
    (row) => [order.orderId, order.orderId + 1].includes(row.payment.order.orderId),
  ],
  ({ gatewayTransactionId: wanted }) => [
    { gatewayTransactionIds: wanted === '' ? [] : [wanted] },
    (row) => wanted === '' || row.gatewayTransactionId === wanted,
  ],
  ({ authCode: wanted }) => [
    { authCodes: wanted === '' ? [] : [wanted] },
    (row) => wanted === '' || row.authCode === wanted,
  ],
  ({ payment: { order } }) => {
    const last4 = order.card?.last4 ?? '0000';
    return [{ last4 }, (row) => row.payment.order.card?.last4 === last4];
  },
  ({ payment: { order } }) => {
    const bin = order.card?.bin.slice(0, 6) ?? '000000';
    return [{ bin }, (row) => row.payment.order.card?.bin.startsWith(bin) === true];
  },
  ({ payment: { order } }) => [
    { currency: order.currency },
    (row) => row.payment.order.currency === order.currency,
  ],
  ({ amount }) => [{ amounts: [amount, 17] }, (row) => [amount, 17].includes(row.amount)],
  ({ applicationId }) => [
    { applicationIds: [applicationId] },
    (row) => row.applicationId === applicationId,
  ],
  ({ payment: { route } }) => {
    const id = route?.merchantAccountId ?? 0;
    return [
      { merchantAccountIds: [id] },
      (row) => (row.payment.route?.merchantAccountId ?? 0) === id,
    ];
  },
  ({ payment: { route } }) => {
    const part = route?.descriptor.slice(2, 9).toLowerCase() ?? 'none';
    return [
      { descriptorContains: part },
      (row) => (row.payment.route?.descriptor ?? '').toLowerCase().includes(part),
    ];
  },
  ({ sent }) => [{ dateFrom: day(sent) }, (row) => day(row.sent) >= day(sent)],
  ({ sent }) => [{ dateTo: day(sent) }, (row) => day(row.sent) <= day(sent)],
  ({ id }) => [{ transactionIds: [id] }, (row) => row.id === id],
];

/** As many as a mask of `Drawn.fields` may have. */
export const FIELD_COUNT = FIELDS.length;

function day(instant: string): string {
  return instant.slice(0, 10);
}

/** The search finds what a plain filter finds, in its order, each once, page after page. */
export async function expectPlainFilter(
  model: Model,
  caller: Caller,
  { pick, fields, limit }: Drawn,
): Promise<void> {
  const rows = paymentsOf(model, caller.tenantId).flatMap(rowsOf);
  const like = rows[pick % Math.max(1, rows.length)];
  if (like === undefined) return;
  const chosen = FIELDS.filter((_, index) => fields & (1 << index)).map((field) => field(like));
  const filter = Object.assign(
    { sandbox: like.sandbox, dateFrom: '2000-01-01' },
    ...chosen.map(([part]) => part),
  );
  const plain = rows
    .filter((row) => row.sandbox === like.sandbox && chosen.every(([, holds]) => holds(row)))
    .sort((a, b) => (a.sent === b.sent ? compare(a.id, b.id) : compare(b.sent, a.sent)));

  const found: string[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    const body = { ...filter, pageNumber, limit };
    const page = await caller.post('/api/transactions/search', { body });
    expect(page.status, JSON.stringify(page.body)).toBe(200);
    const { transactions, count, moreResults } = page.body;
    expect(count).toBe(transactions.length);
    for (const record of transactions as SearchRecord[]) {
      expect(record).toMatchObject({ parentCompanyId: caller.tenantId, sandbox: like.sandbox });
      found.push(record.transactionId);
    }
    expect(moreResults).toBe(found.length < plain.length);
    if (!moreResults) break;
    expect(count).toBe(limit);
  }
  expect(found, JSON.stringify(filter)).toEqual(plain.map(({ id }) => id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
