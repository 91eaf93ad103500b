/** The payments of one tenant, for one caller: amounts are decimal texts, ids are derived from keys. */
import {
  isEmail,
  type Subscription,
  Transaction,
  TransactionId,
  toDecimal,
  toMinor,
} from '@counterfoil/core';
import type { SearchPage } from '@counterfoil/projections';
import { z } from 'zod';
import { type Acting, sandboxOf } from '../acting.ts';
import { checkCard } from '../gateways/card-number.ts';
import { idOfKey } from '../idempotency-key.ts';
import { uuidV7 } from '../ids.ts';
import { cadenceOf } from '../input/cadence.ts';
import { type CallInputs, inputOf } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { IdempotencyKey } from '../input/texts.ts';
import { refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import { queryOf, type Search, SearchInput, type Transactions } from '../transactions/index.ts';
import type { Instrument } from './cards.ts';
import {
  AmountText,
  Keyed,
  PaymentSubmission,
  type PlanInput,
  RefundSubmission,
  type TypedCard,
} from './payment-input.ts';
import type { FollowUp, PaymentRequest, Payments } from './payments.ts';

/** A payment as its tenant sees it: amounts in major units of `currency`. */
export interface PaymentView {
  readonly id: TransactionId;
  readonly status: Transaction.Status;
  readonly currency: string;
  readonly amount: string;
  readonly capturedAmount: string;
  readonly refundedAmount: string;
  readonly refundableAmount: string;
  readonly refundableMinor: bigint;
  readonly customerId: number;
  readonly orderId: number;
  /** For later payments of the same customer; null for a payment without a card. */
  readonly token: string | null;
  /** The whole folded state. */
  readonly payment: Transaction.Payment;
}

export interface RefundView {
  readonly id: TransactionId;
  readonly status: Transaction.Refund['status'];
  readonly currency: string;
  readonly amount: string;
}

/** A page of payments. */
export interface PaymentPage {
  readonly payments: readonly PaymentView[];
  readonly moreResults: boolean;
  /** `after` of the next page. */
  readonly end: SearchPage['end'];
}

interface PaymentParts {
  readonly payments: Payments;
  readonly transactions: Transactions;
  readonly clock: Clock;
}

export class TenantPayments {
  readonly #payments: Payments;
  readonly #transactions: Transactions;
  readonly #clock: Clock;
  readonly #acting: Acting;

  constructor({ payments, transactions, clock }: PaymentParts, acting: Acting) {
    this.#payments = payments;
    this.#transactions = transactions;
    this.#clock = clock;
    this.#acting = acting;
  }

  /** The payment id of an idempotency key, used or not. Throws `InputInvalid`. */
  idOf(idempotencyKey: string): TransactionId {
    const key = inputOf(IdempotencyKey, idempotencyKey);
    return idOfKey(this.#acting, 'payment', { key });
  }

  /** Submits a payment and waits for the gateway's answer. A decline is a status, not a refusal. */
  async submit(submission: PaymentSubmission): Promise<PaymentView> {
    const { tenantId, caller } = this.#acting;
    const { idempotencyKey: key, card } = submission;
    const transactionId = idOfKey(this.#acting, 'payment', { key });
    const content = contentOf(submission);
    const payment = await this.#payments.submitNamed(
      { tenantId, transactionId, content, cvv: card?.cvv },
      () => this.#requestOf(submission, { transactionId, content }),
      caller,
    );
    return this.#viewOf(payment);
  }

  /** Refuses with `TransactionUnknown`. */
  async get(id: string): Promise<PaymentView> {
    return this.#viewOf(await this.#find(id));
  }

  /** A page of payments, newest first. Reads the caller's own writes. */
  async list(search: Search = {}): Promise<PaymentPage> {
    const page = await this.#transactions.payments(queryOf(this.#acting, search));
    const payments = page.transactions.map(({ transactionId }) => this.get(transactionId));
    return {
      payments: await Promise.all(payments),
      moreResults: page.moreResults,
      end: page.end,
    };
  }

  /** Continues a payment in `RequiresAction` after the customer's action. */
  async confirm(id: string, keyed: Keyed = {}): Promise<PaymentView> {
    const followUp = await this.#followUp('confirmPayment', id, keyed);
    return this.#viewOf(await this.#payments.confirm(followUp, this.#acting.caller));
  }

  /** Captures the authorized amount or a part of it, once; the rest is released. */
  async capture(
    id: string,
    { amount, ...keyed }: Keyed & { readonly amount?: string | undefined } = {},
  ): Promise<PaymentView> {
    const { currency } = await this.#find(id);
    const amountMinor = amount === undefined ? undefined : minorOf(amount, currency, 'amount');
    const followUp = await this.#followUp('capturePayment', id, keyed, amount);
    return this.#viewOf(await this.#payments.capture(followUp, amountMinor, this.#acting.caller));
  }

  /** Voids an authorization, or a capture that is not settled yet. */
  async void(id: string, keyed: Keyed = {}): Promise<PaymentView> {
    const followUp = await this.#followUp('voidPayment', id, keyed);
    return this.#viewOf(await this.#payments.void(followUp, this.#acting.caller));
  }

  /** Refunds the remaining balance or a part of it. `RefundFailed` is a status, not a refusal. */
  async refund(id: string, submission: RefundSubmission = {}): Promise<RefundView> {
    const { tenantId, caller } = this.#acting;
    const { idempotencyKey: key, amount, items = [], notifyCustomer = false } = submission;
    const { currency, transactionId } = await this.#find(id);
    const asked = amount === undefined ? undefined : minorOf(amount, currency, 'amount');
    // Further down 0 means the remaining balance.
    if (asked === 0n) throw refused({ type: 'AmountNotPositive', amountMinor: asked, currency });
    const refund = await this.#payments.refund(
      {
        tenantId,
        transactionId,
        refundId: idOfKey(this.#acting, 'refundPayment', { key, actsOn: [transactionId] }),
        content: [transactionId, amount, items, notifyCustomer],
        ...(asked !== undefined && { amountMinor: asked }),
        items: items.map((item) => definedOf(item)),
        source: 'System',
        notifyCustomer,
      },
      caller,
    );
    const { refundId, status, amountMinor } = refund;
    return { id: refundId, status, currency, amount: toDecimal(amountMinor, currency) };
  }

  async #followUp(
    operation: string,
    id: string,
    { idempotencyKey: key }: Keyed,
    amount?: string,
  ): Promise<FollowUp> {
    const { transactionId } = await this.#find(id);
    const requestId = idOfKey(this.#acting, operation, { key, actsOn: [transactionId] });
    const { tenantId } = this.#acting;
    return { tenantId, transactionId, requestId, content: [transactionId, amount] };
  }

  async #find(id: string): Promise<Transaction.Payment> {
    const { tenantId, environment } = this.#acting;
    const { success, data } = TransactionId.safeParse(id);
    if (!success) throw refused({ type: 'TransactionUnknown' });
    const payment = await this.#payments.get(tenantId, data);
    // A caller of the test environment sees sandbox data only.
    if (environment === 'live' || payment.sandbox) return payment;
    throw refused({ type: 'TransactionUnknown' });
  }

  /** Refuses, in this order: email, card and token, amounts, plans. */
  #requestOf(
    submission: PaymentSubmission,
    { transactionId, content }: Pick<PaymentRequest, 'transactionId' | 'content'>,
  ): PaymentRequest {
    const { tenantId } = this.#acting;
    const { email, currency, capture = true, plans = [] } = submission;
    if (!isEmail(email)) throw refused({ type: 'EmailInvalid' });
    return {
      tenantId,
      transactionId,
      content,
      instrument: instrumentOf(submission, this.#clock.now()),
      order: {
        ...Transaction.orderOf({
          email,
          currency,
          amountMinor: 0n,
          orderId: 0,
          customerId: 0,
          companyId: 0,
        }),
        ...ownOrder(submission),
        sandbox: sandboxOf(this.#acting, submission.sandbox),
        amountMinor: minorOf(submission.amount, currency, 'amount'),
        captureMode: capture ? 'automatic' : 'manual',
        serviceSession: uuidV7(),
      },
      plans: plans.map((plan, index) => planOf(plan, currency, index)),
      ...definedOf(submission, ['orderId', 'customerId', 'companyId', 'merchantAccountId']),
    };
  }

  async #viewOf(payment: Transaction.Payment): Promise<PaymentView> {
    const { tenantId } = this.#acting;
    const { token, refundableMinor } = await this.#payments.viewOf(tenantId, payment);
    const { transactionId: id, currency, status, customerId, orderId } = payment;
    const inMajor = (minor: bigint) => toDecimal(minor, currency);
    return {
      id,
      status,
      currency,
      amount: inMajor(payment.amountMinor),
      capturedAmount: inMajor(payment.capturedMinor),
      refundedAmount: inMajor(Transaction.refundedMinor(payment)),
      refundableAmount: inMajor(refundableMinor),
      refundableMinor,
      customerId,
      orderId,
      token,
      payment,
    };
  }
}

const OWN_ORDER = [
  'firstName',
  'lastName',
  'applicationId',
  'shopId',
  'campaignId',
  'affiliateId',
  'productId',
  'pricePointId',
  'partnerSession',
  'items',
  'addresses',
  'session',
] as const satisfies readonly (keyof PaymentSubmission & keyof PaymentRequest['order'])[];

function ownOrder(submission: PaymentSubmission) {
  return definedOf(submission, OWN_ORDER);
}

function contentOf({ idempotencyKey: _, ...submission }: PaymentSubmission): unknown {
  return withoutSecrets(submission);
}

/** What marks a repetition is hashed into the log, so a card's number and cvv have no part in it. */
export function withoutSecrets({
  card,
  ...rest
}: {
  readonly card?: Pick<TypedCard, 'number' | 'expMonth' | 'expYear'> | undefined;
}): unknown {
  return {
    ...rest,
    last4: card?.number.slice(-4),
    expMonth: card?.expMonth,
    expYear: card?.expYear,
  };
}

/** Refuses a card that cannot be right, and both or neither of card and token. */
export function instrumentOf(
  {
    card,
    token,
  }: {
    readonly card?: TypedCard | undefined;
    readonly token?: string | undefined;
  },
  now: string,
): Instrument {
  if ((card === undefined) === (token === undefined)) throw refused({ type: 'CardOrToken' });
  if (card === undefined) return { token: token ?? '' };
  const checked = checkCard({ ...card, holder: card.holder ?? '' }, new Date(now));
  if (checked.valid) return { card: checked.card };
  throw refused({ type: 'CardInvalid', faults: checked.faults });
}

function planOf(plan: PlanInput, currency: string, index: number): Subscription.Plan {
  const { name, description = '', rebillAmount, frequencyDays, trialDays = 0 } = plan;
  const cadence = cadenceOf(frequencyDays, plan);
  if (cadence === undefined) throw new Error('a plan without a cadence passed the input check');
  const rebillAmountMinor = minorOf(rebillAmount, currency, `plans/${index}/rebillAmount`);
  if (rebillAmountMinor <= 0n) {
    throw refused({ type: 'RebillAmountNotPositive', amountMinor: rebillAmountMinor });
  }
  return { name, description, rebillAmountMinor, ...cadence, trialDays };
}

/** Minor units of a decimal text; refuses what the currency does not hold. */
export function minorOf(amount: string, currency: string, field: string): bigint {
  const minor = toMinor(amount, currency);
  if (minor._tag === 'Right') return minor.right;
  if (minor.left.type === 'UnknownCurrency') throw refused({ type: 'UnknownCurrency', currency });
  throw refused({ type: 'AmountInvalid', field, reason: minor.left.type });
}

/** What is no id names no payment. */
const PaymentId = z.string();

export const PAYMENT_INPUTS: CallInputs<TenantPayments> = {
  submit: [PaymentSubmission],
  get: [PaymentId],
  list: [SearchInput.optional()],
  confirm: [PaymentId, Keyed.optional()],
  capture: [PaymentId, Keyed.extend({ amount: AmountText.optional() }).optional()],
  void: [PaymentId, Keyed.optional()],
  refund: [PaymentId, RefundSubmission.optional()],
};
