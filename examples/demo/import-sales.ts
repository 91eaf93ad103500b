/** Executes an import plan: orders and refunds through the host's own operations. */

import {
  canonicalJson,
  type TenantId,
  Transaction,
  type TransactionId,
  toDecimal,
} from '@counterfoil/core';
import {
  type Caller,
  type CommandRunner,
  counted,
  deterministicUuid,
  inParallel,
  type Payments,
  type Tenants,
} from '@counterfoil/engine';
import type { ImportPlan, ImportStep, OrderStep, RefundStep } from './online-retail/plan.ts';
import { CURRENCY } from './online-retail/read-sales.ts';
import { storefrontProductOf } from './online-retail/storefront.ts';

/** Orders of one import are independent, and share commits of the log. */
const CONCURRENCY = 32;

const ECOMMERCE = Transaction.APPLICATION_KIND.Ecommerce;

/** One card of each network of the sandbox. */
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
  readonly commands: CommandRunner;
  readonly payments: Payments;
  readonly tenants: Tenants;
}

export interface ImportInto {
  readonly tenantId: TenantId;
  readonly shopId: number;
  /** Called after each step. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface Imported {
  /** Steps executed now or by an earlier run. */
  readonly done: number;
  readonly doneBefore: number;
}

/**
 * Ids derive from the plan's keys, so a second run, or one after a crash, does nothing twice.
 * Throws `OrdersDiffer` before anything is written.
 */
export async function importSales(
  target: ImportTarget,
  plan: ImportPlan,
  into: ImportInto,
): Promise<Imported> {
  const { tenantId, shopId } = into;
  const orders = plan.steps.filter((step) => step.kind === 'order');
  await refuseOthers(target, tenantId, plan.steps);
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
    const at = target.commands.clock.now();
    await target.tenants.define({ type: 'DefineStorefrontProduct', tenantId, product, at }, CALLER);
    finish(false, false);
  });
  await atOnce(orders, async (order) => finish(await importOrder(target, into, order), true));
  // Refunds of one order depend on each other: they run in the order of the plan.
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
  { commands }: ImportTarget,
  tenantId: TenantId,
  transactionId: TransactionId,
): Promise<Transaction.State> {
  return commands.stateOf(Transaction, Transaction.streamOf({ tenantId, transactionId }));
}

/** The ledger holds orders with other content; nothing was written. */
export class OrdersDiffer extends Error {
  override readonly name = 'OrdersDiffer';

  constructor(reasons: readonly string[]) {
    super(`nothing is imported:\n${reasons.map((reason) => `  ${reason}`).join('\n')}`);
  }
}

async function refuseOthers(
  target: ImportTarget,
  tenantId: TenantId,
  steps: readonly ImportStep[],
): Promise<void> {
  const reasons: string[] = [];
  const now = target.commands.clock.now();
  await atOnce(steps, async (step) => {
    const { kind, invoice, at } = step;
    if (at > now) reasons.push(`${kind} ${invoice} is of ${at}, which is yet to come`);
    const key = kind === 'order' ? step.key : step.orderKey;
    const payment = await stateOf(target, tenantId, idOf(tenantId, { key }));
    const before =
      kind === 'order'
        ? payment
        : payment?.refunds.find(({ refundId }) => refundId === idOf(tenantId, step));
    if (before == null) return;
    const isSame =
      kind === 'order' ? isSameOrder(payment, step) : before.amountMinor === step.amountMinor;
    if (isSame) return;
    reasons.push(
      `${kind} ${invoice} is there with other content: ${contentOf(before)}, not ${contentOf(step)}`,
    );
  });
  if (reasons.length > 0) throw new OrdersDiffer(reasons.sort());
}

function contentOf({
  items,
  amountMinor,
}: Pick<ImportStep, 'amountMinor'> & { readonly items: readonly unknown[] }): string {
  return `${counted(items.length, 'item')} for ${toDecimal(amountMinor, CURRENCY)} ${CURRENCY}`;
}

function isSameOrder(before: Transaction.State, order: OrderStep): boolean {
  if (before === null) return false;
  const { amountMinor, currency, orderId, items } = order;
  const contentOf = (one: Pick<OrderStep, 'amountMinor' | 'currency' | 'orderId' | 'items'>) =>
    canonicalJson([one.currency, one.orderId, String(one.amountMinor), itemsOf(one.items)]);
  const { customerId } = order.buyer;
  const isSameBuyer = customerId === null || customerId === before.customerId;
  const kept = { ...before, currency: before.currency as typeof currency };
  return isSameBuyer && contentOf(kept) === contentOf({ amountMinor, currency, orderId, items });
}

/** JSON has no bigint. */
function itemsOf(items: OrderStep['items']) {
  return items.map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, value]) => [name, String(value)])),
  );
}

/** Resolves with whether the order was new. */
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
