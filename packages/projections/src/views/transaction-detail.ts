/** The Customer Service detail: one transaction with its order, addresses, session and products. */
import { currencyOf, Policies, type Reference, Transaction, toMajor } from '@counterfoil/core';
import type { Build, ReadModelStore } from '../read-model-store.ts';
import {
  keyOf,
  liveModel,
  liveModels,
  PAYMENTS,
  RECORDS,
  REFERENCE,
  TRANSACTIONS,
} from './live-model.ts';
import { readPayment } from './payment-reading.ts';
import type { ReferenceView } from './reference.ts';
import { storedRecord } from './search-record.ts';
import { renderSubscription, type SubscriptionRecord } from './subscription-record.ts';
import { SubscriptionView } from './subscriptions.ts';
import { type RenderContext, renderPayment, type TransactionRecord } from './transaction-record.ts';

/** An address of the order, with the contract's field names. */
export interface AddressRecord extends Transaction.Address {
  readonly orderId: number;
  readonly messageId: string;
}

/** A cart element, with the contract's field names. Amounts in major units. */
export interface CartLine {
  readonly Quantity: number;
  readonly StorefrontVariantId: number;
  readonly UnitPrice: number;
  readonly StorefrontProductId: number;
  readonly MessageId: string;
  readonly ShopId: number;
  /** The numeric code of ISO 4217. */
  readonly CurrencyId: number;
  readonly UnitCost: number;
  readonly DiscountCodeId: number;
  readonly DiscountAmount: number;
  readonly SalesStrategyId: number;
  readonly CustomDiscountAmount: number;
}

/** A try at one merchant account. */
export interface RoutedAttempt
  extends Pick<Transaction.Attempt, 'attempt' | 'outcome' | 'declineCode'>,
    Pick<
      Transaction.Route,
      'merchantAccountId' | 'mid' | 'midName' | 'gateway' | 'descriptor' | 'skipped'
    > {
  /** What the gateway said. */
  readonly message: string;
  readonly at: string;
}

export interface TransactionDetail {
  readonly transaction: TransactionRecord;
  /** Whether it is test data. */
  readonly sandbox: boolean;
  /** Which merchant accounts were tried and passed over; of a child, those of its payment. */
  readonly routing: {
    readonly attempts: readonly RoutedAttempt[];
    /** Passed over after the last attempt was declined. */
    readonly skipped: Transaction.Route['skipped'];
  };
  /** The default address; null when none was given. */
  readonly addressData: AddressRecord | null;
  readonly addresses: readonly AddressRecord[];
  /** Those that the payment started, or the one that it is a rebill of; a child's are its payment's. */
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly sessionData: Transaction.Session | null;
  /** Line items of the order, or of the refund; empty when there are none. */
  readonly cart: readonly CartLine[];
  /** Products of the cart; undefined unless the order is ecommerce. */
  readonly storefrontProducts: readonly Reference.StorefrontProduct[] | undefined;
}

export interface DetailQuery {
  readonly tenantId: number;
  /** Of a payment or of one of its children. */
  readonly id: string;
  /** The present (ISO 8601, GMT). */
  readonly now: string;
}

/** A payment as the read model has it, and which of its records was asked for. */
export interface FoundPayment {
  readonly payment: Transaction.Payment;
  /** The child's id; undefined when the payment itself was asked for. */
  readonly childId: string | undefined;
}

/** Queries for one transaction. */
export class DetailView {
  readonly #store: ReadModelStore;
  readonly #reference: ReferenceView;
  readonly #subscriptions: SubscriptionView;

  constructor(store: ReadModelStore, reference: ReferenceView) {
    this.#store = store;
    this.#reference = reference;
    this.#subscriptions = new SubscriptionView(store);
  }

