/** What can happen to a payment and to the refunds, chargebacks and alerts that follow it. */
import { z } from 'zod';
import { type EventsOf, event, Instant, Minor, type Upcast } from '../../kernel/event-schema.ts';
import { TransactionId } from '../../kernel/ids.ts';
import { withInterval } from '../subscription/plan.ts';
import { Card, erasedOrder, orderFields } from './order.ts';

const at = Instant;
const note = z.string().max(1000);

/** A fee of the merchant account, in minor units of the fee's own currency. */
export const Fee = z.strictObject({
  account: z.enum([
    'fees:discount',
    'fees:gateway',
    'fees:bank-auth',
    'fees:bank-decline',
    'fees:bank-avs',
    'fees:custom',
    'fees:chargeback',
    'fees:alert',
    'fees:rdr',
    'fees:cdrn',
  ]),
  amountMinor: Minor,
  currency: z.string().length(3),
});
export type Fee = z.output<typeof Fee>;
export type FeeAccount = Fee['account'];

/**
 * The merchant account's terms when the attempt was made. Fees are minor units of `feeCurrency`,
 * percentages decimal texts. They stay with the payment, so editing the account moves no history.
 */
export const Terms = z.strictObject({
  feeCurrency: z.string().length(3),
  discountRatePercentage: z.string(),
  gatewayTransactionFeeMinor: Minor,
  bankAuthFeeMinor: Minor,
  bankDeclineFeeMinor: Minor,
  bankAvsFeeMinor: Minor,
  customFeeMinor: Minor,
  customFeeApprovedOnlyMinor: Minor,
  chargebackFeeMinor: Minor,
  alertProviderFeeMinor: Minor,
  rdrFeeMinor: Minor,
  cdrnFeeMinor: Minor,
  reservePercentage: z.string(),
  reserveHoldDays: z.int().nonnegative(),
});
export type Terms = z.output<typeof Terms>;

/** The merchant account as an attempt was routed to it. */
export const Route = z.strictObject({
  merchantAccountId: z.int().positive(),
  companyId: z.int().positive(),
  gatewayId: z.int().positive(),
  gateway: z.string(),
  mid: z.string(),
  midName: z.string(),
  descriptor: z.string(),
  terms: Terms,
  /** The accounts passed over before this one, and why. */
  skipped: z.array(z.strictObject({ merchantAccountId: z.int().positive(), reason: z.string() })),
});
export type Route = z.output<typeof Route>;

/** Version 1 did not have the accounts that were passed over after the decline. */
const withoutSkipped: Upcast = (data) => ({ ...data, skipped: [] });

/** The books that an event which moves money belongs to. */
const books = {
  sandbox: z.boolean(),
  merchantAccountId: z.int().positive(),
  currency: z.string().length(3),
};

/** The network of the card that was asked; 0 when unknown. Not personal: it stays when the card is erased. */
const cardBrandId = Card.shape.brandId;

const refundItems = z.array(
  z.strictObject({
    storefrontVariantId: z.int().nonnegative(),
    quantity: z.int().positive(),
    amountMinor: Minor,
    restock: z.boolean(),
  }),
);

/** What is given back of an ecommerce order beyond its lines. */
const refundAdjustments = z.array(
  z.strictObject({ kind: z.enum(['shipping', 'other']), amountMinor: Minor }),
);

const refundSource = z.enum([
  'CustomerService',
  'Admin',
  'CardApi',
  'AlertProvider',
  'CDRN',
  'RDR',
  'System',
  'Gateway',
]);

/** Version 1 had no plans. */
const withoutPlans: Upcast = (data) => ({ ...data, plans: [] });

/** Version 1 gave no fees back. */
const withoutReversedFees: Upcast = (data) => ({ ...data, reversedFees: [] });

/** Version 1 had items only. */
const withoutAdjustments: Upcast = (data) => ({ ...data, adjustments: [] });

/** Version 1 charged nothing. */
const withoutFees: Upcast = (data) => ({ ...data, fees: [] });

/** Version 2 gave no reason. */
const withoutReason: Upcast = (data) => ({ ...data, reason: null });

/** Their first versions did not have the card network: it is erased with the card of the payment. */
const withoutCardBrand: Upcast = (data) => ({ ...data, cardBrandId: 0 });

