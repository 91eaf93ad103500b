/** The payments of one tenant, for one caller: amounts are decimal texts, ids are derived from keys. */
import {
  isEmail,
  type Subscription,
  Transaction,
  TransactionId,
  toDecimal,
} from '@counterfoil/core';
import type { SearchPage } from '@counterfoil/projections';
import { z } from 'zod';
import { type Acting, sandboxOf } from '../acting.ts';
import { checkCard } from '../gateways/card-number.ts';
import { idOfKey } from '../idempotency-key.ts';
import { minorOf } from '../input/amounts.ts';
import { cadenceOf } from '../input/cadence.ts';
import { type CallInputs, inputOf } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { IdempotencyKey } from '../input/texts.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { Refused, refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import { queryOf, type Search, SearchInput, type Transactions } from '../transactions/index.ts';
import type { Instrument } from './cards.ts';
import { contentOf, orderOf, refundPartsOf } from './order.ts';
import {
  AmountText,
  Keyed,
  PaymentSubmission,
  type PlanInput,
  RefundSubmission,
  type TypedCard,
} from './payment-input.ts';
import type { FollowUp, Payments } from './payments.ts';

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

/** A payment after a capture or a void, and what the gateway made of that. */
export interface FollowedUpView extends PaymentView {
  readonly outcome: 'done' | 'pending' | 'refused';
}

export interface RefundView {
  readonly id: TransactionId;
  readonly paymentId: TransactionId;
  readonly status: Transaction.Refund['status'];
  readonly currency: string;
  readonly amount: string;
  readonly customerId: number;
  readonly sandbox: boolean;
  /** The whole folded state. */
  readonly refund: Transaction.Refund;
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

