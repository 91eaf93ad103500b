/** Plans the real month of sales and holds the plan to totals that were found without the planner. */

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { fold, TenantId, Transaction, TransactionId } from '@counterfoil/core';
import {
  type ImportStep,
  type OrderStep,
  openSales,
  planImport,
  type RefundStep,
  readSales,
  reconcile,
  SALES_EXTRACT,
  type SaleLine,
  storefrontProductOf,
} from '@counterfoil/demo';
import { describe, expect, it } from 'vitest';
import { collect, expectMatchingToHold } from './sale-records.ts';

const records = await collect(readSales(openSales(SALES_EXTRACT)));
const plan = planImport(records);
const report = reconcile(records, plan);

/** From the end of a line: no description can get in the way, and no CSV parser is needed. */
const TAIL = /,(-?\d+),\d\d\/\d\d\/\d{4} \d\d:\d\d,(\d+)(?:\.(\d{1,2}))?,(\d*),[^,]*$/;
const seen = gunzipSync(readFileSync(SALES_EXTRACT))
  .toString('utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((text) => {
    const [, quantity = '', pounds = '', pence = '', customer = ''] = TAIL.exec(text) ?? [];
    const amount = Number(quantity) * Number(pounds + pence.padEnd(2, '0'));
    return { invoice: text.split(',', 1)[0] ?? '', quantity: Number(quantity), amount, customer };
  });
const sum = (lines: typeof seen) => BigInt(lines.reduce((total, { amount }) => total + amount, 0));

describe('the extract', () => {
  it('is read whole: 39,522 lines, none malformed, 681,498.86 pounds', () => {
    expect(seen).toHaveLength(39_522);
    expect(sum(seen)).toBe(68_149_886n);
    expect(plan.malformed).toEqual([]);
    expect(report).toMatchObject({ lines: 39_522, amountMinor: 68_149_886n, unreadableAmounts: 0 });
    expect(records.map(({ line, amountMinor }) => [line, amountMinor])).toEqual(
      seen.map(({ amount }, index) => [index + 2, BigInt(amount)]),
    );
  });

  it('is imported but for corrections and invoices of nothing', () => {
    const invoices = Map.groupBy(
      seen.filter(({ invoice }) => !invoice.startsWith('C')),
      ({ invoice }) => invoice,
    );
    const paid = [...invoices.values()].filter((lines) => sum(lines) > 0n);
    expect(report.orders).toEqual({
      count: paid.length,
      guests: paid.filter(([line]) => line?.customer === '').length,
      amountMinor: sum(paid.flat()),
    });
    expect(amounts()).toMatchObject({
      imported: [paid.flat().length, sum(paid.flat())],
      'correction-without-sale': [69, 0n],
      'zero-total-invoice': [69, 0n],
    });
  });

  it('has all its cancellations refunded or explained', () => {
    const cancelled = seen.filter(({ invoice }) => invoice.startsWith('C'));
    const { imported, 'correction-without-sale': _, 'zero-total-invoice': __, ...rest } = amounts();
    const total = Object.values(rest).reduce((all, [, amount]) => all + amount, 0n);
    expect(total).toBe(sum(cancelled));
    const lines = Object.values(rest).reduce((all, [whole]) => all + whole, report.splitLines);
    expect(lines).toBe(cancelled.length);
  });

  it('yields these groups', () => {
    expect(amounts()).toEqual({
      imported: [38_704, 75_568_743n],
      refunded: [263, -774_433n],
      'correction-without-sale': [69, 0n],
      'zero-total-invoice': [69, 0n],
      'charge-without-sale': [28, -5_715_751n],
      'no-customer': [21, -22_227n],
      'no-earlier-sale': [361, -884_316n],
      'more-than-sold': [4, -22_130n],
    });
    expect(report).toMatchObject({
      splitLines: 3,
      orders: { count: 1_455, guests: 115 },
      refunds: { count: 143, cancellations: 131, amountMinor: 774_433n },
    });
  });

  it('keeps to the rules of matching', () => {
    expectMatchingToHold(records, plan);
  });

  it('is planned deterministically, chronologically, with a key per step', () => {
    expect(planImport([...records])).toEqual(plan);
    const times = plan.steps.map((step) => step.at);
    expect(times).toEqual(times.toSorted());
    expect(new Set(plan.steps.map((step) => step.key)).size).toBe(plan.steps.length);
    expect(new Set(orders().map((order) => order.orderId)).size).toBe(orders().length);
  });

  it('knows every country by its code but the Channel Islands', () => {
    const unknown = new Set(
      orders().flatMap(({ address }) => (address.countryCode === '' ? [address.state] : [])),
    );
    expect([...unknown]).toEqual(['Channel Islands']);
  });

  it('fills a storefront that has every variant of every order', () => {
    const variants = new Set(
      plan.products.flatMap((product) =>
        storefrontProductOf(product, 1).variants.map(
          (variant) => `${product.storefrontProductId}/${variant.id}`,
        ),
      ),
    );
    const sold = new Set(
      orders().flatMap(({ items }) =>
        items.map((item) => `${item.storefrontProductId}/${item.storefrontVariantId}`),
      ),
    );
    expect(variants).toEqual(sold);
    const codes = new Set(
      records.flatMap((record) => (isImported(record) ? [record.stockCode.toUpperCase()] : [])),
    );
    expect(variants.size).toBe(codes.size);
  });

  it('is accepted by the ledger, every order and every refund', () => {
    const payments = new Map<string, Transaction.State>();
    for (const step of plan.steps) {
      const key = step.kind === 'order' ? step.key : step.orderKey;
      payments.set(key, replay(payments.get(key) ?? null, step));
    }
    const refunded = [...payments.values()].reduce(
      (total, payment) => total + (payment === null ? 0n : Transaction.refundedMinor(payment)),
      0n,
    );
    expect(refunded).toBe(report.refunds.amountMinor);
  });
});

