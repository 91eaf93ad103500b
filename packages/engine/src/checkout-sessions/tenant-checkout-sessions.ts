/** The checkout sessions of one tenant, for one caller: a server opens them, pages pay them. */
import { CheckoutSession, isEmail, toDecimal } from '@counterfoil/core';
import { type Acting, sandboxOf } from '../acting.ts';
import type { CommandRunner } from '../command-runner.ts';
import { idOfKey } from '../idempotency-key.ts';
import type { Identities } from '../identities/index.ts';
import { uuidV7 } from '../ids.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import {
  type CardEntry,
  instrumentOf,
  orderOf,
  type Payments,
  planOf,
  sessionOf,
} from '../payments/index.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import {
  type CheckoutPayments,
  type FoundSession,
  type SessionStatus,
  statusOf,
} from './checkout-payments.ts';
import {
  ActionOfPage,
  CardOfPage,
  CheckoutSessionInput,
  EntryOfPage,
  SessionId,
  SessionPass,
} from './checkout-session-input.ts';
import type { ClientSecrets } from './client-secrets.ts';

export type { CardEntry } from '../payments/index.ts';

/** A session as its tenant sees it: the amount is in major units of `currency`. */
export interface CheckoutSessionView {
  readonly id: string;
  readonly status: SessionStatus;
  readonly amount: string;
  readonly currency: string;
  /** Of the next card. */
  readonly nextAttempt: number;
  /** The payment of the latest try; null before the first. */
  readonly payment: FoundSession['payment'];
  readonly session: CheckoutSession.CheckoutSession;
}

export interface CheckoutServices {
  readonly commands: CommandRunner;
  readonly identities: Identities;
  readonly payments: Payments;
  readonly checkoutPayments: CheckoutPayments;
  readonly clientSecrets: ClientSecrets;
}

export class TenantCheckoutSessions {
  readonly #services: CheckoutServices;
  readonly #acting: Acting;

  constructor(services: CheckoutServices, acting: Acting) {
    this.#services = services;
    this.#acting = acting;
  }

