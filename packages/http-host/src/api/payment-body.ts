/** A payment as the Card API shows it. */
import { Transaction, toMajor } from '@counterfoil/core';
import type { PaymentView } from '@counterfoil/engine';
import { z } from 'zod';
import {
  At,
  CardBrandId,
  CardBrandName,
  RefundSourceName,
  StatusId,
  StatusName,
  UuidText,
} from './answer-fields.ts';
import { PlanBody, planBodies } from './payment-plans.ts';
import { AdjustmentKind } from './refund-items.ts';

const money = z.number().meta({ description: 'In major units of the currency' });

const RefundedItem = z
  .object({
    StorefrontVariantId: z.int(),
    Quantity: z.int32(),
    Amount: money,
    Restock: z.boolean(),
  })
  .meta({ id: 'RefundedItem' });

const RefundedAdjustment = z
  .object({ Adjustment: AdjustmentKind, Amount: money })
  .meta({ id: 'RefundedAdjustment' });

export const RefundBody = z
  .object({
    id: UuidText,
    paymentId: UuidText,
    status: StatusName,
    statusId: StatusId,
    success: z.boolean(),
    amount: money,
    currency: z.string(),
    source: RefundSourceName,
    reason: z.enum(['late-capture']).nullable().meta({
      description:
        'Why, where nobody asked for it: `late-capture` is a payment of unknown outcome that was found captured late (setting `lateCapture`)',
    }),
    items: z.array(RefundedItem),
    adjustments: z
      .array(RefundedAdjustment)
      .meta({ description: 'What was given back of the order beyond its lines' }),
    message: z.string(),
    createdAt: At,
    completedAt: At.nullable(),
  })
  .meta({ id: 'Refund' });

const PaymentCard = z
  .object({
    token: z.string(),
    bin: z.string(),
    last4: z.string(),
    brandId: CardBrandId,
    brand: CardBrandName,
    expMonth: z.int32(),
    expYear: z.int32(),
  })
  .nullable()
  .meta({ id: 'PaymentCard', description: 'The card; null without one, and once it is erased' });

const SkippedAccount = z
  .object({
    merchantAccountId: z.int(),
    reason: z.string().meta({
      description:
        'already-tried, gateway-absent, other-gateway, credentials-unusable, credentials-refused, card-number-not-taken, amount-not-taken, currency-not-held, network-disabled, over-max-price or over-monthly-cap',
      example: 'over-monthly-cap',
    }),
  })
  .meta({ id: 'SkippedAccount', description: 'A merchant account that was passed over' });

const Attempt = z
  .object({
    attempt: z.int32(),
    outcome: z.enum(['pending', 'approved', 'declined', 'failed', 'unknown', 'action-required']),
    merchantAccountId: z.int(),
    mid: z.string(),
    gateway: z.string(),
    declineCode: z.string(),
    message: z.string(),
    at: At,
    skipped: z
      .array(SkippedAccount)
      .meta({ description: 'The accounts passed over before this one, each with its reason' }),
  })
  .meta({ id: 'PaymentAttempt', description: 'A try at one merchant account' });

const RoutedAttempt = z
  .object({ ...Attempt.shape, midName: z.string(), descriptor: z.string() })
  .meta({ id: 'RoutedAttempt', description: 'A try at one merchant account' });

export const RoutingBody = z
  .object({
    attempts: z.array(RoutedAttempt),
    skipped: z
      .array(SkippedAccount)
      .meta({ description: 'The accounts passed over after the last try was declined' }),
  })
  .meta({
    id: 'Routing',
    description: 'Which merchant accounts were tried and passed over; of a child, its payment’s',
  });

export const NextAction = z
  .object({ type: z.string(), url: z.string() })
  .nullable()
  .meta({ id: 'NextAction', description: 'What the customer must do; null when nothing' });

export const PaymentBody = z
  .object({
    id: UuidText,
    status: StatusName,
    statusId: StatusId,
    success: z.boolean(),
    message: z.string().meta({ description: 'What the gateway said' }),
    amount: money,
    currency: z.string(),
    authorizedAmount: money,
    capturedAmount: money,
    refundedAmount: money,
    pendingRefundAmount: money,
    refundableAmount: money,
    sandbox: z.boolean(),
    orderId: z.int(),
    customerId: z.int(),
    email: z.string(),
    applicationId: z.int(),
    companyId: z.int(),
    shopId: z.int().nullable(),
    campaignId: z.int().nullable(),
    affiliateId: z.int().nullable(),
    productId: z.int().nullable(),
    pricePointId: z.int().nullable(),
    merchantAccountId: z.int().nullable(),
    descriptor: z.string(),
    authCode: z.string(),
    gatewayTransactionId: z.string(),
    declineCode: z.string(),
    partnerSession: z.string().nullable(),
    serviceSession: z.string(),
    walletPayA: z.boolean(),
    walletPayB: z.boolean(),
    card: PaymentCard,
    attempts: z.array(Attempt),
    nextAction: NextAction,
    refunds: z.array(RefundBody),
    subscriptions: z
      .array(PlanBody)
      .meta({ description: 'What the payment starts once it is captured, listed from the first' }),
    subscriptionId: z
      .int()
      .nullable()
      .meta({ description: 'The subscription that it renews, or the first that it starts' }),
    createdAt: At,
    completedAt: At.nullable(),
  })
  .meta({ id: 'Payment' });

