/** From a durable intent to a durable outcome: the only place that calls a gateway to move money. */
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { type Caller, type CommandRunner, SYSTEM } from '../command-runner.ts';
import {
  type ChargeRequest,
  type ChargeResult,
  type FollowUpRequest,
  type FollowUpResult,
  GatewayTimeout,
  type PaymentGateway,
} from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { deterministicUuid } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { refused } from '../refusal.ts';
import { Turns, type TurnTaking } from '../runtime/turns.ts';
import type { CredentialVault } from '../tenants/credential-vault.ts';
import type { References } from '../tenants/references.ts';
import type { MonthlyCaps } from './monthly-caps.ts';
import { OtherAccounts } from './other-accounts.ts';

/** Never more accounts than this are tried for one payment. */
const MAX_ATTEMPTS = 5;

export interface GatewayReactorOptions {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly caps: MonthlyCaps;
  readonly gateways: GatewayRegistry;
  readonly vault: CredentialVault;
  readonly logger: Logger;
  /** Where several hosts may be at work on one payment; within this process when absent. */
  readonly turns?: TurnTaking | undefined;
}

/** How an intent is finished. */
interface FollowUpContext {
  readonly caller: Caller;
  /** The request may have been sent before: ask what became of it before sending it again. */
  readonly sentBefore?: boolean;
  /** Business time of the outcome; now when absent. */
  readonly at?: string | undefined;
  /** What to make of a refund or void that the gateway does not know and that must not be sent again. */
  readonly notFound?: NotFound;
}

/** `unknown` while a request may still be on its way to the gateway. */
type NotFound = 'unknown' | 'failed';

interface ChargeContext extends FollowUpContext {
  readonly cvv?: string | undefined;
}

/** What to make of a charge that the gateway does not know. */
interface ResolveContext {
  readonly notFound: NotFound;
}

const FIND_ONLY: ResolveContext = { notFound: 'unknown' };

const NEVER_RECEIVED = {
  result: 'failed',
  note: 'the gateway never received the payment',
} as const;

const NOT_SENT = {
  result: 'refused',
  note: 'the gateway never received it, and a chargeback or a network credit has taken the money',
} as const;

/** The person was erased before anything was asked of a gateway: there is nothing to charge any more. */
const NO_CARD = { result: 'failed', note: 'no_card' } as const;

type Payment = Transaction.Payment;

/** What was asked of the gateway after the charge. */
interface Intent {
  readonly kind: 'capture' | 'void' | 'refund';
  readonly id: TransactionId;
  readonly amountMinor: bigint;
}

export class GatewayReactor {
  readonly #options: GatewayReactorOptions;
  readonly #otherAccounts: OtherAccounts;
  readonly #turns: TurnTaking;

  constructor(options: GatewayReactorOptions) {
    this.#options = options;
    this.#turns = options.turns ?? new Turns();
    this.#otherAccounts = new OtherAccounts(options);
  }

