/** The charge of a payment: sending, confirmation, lost answers, and retries on other accounts. */
import { Transaction, type TransactionId } from '@counterfoil/core';
import type { ChargeRequest, ChargeResult } from '../gateways/payment-gateway.ts';
import { deterministicUuid } from '../ids.ts';
import { refused } from '../refusal.ts';
import { areRefused, expectNoneRests } from './gateway-accounts.ts';
import { OtherAccounts } from './other-accounts.ts';
import {
  NO_ANSWER,
  type NotFound,
  type Payment,
  PaymentAtGateway,
  type Run,
} from './payment-at-gateway.ts';

/** Maximum accounts tried for one payment. */
const MAX_ATTEMPTS = 5;

export interface ChargeRun extends Run {
  readonly cvv?: string | undefined;
}

const NEVER_RECEIVED = {
  result: 'failed',
  note: Transaction.NEVER_RECEIVED,
} as const;

const CREDENTIALS_REFUSED = {
  result: 'declined',
  declineCode: Transaction.CREDENTIALS_REFUSED,
  hard: false,
  retryElsewhere: true,
  gatewayTransactionId: '',
  note: 'the gateway refused the credentials of the account',
} as const;

/** The person was erased before the gateway was called: the card is unreadable. */
const NO_CARD = { result: 'failed', note: 'no_card' } as const;

export class Charge extends PaymentAtGateway<ChargeRun> {
  /** The attempt that this run has begun; 0 for none. */
  #begun = 0;

  /** Sends the open attempt, and continues on the next account after a soft decline. Idempotent. */
  async conclude(): Promise<Payment> {
    // Unknown at the gateway: sends the same key again; the gateway deduplicates.
    if (this.payment.status === 'Unknown') return this.#send();
    for (let tried = 0; tried < MAX_ATTEMPTS; tried += 1) {
      const attempt = this.payment.attempts.at(-1);
      if (this.payment.status !== 'Processing' || attempt === undefined) break;
      if (attempt.outcome === 'declined') {
        const skipped = await this.#startAttempt();
        if (skipped !== undefined) return this.#giveUp(attempt, skipped);
      }
      await this.#send();
    }
    return this.payment;
  }

  async confirm(): Promise<Payment> {
    const { transactionId, attempts, gatewayTransactionId } = this.payment;
    const idempotencyKey = `${transactionId}/confirm/${attempts.length}`;
    const request = { ...(await this.#request()), idempotencyKey, gatewayTransactionId };
    // A customer who returns without having acted may return again.
    const { changedAt } = this.payment;
    await this.#record(await this.answered(this.gateway.confirm(request)), { asked: [changedAt] });
    return this.#onwards();
  }

  /** Queries the outcome of the charge; `notFound` is the result for one that the gateway does not know. */
  async resolve(notFound: NotFound): Promise<Payment> {
    const { status, attempts } = this.payment;
    if (status !== 'Processing' && status !== 'Unknown') return this.payment;
    if (attempts.at(-1)?.outcome === 'declined') return this.conclude();
    const found = await this.answered(this.gateway.findCharge(await this.#request()));
    if (found === NO_ANSWER) return this.payment;
    // The action is recorded in the ledger, but the confirmation has not reached the gateway yet.
    const hasActed = found?.result === 'action-required' && this.#isOf(found);
    if (hasActed) return this.confirm();
    if (found === undefined && notFound === 'unknown') return this.payment;
    await this.#record(found ?? NEVER_RECEIVED, { wasAskedFor: true });
    return this.#onwards();
  }

  #isOf({ gatewayTransactionId }: { readonly gatewayTransactionId: string }): boolean {
    return this.payment.gatewayTransactionId === gatewayTransactionId;
  }

  /** After a soft decline that left the payment open, continues on the next account. */
  async #onwards(): Promise<Payment> {
    const isDeclined = this.payment.attempts.at(-1)?.outcome === 'declined';
    return isDeclined ? this.conclude() : this.payment;
  }

  async #send(): Promise<Payment> {
    if (this.payment.card === null) {
      // A request may still be in transit: the sweeper queries until that is impossible.
      const isOut = this.payment.status === 'Unknown' || this.run.sentBefore === true;
      return isOut ? this.payment : this.#record(NO_CARD);
    }
    const { status, attempts } = this.payment;
    const isNew = attempts.length === this.#begun;
    const wasSent = status === 'Unknown' || (this.run.sentBefore === true && !isNew);
    const request = await this.#request(wasSent);
    try {
      return await this.#record(await this.answered(this.gateway.charge(request)));
    } catch (error) {
      if (wasSent || !areRefused(error)) throw error;
      return this.#passOn(error);
    }
  }

  /**
   * The account's credentials were refused, and nothing was charged there. Another account takes the payment
   * as after a soft decline. Without one it stays open: a rebill for its next attempt, whenever that is.
   */
  async #passOn(refusal: unknown): Promise<Payment> {
    const { payment, tenantId, at } = this;
    const attempt = payment.attempts.length;
    const { account } = await this.#otherAccounts.wouldTake(tenantId, payment, at);
    const goesOn = account !== undefined || Transaction.isRebill(payment);
    if (attempt >= MAX_ATTEMPTS || !goesOn) throw refusal;
    const outcome = { ...CREDENTIALS_REFUSED, at };
    return this.record({ type: 'RecordOutcome', attempt, outcome }, [
      payment.transactionId,
      'credentials-refused',
      String(attempt),
    ]);
  }