export function paymentBody({
  payment,
  token,
  refundableMinor,
}: Pick<PaymentView, 'payment' | 'token' | 'refundableMinor'>): z.input<typeof PaymentBody> {
  const { currency, status } = payment;
  const amountOf = (minor: bigint) => toMajor(minor, currency);
  const route = Transaction.routeOf(payment);
  return {
    id: payment.transactionId,
    status,
    statusId: Transaction.STATUS_ID[status],
    success: Transaction.succeeded(status),
    // Pages show this to payers, who are not told that a list has them.
    message: status === 'Blocked' ? 'declined' : payment.note,
    amount: amountOf(payment.amountMinor),
    currency,
    authorizedAmount: amountOf(payment.authorizedMinor),
    capturedAmount: amountOf(payment.capturedMinor),
    refundedAmount: amountOf(Transaction.refundedMinor(payment)),
    pendingRefundAmount: amountOf(Transaction.pendingRefundMinor(payment)),
    refundableAmount: amountOf(refundableMinor),
    sandbox: payment.sandbox,
    orderId: payment.orderId,
    customerId: payment.customerId,
    email: payment.email,
    applicationId: payment.applicationId,
    companyId: payment.companyId,
    shopId: payment.shopId,
    campaignId: payment.campaignId,
    affiliateId: payment.affiliateId,
    productId: payment.productId,
    pricePointId: payment.pricePointId,
    merchantAccountId: route?.merchantAccountId ?? null,
    descriptor: route?.descriptor ?? '',
    authCode: payment.authCode,
    gatewayTransactionId: payment.gatewayTransactionId,
    declineCode: payment.declineCode,
    partnerSession: payment.partnerSession,
    serviceSession: payment.serviceSession,
    walletPayA: payment.walletPayA,
    walletPayB: payment.walletPayB,
    card: payment.card === null ? null : { ...cardBody(payment.card), token: token ?? '' },
    attempts: payment.attempts.map(attemptBody),
    nextAction: payment.nextAction,
    refunds: payment.refunds.map((refund) => refundBody(refund, payment)),
    subscriptions: planBodies(payment),
    subscriptionId: payment.subscriptionId,
    createdAt: payment.submittedAt,
    completedAt: payment.completedAt,
  };
}

function cardBody({ bin, last4, brandId, expMonth, expYear }: Transaction.Card) {
  const brand = Transaction.CARD_BRAND[brandId] ?? '';
  return { bin, last4, brandId, brand, expMonth, expYear };
}

function attemptBody({
  attempt,
  outcome,
  route,
  declineCode,
  note,
  startedAt,
}: Transaction.Attempt) {
  const { merchantAccountId, mid, gateway, skipped } = route;
  return {
    attempt,
    outcome,
    merchantAccountId,
    mid,
    gateway,
    declineCode,
    message: note,
    at: startedAt,
    skipped,
  };
}

export function refundBody(
  refund: Transaction.Refund,
  { transactionId, currency }: Pick<Transaction.Payment, 'transactionId' | 'currency'>,
): z.input<typeof RefundBody> {
  return {
    id: refund.refundId,
    paymentId: transactionId,
    status: refund.status,
    statusId: Transaction.STATUS_ID[refund.status],
    success: Transaction.succeeded(refund.status),
    amount: toMajor(refund.amountMinor, currency),
    currency,
    source: refund.source,
    reason: refund.reason,
    items: refund.items.map((item) => ({
      StorefrontVariantId: item.storefrontVariantId,
      Quantity: item.quantity,
      Amount: toMajor(item.amountMinor, currency),
      Restock: item.restock,
    })),
    adjustments: refund.adjustments.map(({ kind, amountMinor }) => ({
      Adjustment: kind,
      Amount: toMajor(amountMinor, currency),
    })),
    message: refund.note,
    createdAt: refund.requestedAt,
    completedAt: refund.completedAt,
  };
}