  /** Sees the attempt that is under way through to its outcome, on other accounts where that is allowed. */
  async charge(tenantId: TenantId, id: TransactionId, context: ChargeContext): Promise<Payment> {
    return this.#inTurn(tenantId, id, async (payment) => {
      const lost = payment.status === 'Unknown' || context.sentBefore === true;
      const known = lost ? await this.#resolveCharge(tenantId, payment, FIND_ONLY) : payment;
      // Not known there: the same key is sent again, and whichever comes first is the one.
      return known.status === 'Unknown'
        ? this.#send(tenantId, known, context)
        : this.#charge(tenantId, known, context);
    });
  }

  /** Asks the gateway to go on after the customer's part is done. */
  async confirm(tenantId: TenantId, id: TransactionId, caller: Caller): Promise<Payment> {
    return this.#inTurn(tenantId, id, async (payment) =>
      payment.status === 'Processing' ? this.#confirm(tenantId, payment, caller) : payment,
    );
  }

  /** Finds out what became of a charge whose answer was lost. */
  async resolveCharge(
    tenantId: TenantId,
    id: TransactionId,
    context: ResolveContext,
  ): Promise<Payment> {
    return this.#inTurn(tenantId, id, (payment) => this.#resolveCharge(tenantId, payment, context));
  }

  async capture(tenantId: TenantId, id: TransactionId, context: FollowUpContext): Promise<Payment> {
    return this.#inTurn(tenantId, id, (payment) => this.#capture(tenantId, payment, context));
  }

  async void(tenantId: TenantId, id: TransactionId, context: FollowUpContext): Promise<Payment> {
    return this.#inTurn(tenantId, id, (payment) => this.#void(tenantId, payment, context));
  }

  async refund(
    tenantId: TenantId,
    id: TransactionId,
    refundId: TransactionId,
    context: FollowUpContext,
  ): Promise<Transaction.Refund> {
    return this.#inTurn(
      tenantId,
      id,
      (payment) => this.#refund(tenantId, payment, refundId, context),
      refundId,
    );
  }

  /**
   * One at a time for each payment, on the state that the one before has left: else a sweeper could
   * find that the gateway never heard of a charge while a caller's repetition is sending it. Refunds
   * have turns of their own: their amounts are reserved, and a slow one holds up no other.
   */
  async #inTurn<Result>(
    tenantId: TenantId,
    transactionId: TransactionId,
    work: (payment: Payment) => Promise<Result>,
    refundId?: TransactionId,
  ): Promise<Result> {
    const payment = `payment ${tenantId}/${transactionId}`;
    const name = refundId === undefined ? payment : `${payment}/refund/${refundId}`;
    return this.#turns.take(name, async () => {
      const stream = Transaction.streamOf({ tenantId, transactionId });
      const payment = await this.#options.commands.stateOf(Transaction, stream);
      if (payment === null) throw refused({ type: 'TransactionUnknown' });
      return work(payment);
    });
  }

  /**
   * Sends the attempt that is under way to its gateway and records the answer, on to the next account
   * after a soft decline. Called again for the same payment it sends the same keys, and changes nothing.
   */
  async #charge(tenantId: TenantId, submitted: Payment, context: ChargeContext): Promise<Payment> {
    let payment = submitted;
    for (let tried = 0; tried < MAX_ATTEMPTS; tried += 1) {
      const attempt = payment.attempts.at(-1);
      if (payment.status !== 'Processing' || attempt === undefined) return payment;
      if (attempt.outcome === 'declined') {
        const next = await this.#startAttempt(tenantId, payment, context);
        if (next === undefined) return this.#giveUp(tenantId, payment, attempt, context);
        payment = next;
      }
      payment = await this.#send(tenantId, payment, context);
    }
    return payment;
  }

  async #send(tenantId: TenantId, payment: Payment, context: ChargeContext): Promise<Payment> {
    if (payment.card === null) {
      // A request may still be on its way there: the sweeper asks until that cannot be.
      const isOut = payment.status === 'Unknown' || context.sentBefore === true;
      return isOut ? payment : this.#recordCharge(tenantId, payment, NO_CARD, context);
    }
    const { gateway, request } = await this.#chargeRequest(tenantId, payment, context.cvv);
    const result = await this.#answered(gateway.charge(request));
    return this.#recordCharge(tenantId, payment, result, context);
  }

  /** The last soft decline becomes final: the account that was to be tried next is gone. */
  async #giveUp(
    tenantId: TenantId,
    payment: Payment,
    { declineCode, note }: Transaction.Attempt,
    context: ChargeContext,
  ): Promise<Payment> {
    const { transactionId, attempts, gatewayTransactionId } = payment;
    const { caller, at = this.#now() } = context;
    const attempt = attempts.length;
    const outcome = {
      result: 'declined',
      declineCode,
      hard: false,
      gatewayTransactionId,
      retryElsewhere: false,
      note,
      at,
    } as const;
    return this.#record(
      { type: 'RecordOutcome', tenantId, transactionId, attempt, outcome, at },
      [transactionId, 'given-up', String(attempt)],
      caller,
    );
  }

  async #confirm(tenantId: TenantId, payment: Payment, caller: Caller): Promise<Payment> {
    const { gateway, request } = await this.#chargeRequest(tenantId, payment, undefined);
    const { transactionId, attempts, gatewayTransactionId } = payment;
    const idempotencyKey = `${transactionId}/confirm/${attempts.length}`;
    const result = await this.#answered(
      gateway.confirm({ ...request, idempotencyKey, gatewayTransactionId }),
    );
    const after = await this.#recordCharge(tenantId, payment, result, { caller });
    return this.#onwards(tenantId, after, { caller });
  }

  async #resolveCharge(
    tenantId: TenantId,
    payment: Payment,
    { notFound }: ResolveContext,
  ): Promise<Payment> {
    if (payment.status !== 'Processing' && payment.status !== 'Unknown') return payment;
    if (payment.attempts.at(-1)?.outcome === 'declined') {
      return this.#charge(tenantId, payment, { caller: SYSTEM });
    }
    const { gateway, request } = await this.#chargeRequest(tenantId, payment, undefined);
    const found = await this.#answered(gateway.findCharge(request.idempotencyKey));
    if (found === NO_ANSWER) return payment;
    if (found?.result === 'action-required' && hasActed(payment, found)) {
      return this.#confirm(tenantId, payment, SYSTEM);
    }
    if (found === undefined && notFound === 'unknown') return payment;
    const result = found ?? NEVER_RECEIVED;
    const after = await this.#recordCharge(tenantId, payment, result, { caller: SYSTEM });
    return this.#onwards(tenantId, after, { caller: SYSTEM });
  }

  /** After a soft decline that left the payment open, on to the next account. */
  async #onwards(tenantId: TenantId, payment: Payment, context: ChargeContext): Promise<Payment> {
    const declined = payment.attempts.at(-1)?.outcome === 'declined';
    return declined ? this.#charge(tenantId, payment, context) : payment;
  }

  async #capture(tenantId: TenantId, payment: Payment, context: FollowUpContext): Promise<Payment> {
    const pending = payment.pendingCapture;
    if (pending === null) return payment;
    const { captureId, amountMinor } = pending;
    const intent = { kind: 'capture', id: captureId, amountMinor } as const;
    const answer = await this.#followUp(tenantId, payment, intent, context);
    if (answer === NO_ANSWER) return payment;
    const { note } = answer;
    const { caller, at = this.#now() } = context;
    const addressed = { tenantId, transactionId: payment.transactionId, captureId, note, at };
    return this.#record(
      answer.result === 'done'
        ? {
            type: 'RecordCapture',
            ...addressed,
            gatewayTransactionId: answer.gatewayTransactionId,
            arn: answer.arn,
          }
        : { type: 'RecordCaptureFailure', ...addressed },
      [captureId, answer.result],
      caller,
    );
  }

  async #void(tenantId: TenantId, payment: Payment, context: FollowUpContext): Promise<Payment> {
    if (payment.pendingVoid === null) return payment;
    const { voidId } = payment.pendingVoid;
    const amountMinor = payment.capturedMinor || payment.authorizedMinor;
    const intent = { kind: 'void', id: voidId, amountMinor } as const;
    const answer = await this.#followUp(tenantId, payment, intent, context);
    if (answer === NO_ANSWER) return payment;
    const { note } = answer;
    const { caller, at = this.#now() } = context;
    const addressed = { tenantId, transactionId: payment.transactionId, voidId, note, at };
    return this.#record(
      { type: answer.result === 'done' ? 'RecordVoid' : 'RecordVoidFailure', ...addressed },
      [voidId, answer.result],
      caller,
    );
  }

  async #refund(
    tenantId: TenantId,
    payment: Payment,
    refundId: TransactionId,
    context: FollowUpContext,
  ): Promise<Transaction.Refund> {
    const refund = refundIn(payment, refundId);
    if (refund.status !== 'RefundPending') return refund;
    const { amountMinor } = refund;
    const intent = { kind: 'refund', id: refundId, amountMinor } as const;
    const answer = await this.#followUp(tenantId, payment, intent, context);
    if (answer === NO_ANSWER) return refund;
    const { note } = answer;
    const { caller, at = this.#now() } = context;
    const addressed = { tenantId, transactionId: payment.transactionId, refundId, note, at };
    const recorded = await this.#record(
      answer.result === 'done'
        ? {
            type: 'RecordRefund',
            ...addressed,
            gatewayTransactionId: answer.gatewayTransactionId,
            arn: answer.arn,
          }
        : { type: 'RecordRefundFailure', ...addressed },
      [refundId, answer.result],
      caller,
    );
    return refundIn(recorded, refundId);
  }

  #now(): string {
    return this.#options.commands.clock.now();
  }

  /** `NO_ANSWER` when the gateway does not answer. After any failure the intent stands, and is settled by asking. */
  async #answered<Answer>(call: Promise<Answer>): Promise<Answer | typeof NO_ANSWER> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof GatewayTimeout) return NO_ANSWER;
      throw error;
    }
  }

  async #chargeRequest(
    tenantId: TenantId,
    payment: Payment,
    cvv: string | undefined,
  ): Promise<{ gateway: PaymentGateway; request: ChargeRequest }> {
    const attempt = payment.attempts.at(-1);
    if (attempt === undefined) throw refused({ type: 'AttemptUnknown', attempt: 1 });
    const [address] = payment.addresses;
    const { gateway, ...addressed } = await this.#addressed(tenantId, payment);
    return {
      gateway,
      request: {
        ...addressed,
        idempotencyKey: `${payment.transactionId}/charge/${attempt.attempt}`,
        amountMinor: payment.amountMinor,
        token: payment.card?.token ?? '',
        ...(cvv !== undefined && { cvv }),
        capture: payment.captureMode === 'automatic',
        recurring: Transaction.isRebill(payment),
        descriptor: attempt.route.descriptor,
        ...(address !== undefined && {
          avs: { postalCode: address.postalCode, address: address.address },
        }),
      },
    };
  }

  /** Gateway and account of the attempt under way. */
  async #addressed(tenantId: TenantId, payment: Payment) {
    const { gateways, references, vault } = this.#options;
    const route = Transaction.routeOf(payment);
    if (route === undefined) throw refused({ type: 'AttemptUnknown', attempt: 1 });
    const { merchantAccountId, gatewayId, mid } = route;
    const account = await references.merchantAccount(tenantId, merchantAccountId);
    const { currency } = payment;
    const held = account?.settings.currencies.find((each) => each.currency === currency);
    const credentials = vault.open(held?.gatewayCredentials);
    return {
      gateway: gateways.gateway(gatewayId),
      sandbox: payment.sandbox,
      account: { merchantAccountId, mid, credentials },
      currency,
    };
  }

  async #followUp(
    tenantId: TenantId,
    payment: Payment,
    { kind, id, amountMinor }: Intent,
    { sentBefore = false, notFound = 'unknown' }: FollowUpContext,
  ): Promise<FollowUpResult | typeof NO_ANSWER> {
    const { gateway, ...addressed } = await this.#addressed(tenantId, payment);
    const request: FollowUpRequest = {
      ...addressed,
      idempotencyKey: `${payment.transactionId}/${kind}/${id}`,
      gatewayTransactionId: payment.gatewayTransactionId,
      amountMinor,
    };
    const maySend = kind === 'capture' || Transaction.mayStillLeave(payment);
    if (sentBefore || !maySend) {
      const found = await this.#answered(gateway.findFollowUp(request.idempotencyKey));
      if (found !== undefined) return found;
    }
    if (!maySend) return notFound === 'failed' ? NOT_SENT : NO_ANSWER;
    return this.#answered(gateway[kind](request));
  }

  /** On the next account; undefined when none is left that takes the payment. */
  async #startAttempt(
    tenantId: TenantId,
    payment: Payment,
    { at = this.#now(), caller }: ChargeContext,
  ): Promise<Payment | undefined> {
    const { transactionId, attempts } = payment;
    const attempt = attempts.length + 1;
    const next = await this.#otherAccounts.choose(tenantId, payment, at);
    if (next === undefined) return undefined;
    return this.#options.caps.holding(next.room, () =>
      this.#record(
        { type: 'StartAttempt', tenantId, transactionId, attempt, route: next.route, at },
        [transactionId, 'attempt', String(attempt)],
        caller,
      ),
    );
  }

  async #recordCharge(
    tenantId: TenantId,
    payment: Payment,
    result: ChargeResult | typeof NO_ANSWER,
    { at = this.#now(), caller }: ChargeContext,
  ): Promise<Payment> {
    const { transactionId, attempts } = payment;
    const attempt = attempts.length;
    const outcome: Transaction.Outcome = await this.#outcomeOf(tenantId, payment, result, at);
    return this.#record(
      { type: 'RecordOutcome', tenantId, transactionId, attempt, outcome, at },
      [
        transactionId,
        'outcome',
        String(attempt),
        outcome.result,
        payment.status,
        finality(outcome),
      ],
      caller,
    );
  }

  async #outcomeOf(
    tenantId: TenantId,
    payment: Payment,
    result: ChargeResult | typeof NO_ANSWER,
    at: string,
  ): Promise<Transaction.Outcome> {
    if (result === NO_ANSWER) {
      return { result: 'unknown', note: 'the gateway did not answer in time', at };
    }
    if (result.result === 'action-required' && payment.status === 'Unknown') {
      // Nobody was there to be told what to do, and without it no money moves.
      return { result: 'failed', note: 'the customer could not be asked to act', at };
    }
    if (result.result !== 'declined') return { ...result, at };
    const retryElsewhere =
      !result.hard &&
      payment.attempts.length < MAX_ATTEMPTS &&
      (await this.#otherAccounts.wouldTake(tenantId, payment, at));
    return { ...result, retryElsewhere, at };
  }

  /** The name of a recording follows from what it records, so that two who saw the same answer agree. */
  async #record(command: Transaction.Command, name: string[], caller: Caller): Promise<Payment> {
    const { commands } = this.#options;
    const commandId = deterministicUuid([command.type, ...name]);
    const { state } = await commands.execute(
      Transaction,
      command,
      { commandId, content: name },
      caller,
    );
    if (state === null) throw refused({ type: 'TransactionUnknown' });
    await this.#giveRoomBack(command.tenantId, state);
    return state;
  }

  /** What was captured is settled by and by; what was not leaves room for the next payment at once. */
  async #giveRoomBack(tenantId: TenantId, payment: Payment): Promise<void> {
    const { caps, logger } = this.#options;
    if (payment.capturedAt !== null) return;
    try {
      await caps.settle(tenantId, payment);
    } catch (error) {
      // The outcome is on record, and the reactor that follows the log settles it again.
      logger.error({ err: error }, 'room under a monthly cap was not given back yet');
    }
  }
}

/** A soft decline that leaves the payment open is another recording than the final one. */
function finality(outcome: Transaction.Outcome): string {
  return outcome.result === 'declined' && outcome.retryElsewhere ? 'open' : 'final';
}

/** The ledger knows that the customer did what was asked; the gateway has not heard of it yet. */
function hasActed(payment: Payment, found: { readonly gatewayTransactionId: string }): boolean {
  return payment.gatewayTransactionId === found.gatewayTransactionId;
}

const NO_ANSWER = Symbol('no answer');

function refundIn(payment: Payment, refundId: TransactionId): Transaction.Refund {
  const refund = payment.refunds.find((each) => each.refundId === refundId);
  if (refund === undefined) throw refused({ type: 'TransactionUnknown' });
  return refund;
}