  /** The refund, capture and void ids that an idempotency key has for a payment, used or not. */
  requestIdsOf(id: TransactionId, idempotencyKey: string): readonly TransactionId[] {
    const key = inputOf(IdempotencyKey, idempotencyKey);
    return ['refundPayment', 'capturePayment', 'voidPayment'].map((operation) =>
      idOfKey(this.#acting, operation, { key, actsOn: [id] }),
    );
  }

  /** Submits a payment and waits for the gateway's answer. A decline is a status, not a refusal. */
  async submit(submission: PaymentSubmission): Promise<PaymentView> {
    const { tenantId, caller } = this.#acting;
    const { idempotencyKey: key, card } = submission;
    const sandbox = sandboxOf(this.#acting, submission.sandbox);
    const transactionId = idOfKey(this.#acting, 'payment', { key });
    const content = contentOf(submission, sandbox);
    const named = { tenantId, transactionId, content, cvv: card?.cvv };
    const read = () => ({ ...named, ...this.#requestOf(submission, sandbox) });
    return this.#viewOf(await this.#payments.submitNamed(named, read, caller));
  }

  /** Refuses with `TransactionUnknown`. */
  async get(id: string): Promise<PaymentView> {
    return this.#viewOf(await this.#find(id));
  }

  /** A page of payments, newest first. Reads the caller's own writes. */
  async list(search: Search = {}): Promise<PaymentPage> {
    const { tenantId } = this.#acting;
    const page = await this.#transactions.payments(queryOf(this.#acting, search));
    const payments = page.transactions.map(async ({ transactionId }) =>
      this.#viewOf(await this.#payments.get(tenantId, transactionId as TransactionId)),
    );
    return {
      payments: await Promise.all(payments),
      moreResults: page.moreResults,
      end: page.end,
    };
  }

  /** Continues a payment in `RequiresAction` after the customer's action. */
  async confirm(id: string, keyed: Keyed = {}): Promise<PaymentView> {
    const followUp = this.#followUp('confirmPayment', await this.#find(id), keyed);
    return this.#viewOf(await this.#payments.confirm(followUp, this.#acting.caller));
  }

  /** Captures the authorized amount or a part of it, once; the rest is released. */
  async capture(
    id: string,
    { amount, ...keyed }: Keyed & { readonly amount?: string | undefined } = {},
  ): Promise<FollowedUpView> {
    const payment = await this.#find(id);
    const amountMinor =
      amount === undefined ? undefined : minorOf(amount, payment.currency, 'amount');
    const followUp = this.#followUp('capturePayment', payment, keyed, amountMinor);
    const after = await this.#payments.capture(followUp, amountMinor, this.#acting.caller);
    return this.#followedUp(after, followUp, after.pendingCapture !== null);
  }

  /** Voids an authorization, or a capture that is not settled yet. */
  async void(id: string, keyed: Keyed = {}): Promise<FollowedUpView> {
    const followUp = this.#followUp('voidPayment', await this.#find(id), keyed);
    const after = await this.#payments.void(followUp, this.#acting.caller);
    return this.#followedUp(after, followUp, after.pendingVoid !== null);
  }

  /** Refunds the remaining balance or a part of it. `RefundFailed` is a status, not a refusal. */
  async refund(id: string, submission: RefundSubmission = {}): Promise<RefundView> {
    const { tenantId, caller } = this.#acting;
    const { idempotencyKey: key, amount, source = 'System', notifyCustomer = false } = submission;
    const { currency, transactionId, sandbox, customerId } = await this.#toRefund(id);
    const asked = amount === undefined ? undefined : minorOf(amount, currency, 'amount');
    // Further down 0 means the remaining balance.
    if (asked === 0n) throw refused({ type: 'AmountNotPositive', amountMinor: asked, currency });
    const parts = refundPartsOf(submission.items, currency);
    // A key belongs to one operation, and the two interfaces for refunds are two.
    const operation = source === 'CustomerService' ? 'refundTransaction' : 'refundPayment';
    const refund = await this.#payments.refund(
      {
        tenantId,
        transactionId,
        refundId: idOfKey(this.#acting, operation, { key, actsOn: [transactionId] }),
        content: [transactionId, asked, parts, notifyCustomer],
        ...(asked !== undefined && { amountMinor: asked }),
        ...parts,
        source,
        notifyCustomer,
      },
      caller,
    );
    const { refundId, status, amountMinor } = refund;
    return {
      id: refundId,
      paymentId: transactionId,
      status,
      currency,
      amount: toDecimal(amountMinor, currency),
      customerId,
      sandbox,
      refund,
    };
  }

  #followUp(
    operation: string,
    { transactionId }: Transaction.Payment,
    { idempotencyKey: key }: Keyed,
    amountMinor?: bigint,
  ): FollowUp {
    const { tenantId } = this.#acting;
    const requestId = idOfKey(this.#acting, operation, { key, actsOn: [transactionId] });
    return { tenantId, transactionId, requestId, content: [transactionId, amountMinor] };
  }

  async #followedUp(
    payment: Transaction.Payment,
    { requestId }: FollowUp,
    isPending: boolean,
  ): Promise<FollowedUpView> {
    const answered = isPending ? 'pending' : 'done';
    const outcome = payment.failedRequestIds.includes(requestId) ? 'refused' : answered;
    return Object.assign(await this.#viewOf(payment), { outcome } as const);
  }

  /** The payment itself, not one whose refund, void, chargeback or alert has this id. */
  async #toRefund(id: string): Promise<Transaction.Payment> {
    try {
      return await this.#find(id);
    } catch (error) {
      const isUnknown = error instanceof Refused && error.code === 'TransactionUnknown';
      if (!isUnknown) throw error;
      const { tenantId } = this.#acting;
      const found = await this.#transactions.paymentOf(tenantId, id);
      if (found?.childId === undefined || !this.#isVisible(found.payment)) throw error;
      throw refused({ type: 'NotAPayment', paymentId: found.payment.transactionId });
    }
  }

  async #find(id: string): Promise<Transaction.Payment> {
    const { success, data } = TransactionId.safeParse(id);
    if (!success) throw refused({ type: 'TransactionUnknown' });
    const payment = await this.#payments.get(this.#acting.tenantId, data);
    if (this.#isVisible(payment)) return payment;
    throw refused({ type: 'TransactionUnknown' });
  }

  /** A caller of the test environment sees sandbox data only. */
  #isVisible({ sandbox }: Transaction.Payment): boolean {
    return this.#acting.environment === 'live' || sandbox;
  }

  /** Refuses, in this order: email, card and token, amounts, plans. */
  #requestOf(submission: PaymentSubmission, sandbox: boolean) {
    const { email, currency, plans = [] } = submission;
    if (!isEmail(email)) throw refused({ type: 'EmailInvalid' });
    const now = this.#clock.now();
    return {
      instrument: instrumentOf(submission, now),
      order: orderOf(submission, { sandbox, now }),
      plans: plans.map((plan, index) => planOf(plan, currency, index)),
      ...definedOf(submission, ['orderId', 'customerId', 'companyId', 'merchantAccountId']),
    };
  }

  async #viewOf(payment: Transaction.Payment): Promise<PaymentView> {
    const { tenantId } = this.#acting;
    const payments = this.#payments;
    const refundableMinor = await payments.refundableMinor(tenantId, payment);
    const { transactionId: id, currency, status, customerId, orderId } = payment;
    // Interfaces with amounts of another form, and pages without the token, never read these.
    return {
      id,
      status,
      currency,
      get amount() {
        return toDecimal(payment.amountMinor, currency);
      },
      get capturedAmount() {
        return toDecimal(payment.capturedMinor, currency);
      },
      get refundedAmount() {
        return toDecimal(Transaction.refundedMinor(payment), currency);
      },
      get refundableAmount() {
        return toDecimal(refundableMinor, currency);
      },
      refundableMinor,
      customerId,
      orderId,
      get token() {
        return payments.tokenOf(tenantId, payment);
      },
      payment,
    };
  }
}

/** Refuses a card that cannot be right, and anything but one of card and tokens. */
export function instrumentOf(
  {
    card,
    token,
    gatewayToken,
  }: {
    readonly card?: TypedCard | undefined;
    readonly token?: string | undefined;
    readonly gatewayToken?: string | undefined;
  },
  now: string,
): Instrument {
  const given = [card, token, gatewayToken].filter((each) => each !== undefined);
  if (given.length !== 1) throw refused({ type: 'CardOrToken' });
  if (gatewayToken !== undefined) return { gatewayToken };
  if (card === undefined) return { token: token ?? '' };
  const checked = checkCard({ ...card, holder: card.holder ?? '' }, new Date(now));
  if (checked.valid) return { card: checked.card };
  throw refused({ type: 'CardInvalid', faults: checked.faults });
}

/** Refuses an amount that the currency does not hold, or that is not positive. */
export function planOf(plan: PlanInput, currency: string, index: number): Subscription.Plan {
  const { name, description = '', rebillAmount, frequencyDays, trialDays = 0 } = plan;
  const cadence = cadenceOf(frequencyDays, plan);
  if (cadence === undefined) throw new Error('a plan without a cadence passed the input check');
  const rebillAmountMinor = minorOf(rebillAmount, currency, `plans/${index}/rebillAmount`);
  if (rebillAmountMinor <= 0n) {
    throw refused({ type: 'RebillAmountNotPositive', amountMinor: rebillAmountMinor });
  }
  return { name, description, rebillAmountMinor, ...cadence, trialDays };
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

export const PAYMENT_CALLS: RecordedCalls<TenantPayments> = {
  submit: made,
  confirm: named,
  capture: named,
  void: named,
  refund: named,
};
