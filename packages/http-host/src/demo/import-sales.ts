/** Carries out the plan of an import: orders and refunds through the host's own operations. */

import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { deterministicUuid } from '../http/uuid.ts';
import { inParallel } from '../in-parallel.ts';
import type { Caller, Ledger } from '../operations/ledger.ts';
import type { Payments } from '../operations/payments.ts';
import type { Tenants } from '../operations/tenants.ts';
import type { ImportPlan, ImportStep, OrderStep, RefundStep } from './online-retail/plan.ts';
import { storefrontProductOf } from './online-retail/storefront.ts';

/** Orders of one import do not depend on each other, and share the commits of the log. */
const CONCURRENCY = 32;

const ECOMMERCE = Transaction.APPLICATION_KIND.Ecommerce;

/** One card of each network of the sandbox, so that the imported sales show them all. */
const CARD_NUMBERS = [
  '4242424242424242',
  '5555555555554444',
  '378282246310005',
  '6011111111111117',
  '3566002020360505',
  '3056930009020004',
];

const CALLER: Caller = { actor: 'import@online-retail.example' };

export interface ImportTarget {
  readonly ledger: Ledger;
  readonly payments: Payments;
  readonly tenants: Tenants;
}

export interface ImportInto {
  readonly tenantId: TenantId;
  readonly shopId: number;
  /** Told of every step that is done. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface Imported {
  /** Steps carried out now, and those that an earlier run had done. */
  readonly done: number;
  readonly doneBefore: number;
}

/**
 * Every step names its payment or refund by the plan's key, so a second run, or one that goes on after
 * a crash, does nothing twice.
 */
export async function importSales(
  target: ImportTarget,
  plan: ImportPlan,
  into: ImportInto,
): Promise<Imported> {
  const { tenantId, shopId } = into;
  const total = plan.products.length + plan.steps.length;
  let finished = 0;
  let done = 0;
  const finish = (news: boolean, isStep: boolean) => {
    finished += 1;
    if (news && isStep) done += 1;
    into.onProgress(finished, total);
  };
  await atOnce(plan.products, async (planned) => {
    const product = storefrontProductOf(planned, shopId);
    const at = target.ledger.clock.now();
    await target.tenants.define({ type: 'DefineStorefrontProduct', tenantId, product, at }, CALLER);
    finish(false, false);
  });
  const orders = plan.steps.filter((step) => step.kind === 'order');
  await atOnce(orders, async (order) => finish(await importOrder(target, into, order), true));
  // Refunds of one order depend on each other: one after the other, in the order of the plan.
  const refunds = plan.steps.filter((step) => step.kind === 'refund');
  const byOrder = [...Map.groupBy(refunds, ({ orderKey }) => orderKey).values()];
  await atOnce(byOrder, async (ofOrder) => {
    for (const refund of ofOrder) finish(await importRefund(target, into, refund), true);
  });
  return { done, doneBefore: plan.steps.length - done };
}

function atOnce<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  return inParallel({ items, atOnce: CONCURRENCY, act });
}

function idOf(tenantId: TenantId, { key }: Pick<ImportStep, 'key'>): TransactionId {
  return deterministicUuid([String(tenantId), key]) as TransactionId;
}

async function stateOf(
  { ledger }: ImportTarget,
  tenantId: TenantId,
  transactionId: TransactionId,
): Promise<Transaction.State> {
  return ledger.stateOf(Transaction, Transaction.streamOf({ tenantId, transactionId }));
}

/** Answers whether there was anything to do. */
async function importOrder(
  target: ImportTarget,
  { tenantId, shopId }: ImportInto,
  order: OrderStep,
): Promise<boolean> {
  const transactionId = idOf(tenantId, order);
  const before = await stateOf(target, tenantId, transactionId);
  if (before?.status === 'Captured') return false;
  const { key, at, buyer, address, currency, amountMinor, items, orderId } = order;
  const payment = await target.payments.submit(
    {
      tenantId,
      transactionId,
      content: key,
      at,
      orderId,
      ...(buyer.customerId !== null && { customerId: buyer.customerId }),
      instrument: { card: cardOf(order) },
      order: {
        sandbox: false,
        email: buyer.email,
        firstName: buyer.firstName,
        lastName: buyer.lastName,
        amountMinor,
        currency,
        captureMode: 'automatic',
        applicationId: ECOMMERCE,
        shopId,
        campaignId: null,
        affiliateId: null,
        productId: null,
        pricePointId: null,
        walletPayA: false,
        walletPayB: false,
        partnerSession: null,
        serviceSession: transactionId,
        items: [...items],
        addresses: [address],
        session: null,
      },
    },
    CALLER,
  );
  if (payment.status !== 'Captured') throw new Error(`${key} ended as ${payment.status}`);
  return true;
}

function cardOf({ orderId, buyer }: OrderStep) {
  const number = CARD_NUMBERS[orderId % CARD_NUMBERS.length] ?? '';
  const holder = `${buyer.firstName} ${buyer.lastName}`;
  return { number, expMonth: 12, expYear: 2049, cvv: '123', holder };
}

async function importRefund(
  target: ImportTarget,
  { tenantId }: ImportInto,
  refund: RefundStep,
): Promise<boolean> {
  const transactionId = idOf(tenantId, { key: refund.orderKey });
  const refundId = idOf(tenantId, refund);
  const payment = await stateOf(target, tenantId, transactionId);
  const before = payment?.refunds.find((each) => each.refundId === refundId);
  if (before?.status === 'Refunded') return false;
  const { key, at, amountMinor, items } = refund;
  const made = await target.payments.refund(
    {
      tenantId,
      transactionId,
      refundId,
      content: key,
      at,
      amountMinor,
      items,
      source: 'CustomerService',
      notifyCustomer: false,
    },
    CALLER,
  );
  if (made.status !== 'Refunded') throw new Error(`${key} ended as ${made.status}`);
  return true;
}
