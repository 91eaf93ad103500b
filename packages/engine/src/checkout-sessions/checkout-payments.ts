/** The payments of checkout sessions: at most one under way, and none after one that was paid. */
import { CheckoutSession, type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import { definedOf } from '../input/defined.ts';
import type { Instrument, Payments } from '../payments/index.ts';
import { Refused, refused } from '../refusal.ts';

type Session = CheckoutSession.CheckoutSession;
type Payment = Transaction.Payment;

/** Other processes may end the try that was found. */
const MAX_ROUNDS = 3;

/** Ended without money. */
const FAILED: ReadonlySet<Transaction.Status> = new Set([
  'Declined',
  'Failed',
  'Blocked',
  'Expired',
]);
/** The gateway has it, and its answer is not known. */
const UNDECIDED: ReadonlySet<Transaction.Status> = new Set(['Created', 'Processing', 'Unknown']);

export interface FoundSession {
  readonly tenantId: TenantId;
  readonly session: Session;
  /** Of the latest try; null before the first, or where its submission was refused. */
  readonly payment: Payment | null;
}

/** The card of one try, and what tells it from another. */
export interface CardTry {
  /** Default: the next one. */
  readonly attempt: number | undefined;
  readonly content: unknown;
  readonly cvv: string | undefined;
  readonly read: () => {
    readonly instrument: Instrument;
    readonly visit: Transaction.Session | null;
  };
}

export type SessionStatus = 'open' | 'processing' | 'complete' | 'expired';

/** The status as it is now, whatever is recorded of the payment's end. */
export function statusOf({ session, payment }: FoundSession, now: string): SessionStatus {
  const isKnownPaid = session.progress === 'paid';
  if (isKnownPaid || (payment !== null && isPaid(payment))) return 'complete';
  if (payment !== null && UNDECIDED.has(payment.status)) return 'processing';
  return CheckoutSession.isExpired(session, now) ? 'expired' : 'open';
}

/** Later refunds and voids do not open a session again. */
function isPaid({ status }: Payment): boolean {
  return !FAILED.has(status) && !UNDECIDED.has(status) && status !== 'RequiresAction';
}

export class CheckoutPayments {
  readonly #commands: CommandRunner;
  readonly #payments: Payments;

  constructor({
    commands,
    payments,
  }: {
    readonly commands: CommandRunner;
    readonly payments: Payments;
  }) {
    this.#commands = commands;
    this.#payments = payments;
  }

  read(tenantId: TenantId, sessionId: string): Promise<CheckoutSession.State> {
    const stream = CheckoutSession.streamOf({ tenantId, sessionId });
    return this.#commands.stateOf(CheckoutSession, stream);
  }

  /** Refuses with `CheckoutSessionUnknown`. */
  async find(tenantId: TenantId, sessionId: string): Promise<FoundSession> {
    const session = await this.read(tenantId, sessionId);
    if (session === null) throw refused({ type: 'CheckoutSessionUnknown' });
    const { latest } = session;
    const payment = latest === null ? null : await this.#paymentOf(tenantId, latest.paymentId);
    return { tenantId, session, payment };
  }

  #paymentOf(tenantId: TenantId, transactionId: TransactionId): Promise<Transaction.State> {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    return this.#commands.stateOf(Transaction, stream);
  }

  /** Submits the card of a try, unless the session is paid or this try was made before. */
  async pay(given: FoundSession, card: CardTry, caller: Caller): Promise<FoundSession> {
    let found = await this.#settled(given, caller);
    for (let round = 1; ; round += 1) {
      const number = CheckoutSession.nextTryOf(found.session);
      if (found.session.progress === 'paid' || wasMade(card.attempt, number)) return found;
      if (card.attempt !== undefined && card.attempt > number) {
        throw refused({ type: 'CheckoutTryUnderWay' });
      }
      try {
        return await this.#submit(found, { ...card, number }, caller);
      } catch (error) {
        const isOvertaken =
          error instanceof Refused &&
          (error.code === 'CheckoutSessionNotOpen' || error.code === 'CheckoutTryUnderWay');
        if (!isOvertaken || round === MAX_ROUNDS) throw error;
        const now = await this.#settled(await this.#again(found), caller);
        // Nothing has changed: the refusal stands.
        if (now.session === found.session) throw error;
        found = now;
      }
    }
  }

  async #submit(
    { tenantId, session }: FoundSession,
    card: CardTry & { readonly number: number },
    caller: Caller,
  ): Promise<FoundSession> {
    const { sessionId } = session;
    const { number, content, cvv } = card;
    const paymentId = deterministicUuid([sessionId, 'try', String(number)]) as TransactionId;
    // A card that cannot be right begins no try.
    const { instrument, visit } = card.read();
    await this.#execute({ type: 'BeginTry', tenantId, sessionId, number, paymentId }, caller);
    const named = { tenantId, transactionId: paymentId, content, cvv };
    const request = { ...named, ...requestOf(session, visit), instrument };
    try {
      const payment = await this.#payments.submitNamed(named, () => request, caller);
      const after = await this.#again({ tenantId, session });
      return await this.#settled({ ...after, payment }, caller);
    } catch (error) {
      // Another card was submitted in this try.
      const isOther = error instanceof Refused && error.code === 'IdempotencyKeyReused';
      throw isOther ? refused({ type: 'CheckoutTryUnderWay' }) : error;
    }
  }

  /** Goes on after the customer acted. Nothing happens where no payment waits for that. */
  async confirm(found: FoundSession, caller: Caller): Promise<FoundSession> {
    const { tenantId, session, payment } = found;
    if (payment?.status !== 'RequiresAction') return this.#settled(found, caller);
    if (CheckoutSession.isExpired(session, this.#commands.clock.now())) {
      throw refused({ type: 'CheckoutSessionNotOpen', status: 'expired' });
    }
    // One for each time that the payment waits: a buyer may be back without having acted.
    const { transactionId, attempts, changedAt } = payment;
    const parts = [transactionId, 'checkout-confirm', String(attempts.length), changedAt];
    const requestId = deterministicUuid(parts) as TransactionId;
    const followUp = { tenantId, transactionId, requestId, content: parts };
    const confirmed = await this.#payments.confirm(followUp, caller);
    return this.#settled({ ...found, payment: confirmed }, caller);
  }

  /** Gives up the action that a payment waits for, so that another card may be tried. */
  async abandon(found: FoundSession, caller: Caller): Promise<FoundSession> {
    const { tenantId, payment } = found;
    if (payment?.status !== 'RequiresAction') return this.#settled(found, caller);
    const { transactionId } = payment;
    const expire = { type: 'ExpirePayment', note: 'the customer gave up' } as const;
    try {
      await this.#commands.execute(
        Transaction,
        { ...expire, tenantId, transactionId, at: this.#commands.clock.now() },
        { commandId: deterministicUuid([transactionId, 'abandon']), content: transactionId },
        caller,
      );
    } catch (error) {
      // The customer acted in the meantime.
      if (!(error instanceof Refused) || error.code !== 'WrongStatus') throw error;
    }
    return this.#settled(await this.#again(found), caller);
  }

  #again({ tenantId, session }: Pick<FoundSession, 'tenantId' | 'session'>): Promise<FoundSession> {
    return this.find(tenantId, session.sessionId);
  }

  /** Records what became of the try under way, once that is final. */
  async #settled(found: FoundSession, caller: Caller): Promise<FoundSession> {
    const { tenantId, session, payment } = found;
    const { latest, progress, sessionId } = session;
    if (payment === null || latest === null || progress !== 'under-way') return found;
    if (latest.paymentId !== payment.transactionId) return found;
    const paid = isPaid(payment);
    if (!paid && !FAILED.has(payment.status)) return found;
    const end = { type: 'EndTry', tenantId, sessionId, ...latest, isPaid: paid } as const;
    const state = await this.#execute(end, caller);
    return { ...found, session: state };
  }

  async #execute(
    command: WithoutTime<Exclude<CheckoutSession.Command, { type: 'OpenCheckoutSession' }>>,
    caller: Caller,
  ): Promise<Session> {
    const { state } = await this.#commands.execute(
      CheckoutSession,
      { ...command, at: this.#commands.clock.now() },
      // Deciding again is what keeps a try that was begun from being submitted after the session's end.
      { commandId: uuidV7() },
      caller,
    );
    if (state === null) throw new Error(`${command.type} left no session`);
    return state;
  }
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never;

function wasMade(attempt: number | undefined, next: number): boolean {
  return attempt !== undefined && attempt < next;
}

const ORDERED = [
  'sandbox',
  'email',
  'firstName',
  'lastName',
  'amountMinor',
  'currency',
  'captureMode',
  'applicationId',
  'shopId',
  'campaignId',
  'affiliateId',
  'productId',
  'pricePointId',
  'partnerSession',
  'serviceSession',
  'items',
  'addresses',
] as const;

/** The order as the session has it: nothing of it comes from the page. */
function requestOf(session: Session, visit: Transaction.Session | null) {
  const { orderId, companyId, pinnedMerchantAccountId, plans } = session;
  const order = definedOf(session, ORDERED);
  return {
    order: { ...order, walletPayA: false, walletPayB: false, session: visit },
    companyId,
    plans,
    ...(orderId !== null && { orderId }),
    ...(pinnedMerchantAccountId !== null && { merchantAccountId: pinnedMerchantAccountId }),
  };
}