const imported = new Set(
  plan.parts.flatMap(({ line, outcome }) => (outcome.kind === 'imported' ? [line] : [])),
);

function isImported(record: (typeof records)[number]): record is SaleLine {
  return imported.has(record.line);
}

function orders(): readonly OrderStep[] {
  return plan.steps.filter((step) => step.kind === 'order');
}

/** Whole lines and pence by group. */
function amounts(): Record<string, readonly [number, bigint]> {
  return Object.fromEntries(
    report.groups.map(({ group, lines, amountMinor }) => [group, [lines, amountMinor]]),
  );
}

const tenantId = TenantId.parse(1);
let ids = 0;

const ROUTE: Transaction.Route = {
  merchantAccountId: 1,
  companyId: 1,
  gatewayId: 1,
  gateway: '',
  mid: '',
  midName: '',
  descriptor: '',
  terms: {
    feeCurrency: 'GBP',
    discountRatePercentage: '0',
    gatewayTransactionFeeMinor: 0n,
    bankAuthFeeMinor: 0n,
    bankDeclineFeeMinor: 0n,
    bankAvsFeeMinor: 0n,
    customFeeMinor: 0n,
    customFeeApprovedOnlyMinor: 0n,
    chargebackFeeMinor: 0n,
    alertProviderFeeMinor: 0n,
    rdrFeeMinor: 0n,
    cdrnFeeMinor: 0n,
    reservePercentage: '0',
    reserveHoldDays: 0,
  },
  skipped: [],
};

const NOT_IN_THE_DATA = {
  sandbox: false,
  captureMode: 'automatic',
  applicationId: 2,
  applicationKind: Transaction.APPLICATION_KIND.Ecommerce,
  companyId: 1,
  pinnedMerchantAccountId: null,
  shopId: 1,
  campaignId: null,
  affiliateId: null,
  productId: null,
  pricePointId: null,
  subscriptionId: null,
  paymentNumber: 1,
  attempt: 1,
  totalAttempt: 1,
  card: null,
  walletPayA: false,
  walletPayB: false,
  partnerSession: null,
  serviceSession: '',
  session: null,
} as const;

function replay(before: Transaction.State, step: ImportStep): Transaction.State {
  const commands = step.kind === 'order' ? payCommands(step) : refundCommands(step);
  return commands.reduce((state, command) => {
    const decided = Transaction.decide(state, command);
    if (decided._tag === 'Left') throw new Error(`${step.key}: ${JSON.stringify(decided.left)}`);
    return fold(Transaction, decided.right, state);
  }, before);
}

function payCommands(step: OrderStep): readonly Transaction.Command[] {
  const { buyer, at } = step;
  const addressed = { tenantId, transactionId: nextId(), at };
  return [
    {
      ...addressed,
      type: 'SubmitPayment',
      ...NOT_IN_THE_DATA,
      plans: [],
      orderId: step.orderId,
      customerId: buyer.customerId ?? 1,
      email: buyer.email,
      firstName: buyer.firstName,
      lastName: buyer.lastName,
      amountMinor: step.amountMinor,
      currency: step.currency,
      items: [...step.items],
      addresses: [step.address],
      route: ROUTE,
      blackListing: 0,
    },
    {
      ...addressed,
      type: 'RecordOutcome',
      attempt: 1,
      outcome: {
        result: 'captured',
        authCode: '',
        gatewayTransactionId: '',
        arn: '',
        avsChecked: false,
        note: '',
        at,
      },
    },
  ];
}

function refundCommands(step: RefundStep): readonly Transaction.Command[] {
  const refundId = nextId();
  const addressed = { tenantId, transactionId: nextId(), at: step.at, refundId };
  return [
    {
      ...addressed,
      type: 'RequestRefund',
      amountMinor: step.amountMinor,
      items: step.items,
      source: 'System',
      notifyCustomer: false,
      requestedBy: 'import',
      policy: { refundWindowDays: 180, forceAllowRefunds: false },
    },
    { ...addressed, type: 'RecordRefund', gatewayTransactionId: '', arn: '', note: '' },
  ];
}

function nextId(): TransactionId {
  ids += 1;
  return TransactionId.parse(`00000000-0000-7000-8000-${String(ids).padStart(12, '0')}`);
}