  /** Refuses what a payment of this order would be refused with, but for its card and account. */
  async open(
    input: CheckoutSessionInput,
  ): Promise<CheckoutSessionView & { readonly clientSecret: string }> {
    const { commands, clientSecrets } = this.#services;
    const { tenantId, caller } = this.#acting;
    const { idempotencyKey: key, ...content } = input;
    const sandbox = sandboxOf(this.#acting, input.sandbox);
    const sessionId = idOfKey(this.#acting, 'checkoutSession', { key });
    const stream = CheckoutSession.streamOf({ tenantId, sessionId });
    const name = { commandId: sessionId, content };
    const found = await commands.prepared(CheckoutSession, stream, name, () =>
      this.#orderOf(input, sandbox),
    );
    if (found !== undefined) {
      const command = { type: 'OpenCheckoutSession', tenantId, sessionId, ...found } as const;
      await commands.execute(CheckoutSession, command, name, caller);
    }
    const view = await this.get(sessionId);
    return { ...view, clientSecret: clientSecrets.of({ tenantId, sessionId }) };
  }

  /** Refuses with `CheckoutSessionUnknown`. */
  async get(id: string): Promise<CheckoutSessionView> {
    const { tenantId, environment } = this.#acting;
    const found = await this.#services.checkoutPayments.find(tenantId, id);
    if (environment === 'live' || found.session.sandbox) return this.#viewOf(found);
    throw refused({ type: 'CheckoutSessionUnknown' });
  }

  /** The session of a page that has its secret. Refuses with `CheckoutSessionUnknown`. */
  async show(id: string, pass: SessionPass): Promise<CheckoutSessionView> {
    return this.#viewOf(await this.#enter(id, pass));
  }

  /**
   * Submits a card, and waits for the gateway's answer. A decline is no refusal: the session stays open
   * for another card. Of a session that is paid the answer is that.
   */
  async pay(id: string, given: CardOfPage): Promise<CheckoutSessionView> {
    const { card, gatewayToken, visit, attempt } = given;
    const { checkoutPayments, commands } = this.#services;
    const found = await this.#enter(id, given);
    const now = commands.clock.now();
    const paid = await checkoutPayments.pay(
      found,
      {
        attempt,
        content: ['checkout', id, ...markOf(given)],
        cvv: card?.cvv,
        read: () => ({
          instrument: instrumentOf({ card, gatewayToken }, now),
          visit: visit === undefined ? null : sessionOf(visit, now),
        }),
      },
      this.#acting.caller,
    );
    return this.#viewOf(paid);
  }

  /**
   * How a page takes the card, which it may know without the secret. Of a session that the caller does not
   * have, as of most.
   */
  async cardEntry(
    id: string,
    { applicationId, asksForScript = false }: EntryOfPage = {},
  ): Promise<CardEntry> {
    const { tenantId } = this.#acting;
    const { checkoutPayments, payments } = this.#services;
    const session = await checkoutPayments.read(tenantId, id);
    if (session === null || !this.#isOwn(session, applicationId)) return { by: 'form' };
    const { companyId, pinnedMerchantAccountId, sandbox, currency, amountMinor, plans } = session;
    const named = { tenantId, companyId, merchantAccountId: pinnedMerchantAccountId ?? undefined };
    const rebills = plans.map(({ rebillAmountMinor }) => rebillAmountMinor);
    const order = { sandbox, currency, amountsMinor: [amountMinor, ...rebills] } as const;
    return payments.admission.cardEntryOf(definedOf(named), order, asksForScript);
  }

  /** Goes on after the customer acted, or gave up. Changes nothing where no payment asked for that. */
  async conclude(id: string, { outcome, ...pass }: ActionOfPage): Promise<CheckoutSessionView> {
    const { checkoutPayments } = this.#services;
    const found = await this.#enter(id, pass);
    const { caller } = this.#acting;
    return this.#viewOf(
      await (outcome === 'done'
        ? checkoutPayments.confirm(found, caller)
        : checkoutPayments.abandon(found, caller)),
    );
  }

  /** Of the caller's environment, and of the application where the caller has one. */
  async #enter(id: string, { clientSecret, applicationId }: SessionPass): Promise<FoundSession> {
    const { tenantId } = this.#acting;
    const { checkoutPayments, clientSecrets } = this.#services;
    const found = await checkoutPayments.find(tenantId, id);
    const isOwn = this.#isOwn(found.session, applicationId);
    if (isOwn && clientSecrets.isOf({ tenantId, sessionId: id }, clientSecret)) return found;
    throw refused({ type: 'CheckoutSessionUnknown' });
  }

  #isOwn(
    { sandbox, applicationId: own }: CheckoutSession.CheckoutSession,
    applicationId: number | undefined,
  ): boolean {
    return sandbox === (this.#acting.environment === 'test') && (applicationId ?? own) === own;
  }

  async #orderOf(input: CheckoutSessionInput, sandbox: boolean) {
    const { commands, identities, payments } = this.#services;
    const { tenantId, caller } = this.#acting;
    const { email, currency, customerId: wanted, companyId, merchantAccountId } = input;
    const { expiresInSeconds = CheckoutSession.DEFAULT_EXPIRY_MS / 1_000 } = input;
    if (!isEmail(email)) throw refused({ type: 'EmailInvalid' });
    const now = commands.clock.now();
    const {
      session: _,
      walletPayA: __,
      walletPayB: ___,
      ...order
    } = orderOf(input, {
      sandbox,
      now,
    });
    const plans = (input.plans ?? []).map((plan, index) => planOf(plan, currency, index));
    payments.admission.checkAmount({ order, plans });
    const referring = { tenantId, order, ...definedOf({ companyId, merchantAccountId }) };
    const referred = await payments.admission.referredTo(referring);
    const customer = { tenantId, sandbox, email };
    if (wanted !== undefined && !(await identities.mayBe(customer, wanted))) {
      throw refused({ type: 'CustomerMismatch', customerId: wanted });
    }
    const customerId = await identities.customerOf(customer, wanted, caller);
    // A concurrent payment may have claimed the email or the id.
    if (customerId === undefined || (wanted ?? customerId) !== customerId) {
      throw refused({ type: 'CustomerMismatch', customerId: wanted ?? 0 });
    }
    return {
      ...order,
      plans,
      customerId,
      companyId: referred.companyId,
      orderId: input.orderId ?? null,
      pinnedMerchantAccountId: merchantAccountId ?? null,
      serviceSession: input.serviceSession ?? uuidV7(),
      successUrl: input.successUrl,
      cancelUrl: input.cancelUrl,
      expiresAt: new Date(Date.parse(now) + expiresInSeconds * 1_000).toISOString(),
      at: now,
    };
  }

  #viewOf(found: FoundSession): CheckoutSessionView {
    const { session, payment } = found;
    const { sessionId: id, amountMinor, currency } = session;
    return {
      id,
      status: statusOf(found, this.#services.commands.clock.now()),
      amount: toDecimal(amountMinor, currency),
      currency,
      nextAttempt: CheckoutSession.nextTryOf(session),
      payment,
      session,
    };
  }
}

/** What tells a card from another, without its number. */
function markOf({ card, gatewayToken }: CardOfPage): readonly unknown[] {
  if (card === undefined) return ['gateway', gatewayToken];
  const { number, expMonth, expYear, holder = '' } = card;
  return [number.slice(-4), expMonth, expYear, holder];
}

export const CHECKOUT_CALLS: RecordedCalls<TenantCheckoutSessions> = {
  open: made,
  pay: named,
  conclude: named,
};

export const CHECKOUT_INPUTS: CallInputs<TenantCheckoutSessions> = {
  open: [CheckoutSessionInput],
  get: [SessionId],
  show: [SessionId, SessionPass],
  cardEntry: [SessionId, EntryOfPage.optional()],
  pay: [SessionId, CardOfPage],
  conclude: [SessionId, ActionOfPage],
};