  /** The folded payment by its own id or a child's; undefined when the tenant has none of that id. */
  async payment(tenantId: number, id: string): Promise<FoundPayment | undefined> {
    return paymentIn(await liveModel(this.#store, TRANSACTIONS), tenantId, id);
  }

  /** Undefined when the tenant has no transaction of that id. */
  async detail({ tenantId, id, now }: DetailQuery): Promise<TransactionDetail | undefined> {
    const [model, definitions] = await liveModels(this.#store, [TRANSACTIONS, REFERENCE]);
    const found = await paymentIn(model, tenantId, id);
    if (found === undefined) return undefined;
    const names = await this.#reference.namesIn(definitions, tenantId);
    return this.#shown(found, { tenantId, names, now });
  }

  /** The detail of a payment that is known already, such as from the log. */
  async detailOf(
    found: FoundPayment,
    { tenantId, now }: Omit<DetailQuery, 'id'>,
  ): Promise<TransactionDetail> {
    const names = await this.#reference.names(tenantId);
    return this.#shown(found, { tenantId, names, now });
  }

  async #shown(
    { payment, childId }: FoundPayment,
    context: RenderContext,
  ): Promise<TransactionDetail> {
    const { tenantId, names } = context;
    const root = renderPayment(payment, context);
    const transaction =
      childId === undefined
        ? root
        : root.childTransactions.find(({ messageID }) => messageID === childId);
    if (transaction === undefined) throw new Error(`${payment.transactionId} has no ${childId}`);
    const addresses = payment.addresses.map((address) => ({
      ...address,
      orderId: payment.orderId,
      messageId: payment.transactionId,
    }));
    const isEcommerce = payment.applicationKind === Transaction.APPLICATION_KIND.Ecommerce;
    const cart = cartOf(payment, childId);
    const subscriptionIds = Policies.subscriptionsOf(payment);
    const subscriptions =
      subscriptionIds.length === 0
        ? []
        : await this.#subscriptions.byIds(tenantId, subscriptionIds);
    return {
      transaction,
      sandbox: payment.sandbox,
      routing: { attempts: payment.attempts.map(routedAttempt), skipped: payment.skipped },
      addressData: addresses.find(({ addressType }) => addressType === 'DEFAULT') ?? null,
      addresses,
      subscriptions: subscriptions.map((each) => renderSubscription(each, { tenantId, names })),
      sessionData: payment.session,
      cart,
      storefrontProducts: isEcommerce
        ? await this.#reference.storefrontProducts(tenantId, productIdsOf(cart))
        : undefined,
    };
  }
}

/** The folded payment by its own id or a child's; undefined when the tenant has none of that id. */
async function paymentIn(
  model: Build,
  tenantId: number,
  id: string,
): Promise<FoundPayment | undefined> {
  const wanted = id.toLowerCase();
  const [own] = await model.get(PAYMENTS, [keyOf(tenantId, wanted)]);
  if (own !== undefined) return { payment: readPayment(own), childId: undefined };
  const [record] = await model.get(RECORDS, [keyOf(tenantId, wanted)]);
  if (record === undefined) return undefined;
  const { originalTransactionId } = storedRecord.decode(record);
  const paymentKey = keyOf(tenantId, originalTransactionId ?? wanted);
  const [parents] = await model.get(PAYMENTS, [paymentKey]);
  // Only damage takes away the payment that a record belongs to.
  if (parents === undefined) throw model.markDamaged(`the payment of ${wanted} is missing`);
  const childId = originalTransactionId === null ? undefined : wanted;
  return { payment: readPayment(parents), childId };
}

function routedAttempt({
  attempt,
  route: { merchantAccountId, mid, midName, gateway, descriptor, skipped },
  startedAt: at,
  outcome,
  declineCode,
  note: message,
}: Transaction.Attempt): RoutedAttempt {
  const account = { merchantAccountId, mid, midName, gateway, descriptor };
  return { attempt, outcome, ...account, declineCode, message, at, skipped };
}

function productIdsOf(cart: readonly CartLine[]): readonly number[] {
  return [...new Set(cart.map(({ StorefrontProductId }) => StorefrontProductId))];
}

/** The order's lines; of a refund, the items that it gives back. */
function cartOf(payment: Transaction.Payment, childId: string | undefined): readonly CartLine[] {
  const refund = payment.refunds.find(({ refundId }) => refundId === childId);
  if (refund === undefined) {
    return payment.items.map((item) => cartLine(payment, payment.transactionId, item));
  }
  return refund.items.map(({ storefrontVariantId, quantity, amountMinor }) => {
    const bought = payment.items.find((item) => item.storefrontVariantId === storefrontVariantId);
    const unitPriceMinor = bought?.unitPriceMinor ?? amountMinor / BigInt(quantity);
    const fullMinor = unitPriceMinor * BigInt(quantity);
    return cartLine(payment, refund.refundId, {
      storefrontVariantId,
      storefrontProductId: bought?.storefrontProductId ?? 0,
      quantity,
      unitPriceMinor,
      unitCostMinor: bought?.unitCostMinor ?? 0n,
      discountCodeId: bought?.discountCodeId ?? 0,
      // The line comes to what is given back for it.
      discountMinor: fullMinor > amountMinor ? fullMinor - amountMinor : 0n,
      salesStrategyId: bought?.salesStrategyId ?? 0,
      customDiscountMinor: 0n,
    });
  });
}

function cartLine(
  { currency, shopId }: Transaction.Payment,
  messageId: string,
  item: Transaction.LineItem,
): CartLine {
  return {
    Quantity: item.quantity,
    StorefrontVariantId: item.storefrontVariantId,
    UnitPrice: toMajor(item.unitPriceMinor, currency),
    StorefrontProductId: item.storefrontProductId,
    MessageId: messageId,
    ShopId: shopId ?? 0,
    CurrencyId: currencyOf(currency)?.numericCode ?? 0,
    UnitCost: toMajor(item.unitCostMinor, currency),
    DiscountCodeId: item.discountCodeId,
    DiscountAmount: toMajor(item.discountMinor, currency),
    SalesStrategyId: item.salesStrategyId,
    CustomDiscountAmount: toMajor(item.customDiscountMinor, currency),
  };
}