  async #request(wasSent = true): Promise<ChargeRequest> {
    const { payment, run, tenantId } = this;
    const { returnUrl } = this.services;
    const attempt = payment.attempts.at(-1);
    if (attempt === undefined) throw refused({ type: 'AttemptUnknown', attempt: 1 });
    const [address] = payment.addresses;
    return {
      ...(await this.addressed()),
      idempotencyKey: `${payment.transactionId}/charge/${attempt.attempt}`,
      firstSentAgoMs: wasSent ? this.agoMs(attempt.startedAt) : 0,
      transactionId: payment.transactionId,
      amountMinor: payment.amountMinor,
      token: payment.card?.token ?? '',
      customer: `${tenantId}/${payment.sandbox ? 'sandbox' : 'live'}/${payment.customerId}`,
      subscribes: payment.plans.length > 0 || Transaction.isRebill(payment),
      ...(returnUrl !== undefined && { returnUrl }),
      ...(payment.gatewayTransactionId !== '' && {
        gatewayTransactionId: payment.gatewayTransactionId,
      }),
      ...(run.cvv !== undefined && { cvv: run.cvv }),
      capture: payment.captureMode === 'automatic',
      recurring: Transaction.isOffSession(payment),
      descriptor: attempt.route.descriptor,
      ...(address !== undefined && {
        avs: { postalCode: address.postalCode, address: address.address },
      }),
    };
  }

  /** Charges on the next account; when none is left, resolves with why each was passed over. */
  async #startAttempt(): Promise<Transaction.Route['skipped'] | undefined> {
    const { transactionId, attempts } = this.payment;
    const attempt = attempts.length + 1;
    const next = await this.#otherAccounts.choose(this.tenantId, this.payment, this.at);
    const { route, room, skipped } = next;
    if (route === undefined) {
      if (Transaction.isRebill(this.payment)) expectNoneRests(skipped, this.gateway);
      return [...skipped];
    }
    await this.services.caps.holding(room, () =>
      this.record({ type: 'StartAttempt', attempt, route }, [
        transactionId,
        'attempt',
        String(attempt),
      ]),
    );
    this.#begun = attempt;
    return undefined;
  }

  /** Records the last soft decline as final: the next account is gone. */
  #giveUp(
    { declineCode, note }: Transaction.Attempt,
    skipped: Transaction.Route['skipped'],
  ): Promise<Payment> {
    const { transactionId, attempts, gatewayTransactionId } = this.payment;
    const attempt = attempts.length;
    const outcome = {
      result: 'declined',
      declineCode,
      hard: false,
      gatewayTransactionId,
      retryElsewhere: false,
      skipped,
      note,
      at: this.at,
    } as const;
    return this.record({ type: 'RecordOutcome', attempt, outcome }, [
      transactionId,
      'given-up',
      String(attempt),
    ]);
  }

  async #record(
    result: ChargeResult | typeof NO_ANSWER,
    { wasAskedFor = false, asked = [] }: { wasAskedFor?: boolean; asked?: readonly string[] } = {},
  ): Promise<Payment> {
    const { transactionId, attempts, status } = this.payment;
    const attempt = attempts.length;
    const outcome = await this.#outcomeOf(result);
    const isFound = outcome.result === 'captured' && (wasAskedFor || status === 'Unknown');
    const lateCapture = isFound ? await this.#lateCapture() : undefined;
    const command = { type: 'RecordOutcome', attempt, outcome } as const;
    // A soft decline that leaves the payment open has a separate record from the final one.
    const isOpen = outcome.result === 'declined' && outcome.retryElsewhere;
    return this.record({ ...command, ...(lateCapture && { lateCapture }) }, [
      transactionId,
      'outcome',
      String(attempt),
      outcome.result,
      status,
      isOpen ? 'open' : 'final',
      ...(outcome.result === 'action-required' ? asked : []),
    ]);
  }

  /** Undefined where a late capture is kept; a rebill always is, for it pays its cycle. */
  async #lateCapture(): Promise<Transaction.LateCaptureRefund | undefined> {
    const { payment, tenantId } = this;
    const { references } = this.services;
    if (Transaction.isRebill(payment)) return undefined;
    const { action, afterMinutes } = (await references.settingsOf(tenantId)).lateCapture;
    if (action === 'keep') return undefined;
    const { merchantAccountId } = Transaction.routeOf(payment) ?? {};
    const policy = await references.refundPolicyOf(tenantId, merchantAccountId);
    const refundId = deterministicUuid([payment.transactionId, 'late-capture']) as TransactionId;
    return { afterMinutes, refundId, policy };
  }

  async #outcomeOf(result: ChargeResult | typeof NO_ANSWER): Promise<Transaction.Outcome> {
    const { at, payment } = this;
    if (result === NO_ANSWER) {
      return { result: 'unknown', note: 'the gateway gave no answer', at };
    }
    if (result.result === 'action-required' && payment.status === 'Unknown') {
      // The caller that could have forwarded the action is gone, and no money moves without it.
      return { result: 'failed', note: 'the customer could not be asked to act', at };
    }
    if (result.result !== 'declined') return { ...result, at };
    if (result.hard || payment.attempts.length >= MAX_ATTEMPTS) {
      return { ...result, retryElsewhere: false, at };
    }
    const next = await this.#otherAccounts.wouldTake(this.tenantId, payment, at);
    const retryElsewhere = next.account !== undefined;
    return { ...result, retryElsewhere, skipped: [...next.skipped], at };
  }

  get #otherAccounts(): OtherAccounts {
    return new OtherAccounts(this.services);
  }
}
