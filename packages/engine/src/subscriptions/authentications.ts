/** Customers authenticate the payment of a cycle that their bank refused without them. */
import { Subscription, Transaction, type TransactionId, toDecimal } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import { type Payments, sessionOf } from '../payments/index.ts';
import { Refused } from '../refusal.ts';
import type { References } from '../tenants/index.ts';
import type { AuthenticationLinks, NamedCycle } from './authentication-links.ts';
import { type Rebills, rebillId } from './rebills.ts';

/** What is to be paid. */
interface Due {
  readonly company: string;
  readonly plan: string;
  /** In major units. */
  readonly amount: string;
  readonly currency: string;
}

/** What a link leads to. */
export type Authentication =
  /**
   * `unknown`: no link of this host. `ended`: the subscription is over, or the person was erased.
   * `closed`: it is paused for another reason. `settled`: it goes on. `processing`: the gateway's answer is
   * not known yet.
   */
  | { readonly state: 'unknown' | 'expired' | 'ended' | 'closed' | 'settled' | 'processing' }
  | (Due & { readonly state: 'asked'; readonly wasDeclined: boolean })
  /** The page of the bank. */
  | (Due & { readonly state: 'challenge'; readonly url: string });

/** Who follows the link. */
export interface Visitor {
  readonly ip: string;
}

interface AuthenticationServices {
  readonly commands: CommandRunner;
  readonly payments: Payments;
  readonly references: References;
  readonly rebills: Rebills;
  readonly links: AuthenticationLinks;
}

const CUSTOMER: Caller = { actor: 'customer' };

export class Authentications {
  readonly #services: AuthenticationServices;

  constructor(services: AuthenticationServices) {
    this.#services = services;
  }

  async find(token: string): Promise<Authentication> {
    const named = this.#services.links.open(token);
    const subscription = named && (await this.#subscriptionOf(named));
    if (named === undefined || subscription == null) return { state: 'unknown' };
    if (!Subscription.isActive(subscription)) return { state: 'ended' };
    if (named.isExpired) return { state: 'expired' };
    const isOfCycle = subscription.cycle === named.cycle;
    if (!isOfCycle || !Subscription.awaitsCustomer(subscription)) {
      return { state: Subscription.isFrozen(subscription) ? 'closed' : 'settled' };
    }
    return this.#stateOf(named, subscription);
  }

  /**
   * Begins the payment, or goes on with it after the customer acted, and answers with what there is then.
   * However often it is asked for, the cycle is paid once.
   */
  async goOn(token: string, visitor: Visitor): Promise<Authentication> {
    const { links, rebills } = this.#services;
    const found = await this.find(token);
    const named = links.open(token);
    if (named === undefined) return found;
    try {
      if (found.state === 'asked') {
        const begun = await this.#begin(named);
        const visit = sessionOf(visitor, this.#services.commands.clock.now());
        if (begun !== null) await rebills.charge(named.tenantId, begun, visit);
      } else if (found.state === 'challenge') {
        await this.#confirm(named);
      }
    } catch (error) {
      // Something else came first, or the gateway cannot be reached: the state says what there is to do.
      if (!(error instanceof Refused)) throw error;
    }
    return this.find(token);
  }

  #subscriptionOf(named: NamedCycle): Promise<Subscription.State> {
    return this.#services.commands.stateOf(Subscription, Subscription.streamOf(named));
  }

  #paymentOf({ tenantId }: NamedCycle, transactionId: TransactionId): Promise<Transaction.State> {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    return this.#services.commands.stateOf(Transaction, stream);
  }

  async #stateOf(
    named: NamedCycle,
    subscription: Subscription.Subscription,
  ): Promise<Authentication> {
    const { pending, name: plan, currency, companyId, attempt } = subscription;
    const { tenantId } = named;
    const transactionId = pending?.transactionId ?? rebillId({ ...named, attempt });
    const payment = await this.#paymentOf(named, transactionId);
    const company = await this.#services.references.companyNameOf(tenantId, companyId);
    const amountMinor = pending?.amountMinor ?? subscription.rebillAmountMinor;
    const due = { company, plan, currency, amount: toDecimal(amountMinor, currency) };
    // What was tried last without the customer is why there is a link.
    if (pending === null) return { state: 'asked', ...due, wasDeclined: payment?.session != null };
    const { status, nextAction } = payment ?? {};
    const waits = status === 'RequiresAction' && nextAction != null;
    return waits ? { state: 'challenge', ...due, url: nextAction.url } : { state: 'processing' };
  }

  async #begin(named: NamedCycle): Promise<Subscription.State> {
    const before = await this.#subscriptionOf(named);
    const next = { ...named, attempt: (before?.attempt ?? 0) + 1 };
    const { commands } = this.#services;
    const { state } = await commands.execute(
      Subscription,
      {
        type: 'BeginRebill',
        ...next,
        transactionId: rebillId(next),
        isCustomerPresent: true,
        at: commands.clock.now(),
      },
      // The subscription recognises a try that was begun.
      { commandId: uuidV7() },
      CUSTOMER,
    );
    return state;
  }

  async #confirm(named: NamedCycle): Promise<void> {
    const { tenantId } = named;
    const { pending } = (await this.#subscriptionOf(named)) ?? {};
    const payment = pending && (await this.#paymentOf(named, pending.transactionId));
    if (payment?.status !== 'RequiresAction') return;
    const { transactionId, attempts, changedAt } = payment;
    // One for each time that the payment waits: the customer may be back without having acted.
    const content = [transactionId, 'authentication', String(attempts.length), changedAt];
    const requestId = deterministicUuid(content) as TransactionId;
    await this.#services.payments.confirm(
      { tenantId, transactionId, requestId, content },
      CUSTOMER,
    );
  }
}