/** Version 2 did not have the account that the request named. */
const withoutPin: Upcast = (data) => ({ ...data, pinnedMerchantAccountId: null });

/** Version 3 counted plans in days only. */
const withIntervals: Upcast = ({ plans, ...older }) => ({
  ...older,
  plans: (plans as Record<string, unknown>[]).map(withInterval),
});

/** Version 1 came of the gateway alone, when it was recorded, and set no date. */
const withoutProvider: Upcast = (data) => ({ ...data, provider: '' });
const withoutDates: Upcast = (data) => ({
  ...withoutProvider(data),
  openedAt: data['at'],
  respondBy: null,
});

const chargebackMoved = { chargebackId: TransactionId, note, at };
const chargebackReversed = { ...chargebackMoved, ...books, amountMinor: Minor };
const alertMoved = { alertId: TransactionId, note, at };

export const events = {
  // The payment.
  PaymentSubmitted: event(
    { transactionId: TransactionId, ...orderFields, at },
    { upcasts: [withoutPlans, withoutPin, withIntervals], erased: erasedOrder },
  ),
  /** The black list or a rule stopped the payment before any gateway was called. */
  PaymentBlocked: event({ blackListing: z.int().nonnegative(), note, at }),
  /** The intent to ask the gateway; durable before the gateway is called. `attempt` counts from 1. */
  AttemptStarted: event({ attempt: z.int().positive(), route: Route, at }),
  /** The attempt was declined and another account will be tried. */
  AttemptDeclined: event({
    attempt: z.int().positive(),
    ...books,
    declineCode: z.string(),
    note,
    fees: z.array(Fee),
    at,
  }),
  ActionRequired: event({
    attempt: z.int().positive(),
    nextAction: z.strictObject({ type: z.string(), url: z.string() }),
    gatewayTransactionId: z.string(),
    at,
  }),
  /** The customer did what was asked; the gateway is about to be asked again. */
  ActionCompleted: event({ attempt: z.int().positive(), at }),
  PaymentAuthorized: event({
    ...books,
    amountMinor: Minor,
    authCode: z.string(),
    gatewayTransactionId: z.string(),
    note,
    fees: z.array(Fee),
    at,
  }),
  /** The intent to capture an authorization. */
  CaptureRequested: event({ captureId: TransactionId, amountMinor: Minor, at }),
  /** The gateway refused to capture; the authorization is still valid. */
  CaptureFailed: event({ captureId: TransactionId, note, at }),
  /** Money is owed to the merchant. The rest of a larger authorization is released. */
  PaymentCaptured: event(
    {
      ...books,
      cardBrandId,
      amountMinor: Minor,
      authCode: z.string(),
      gatewayTransactionId: z.string(),
      arn: z.string(),
      note,
      fees: z.array(Fee),
      reserveMinor: Minor,
      at,
    },
    { upcasts: [withoutCardBrand] },
  ),
  PaymentDeclined: event(
    {
      ...books,
      cardBrandId,
      declineCode: z.string(),
      /** A hard decline must not be tried again with this card. */
      hard: z.boolean(),
      gatewayTransactionId: z.string(),
      note,
      fees: z.array(Fee),
      /** The accounts that could not try it after this decline, and why. */
      skipped: Route.shape.skipped,
      at,
    },
    { upcasts: [withoutSkipped, withoutCardBrand] },
  ),
  PaymentFailed: event({ note, at }),
  /** The gateway did not answer: the outcome has to be asked for. */
  OutcomeUnknown: event({ note, at }),
  AuthorizationExpired: event({ note, at }),
  /** The intent to void, durable before the gateway is called. */
  VoidRequested: event({ voidId: TransactionId, at }),
  VoidFailed: event({ voidId: TransactionId, note, at }),
  /**
   * `amountMinor` is what had been captured (0 for an authorization), `reserveMinor` what was held of it,
   * `reversedFees` what was charged as a part of it.
   */
  PaymentVoided: event(
    {
      voidId: TransactionId,
      ...books,
      amountMinor: Minor,
      reserveMinor: Minor,
      reversedFees: z.array(Fee),
      note,
      at,
    },
    { upcasts: [withoutReversedFees] },
  ),
  /** The acquirer paid out; `amountMinor` is what reached the bank. */
  PaymentSettled: event({ ...books, amountMinor: Minor, reference: z.string(), at }),
  /**
   * The acquirer settled something else than the capture. `amountMinor` is what reached the bank, negative
   * where it was taken back; `id` is the refund or the chargeback.
   */
  MovementSettled: event({
    kind: z.enum(['refund', 'chargeback', 'reversal', 'reserve', 'fee']),
    id: TransactionId.nullable(),
    ...books,
    amountMinor: Minor,
    reference: z.string(),
    at,
  }),
  ReserveReleased: event({ releaseId: TransactionId, ...books, amountMinor: Minor, at }),

  // Refunds.
  /** Reserves the amount under the money-out rule; durable before the gateway is called. */
  RefundRequested: event(
    {
      refundId: TransactionId,
      amountMinor: Minor,
      items: refundItems,
      adjustments: refundAdjustments,
      source: refundSource,
      /** Why, where nobody asked for it: the payment was found captured too late. */
      reason: z.enum(['late-capture']).nullable(),
      notifyCustomer: z.boolean(),
      requestedBy: z.string(),
      at,
    },
    { upcasts: [withoutAdjustments, withoutReason] },
  ),
  Refunded: event({
    refundId: TransactionId,
    ...books,
    amountMinor: Minor,
    gatewayTransactionId: z.string(),
    arn: z.string(),
    note,
    at,
  }),
  /** Frees the amount it had reserved. */
  RefundFailed: event({ refundId: TransactionId, note, at }),
  /** A refund that was paid has failed since: the bank sent the money back. */
  RefundReversed: event({ refundId: TransactionId, ...books, amountMinor: Minor, note, at }),
  /** The network has already moved the money (RDR): recorded only. */
  NetworkRefunded: event(
    {
      refundId: TransactionId,
      alertId: TransactionId.nullable(),
      ...books,
      amountMinor: Minor,
      arn: z.string(),
      note,
      fees: z.array(Fee),
      at,
    },
    { upcasts: [withoutFees] },
  ),

  // Chargebacks.
  ChargebackOpened: event(
    {
      chargebackId: TransactionId,
      /** Who reported it; empty for the gateway. */
      provider: z.string(),
      /** The provider's reference: a second delivery of it changes nothing. */
      reference: z.string(),
      ...books,
      amountMinor: Minor,
      reasonCode: z.string(),
      arn: z.string(),
      /** The part that lies beyond what was left of the capture: money given back twice. */
      beyondCapturedMinor: Minor,
      /** When the bank opened it. It is booked when it is recorded (`at`). */
      openedAt: Instant,
      /** When an answer must have been given; null where that is not known. */
      respondBy: Instant.nullable(),
      note,
      fees: z.array(Fee),
      at,
    },
    { upcasts: [withoutDates] },
  ),
  ChargebackUnderReview: event(chargebackMoved),
  ChargebackWon: event(chargebackReversed),
  ChargebackLost: event(chargebackMoved),
  ChargebackAccepted: event(chargebackMoved),
  ChargebackWithdrawn: event(chargebackReversed),

  // Alerts.
  AlertReceived: event(
    {
      alertId: TransactionId,
      /** Who reported it; empty for the gateway. */
      provider: z.string(),
      reference: z.string(),
      source: z.enum(['AlertProvider', 'CDRN', 'RDR', 'OrderInquiry', 'Acquirer', 'Manual']),
      alertType: z.enum([
        'ConfirmedFraud',
        'CustomerDispute',
        'EarlyFraudWarning',
        'AutoResolved',
        'OrderInquiry',
        'Cancellation',
      ]),
      ...books,
      amountMinor: Minor,
      arn: z.string(),
      /** When an answer must have been given; null when the source sets no deadline. */
      deadline: Instant.nullable(),
      note,
      fees: z.array(Fee),
      at,
    },
    { upcasts: [withoutProvider] },
  ),
  AlertResolved: event(alertMoved),
  AlertDeclined: event(alertMoved),
  AlertExpired: event(alertMoved),
};

export type Event = EventsOf<typeof events>;
export type EventOf<Type extends Event['type']> = Extract<Event, { type: Type }>;
