/** The charge of a payment: sent, confirmed, found again when its answer was lost, tried elsewhere. */
import { Transaction } from '@counterfoil/core';
import type { ChargeRequest, ChargeResult } from '../gateways/payment-gateway.ts';
import { refused } from '../refusal.ts';
import { OtherAccounts } from './other-accounts.ts';
import {
  NO_ANSWER,
  type NotFound,
  type Payment,
  PaymentAtGateway,
  type Run,
} from './payment-at-gateway.ts';

/** Never more accounts than this are tried for one payment. */
const MAX_ATTEMPTS = 5;

export interface ChargeRun extends Run {
  readonly cvv?: string | undefined;
}

const NEVER_RECEIVED = {
  result: 'failed',
  note: 'the gateway never received the payment',
} as const;

/** The person was erased before anything was asked of a gateway: there is nothing to charge any more. */
const NO_CARD = { result: 'failed', note: 'no_card' } as const;

export class Charge extends PaymentAtGateway<ChargeRun> {
  /** Sends what is open, and goes on to the next account after a soft decline. Same keys, same effect. */
  async conclude(): Promise<Payment> {
    // Not known at the gateway: the same key is sent again, and the first of the two is the one.
    if (this.payment.status === 'Unknown') return this.#send();
    for (let tried = 0; tried < MAX_ATTEMPTS; tried += 1) {
      const attempt = this.payment.attempts.at(-1);
      if (this.payment.status !== 'Processing' || attempt === undefined) break;
      if (attempt.outcome === 'declined' && !(await this.#startAttempt())) {
        return this.#giveUp(attempt);
      }
      await this.#send();
    }
    return this.payment;
  }

  async confirm(): Promise<Payment> {
    const { transactionId, attempts, gatewayTransactionId } = this.payment;
    const idempotencyKey = `${transactionId}/confirm/${attempts.length}`;
    const request = { ...(await this.#request()), idempotencyKey, gatewayTransactionId };
    await this.#record(await this.answered(this.gateway.confirm(request)));
    return this.#onwards();
  }

  /** Asks what became of the charge; `notFound` says what to make of one that the gateway does not know. */
  async resolve(notFound: NotFound): Promise<Payment> {
    const { status, attempts } = this.payment;
    if (status !== 'Processing' && status !== 'Unknown') return this.payment;
    if (attempts.at(-1)?.outcome === 'declined') return this.conclude();
    const { idempotencyKey } = await this.#request();
    const found = await this.answered(this.gateway.findCharge(idempotencyKey));
    if (found === NO_ANSWER) return this.payment;
    // The ledger knows that the customer did what was asked; the gateway has not heard of it yet.
    const hasActed = found?.result === 'action-required' && this.#isOf(found);
    if (hasActed) return this.confirm();
    if (found === undefined && notFound === 'unknown') return this.payment;
    await this.#record(found ?? NEVER_RECEIVED);
    return this.#onwards();
  }

  #isOf({ gatewayTransactionId }: { readonly gatewayTransactionId: string }): boolean {
    return this.payment.gatewayTransactionId === gatewayTransactionId;
  }

  /** After a soft decline that left the payment open, on to the next account. */
  async #onwards(): Promise<Payment> {
    const isDeclined = this.payment.attempts.at(-1)?.outcome === 'declined';
    return isDeclined ? this.conclude() : this.payment;
  }

  async #send(): Promise<Payment> {
    if (this.payment.card === null) {
      // A request may still be on its way there: the sweeper asks until that cannot be.
      const isOut = this.payment.status === 'Unknown' || this.run.sentBefore === true;
      return isOut ? this.payment : this.#record(NO_CARD);
    }
    const request = await this.#request();
    return this.#record(await this.answered(this.gateway.charge(request)));
  }

  async #request(): Promise<ChargeRequest> {
    const { payment, run } = this;
    const attempt = payment.attempts.at(-1);
    if (attempt === undefined) throw refused({ type: 'AttemptUnknown', attempt: 1 });
    const [address] = payment.addresses;
    return {
      ...(await this.addressed()),
      idempotencyKey: `${payment.transactionId}/charge/${attempt.attempt}`,
      amountMinor: payment.amountMinor,
      token: payment.card?.token ?? '',
      ...(run.cvv !== undefined && { cvv: run.cvv }),
      capture: payment.captureMode === 'automatic',
      recurring: Transaction.isRebill(payment),
      descriptor: attempt.route.descriptor,
      ...(address !== undefined && {
        avs: { postalCode: address.postalCode, address: address.address },
      }),
    };
  }

  /** On the next account; false when none is left that takes the payment. */
  async #startAttempt(): Promise<boolean> {
    const { transactionId, attempts } = this.payment;
    const attempt = attempts.length + 1;
    const next = await this.#otherAccounts.choose(this.tenantId, this.payment, this.at);
    if (next === undefined) return false;
    await this.services.caps.holding(next.room, () =>
      this.record({ type: 'StartAttempt', attempt, route: next.route }, [
        transactionId,
        'attempt',
        String(attempt),
      ]),
    );
    return true;
  }

  /** The last soft decline becomes final: the account that was to be tried next is gone. */
  #giveUp({ declineCode, note }: Transaction.Attempt): Promise<Payment> {
    const { transactionId, attempts, gatewayTransactionId } = this.payment;
    const attempt = attempts.length;
    const outcome = {
      result: 'declined',
      declineCode,
      hard: false,
      gatewayTransactionId,
      retryElsewhere: false,
      note,
      at: this.at,
    } as const;
    return this.record({ type: 'RecordOutcome', attempt, outcome }, [
      transactionId,
      'given-up',
      String(attempt),
    ]);
  }

  async #record(result: ChargeResult | typeof NO_ANSWER): Promise<Payment> {
    const { transactionId, attempts, status } = this.payment;
    const attempt = attempts.length;
    const outcome = await this.#outcomeOf(result);
    // A soft decline that leaves the payment open is another record than the final one.
    const isOpen = outcome.result === 'declined' && outcome.retryElsewhere;
    return this.record({ type: 'RecordOutcome', attempt, outcome }, [
      transactionId,
      'outcome',
      String(attempt),
      outcome.result,
      status,
      isOpen ? 'open' : 'final',
    ]);
  }

  async #outcomeOf(result: ChargeResult | typeof NO_ANSWER): Promise<Transaction.Outcome> {
    const { at, payment } = this;
    if (result === NO_ANSWER) {
      return { result: 'unknown', note: 'the gateway did not answer in time', at };
    }
    if (result.result === 'action-required' && payment.status === 'Unknown') {
      // The caller is gone that could have shown the customer what to do, and no money moves without it.
      return { result: 'failed', note: 'the customer could not be asked to act', at };
    }
    if (result.result !== 'declined') return { ...result, at };
    const retryElsewhere =
      !result.hard &&
      payment.attempts.length < MAX_ATTEMPTS &&
      (await this.#otherAccounts.wouldTake(this.tenantId, payment, at));
    return { ...result, retryElsewhere, at };
  }

  get #otherAccounts(): OtherAccounts {
    return new OtherAccounts(this.services);
  }
}
