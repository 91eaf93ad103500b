/** Runs the policies of payments: commands to subscriptions and customers that follow from an event. */

import {
  Customer,
  EventStoreError,
  Lead,
  type MerchantAccount,
  Policies,
  type StoredEvent,
  type StreamName,
  Subscription,
  type TenantId,
  Transaction,
} from '@counterfoil/core';
import {
  type Caller,
  type CommandRunner,
  type Done,
  type Step,
  SYSTEM,
} from '../command-runner.ts';
import { refusalOf } from '../failures.ts';
import type { SessionKeys } from '../identities/index.ts';
import { deterministicUuid } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { Refused } from '../refusal.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import { type Following, followLog } from '../runtime/log-follower.ts';
import type { References } from '../tenants/index.ts';

/** Payments whose follow-ups run concurrently: their appends share a commit. */
const CONCURRENCY = 64;
/** Looks at a payment that fails unexpectedly, before it is passed over. */
const MOST_LOOKS = 5;
/** Payments of this process that its follower has not met yet. */
const MOST_DONE = 10_000;

export interface PolicyReactorOptions {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly sessionKeys: SessionKeys;
  readonly logger: Logger;
  /** No other process writes to the log: then the follower need not look again at what was done here. */
  readonly isOnlyHost?: boolean;
}

type FollowUp = Policies.FollowUp;
type Payment = Transaction.Payment;

/** What follows from a command of a payment. */
interface FollowUpSteps {
  readonly steps: readonly Step[];
  /** Of the payment that it was found out for. */
  readonly revision?: number;
}

/**
 * Applies the follow-ups of a payment: as one with their event where the log can, else after the request,
 * and again from the log after a crash. The command id is derived from the event, so a follow-up is
 * applied once.
 */
export class PolicyReactor {
  readonly #options: PolicyReactorOptions;
  /** Unexpected failures per payment. */
  readonly #looks = new Map<StreamName, number>();
  /** Captured payments of which all that follows was done with the request, oldest first. */
  readonly #done = new Set<StreamName>();
  /** States of payments, of whose last command here all that follows was done with it. */
  readonly #followed = new WeakSet<Payment>();

  constructor(options: PolicyReactorOptions) {
    this.#options = options;
  }

  /**
   * Executes a command of a payment, whose state is the one before it, and what follows from it: as one
   * where that is possible. Otherwise the command alone, and `runFollowUps` does the rest.
   */
  async execute(
    payment: Payment,
    { command, name }: Pick<Step<typeof Transaction>, 'command' | 'name'>,
    caller: Caller,
  ): Promise<Done<typeof Transaction>> {
    const following = await this.#stepsAfter(payment, command);
    const done = await this.#executeWith({ command, name }, following, caller);
    const { events, state, repeated } = done;
    const isFollowed = done.isWhole && !repeated;
    if (!isFollowed || state === null) return done;
    this.#followed.add(state);
    const isCaptured = events.some(({ type }) => type === 'PaymentCaptured');
    if (isCaptured) this.#noteDone(Transaction.streamOf(command), state);
    return done;
  }

  /** `isWhole`: all that follows was executed with the command. */
  async #executeWith(
    { command, name }: Pick<Step<typeof Transaction>, 'command' | 'name'>,
    following: FollowUpSteps | undefined,
    caller: Caller,
  ): Promise<Done<typeof Transaction> & { readonly isWhole: boolean }> {
    const { commands, logger } = this.#options;
    if (following !== undefined && following.steps.length > 0) {
      try {
        const { steps, revision } = following;
        const step = { aggregate: Transaction, command, name, revision };
        const done = await commands.executeTogether([step, ...steps], caller);
        if (done !== undefined) return { ...done[0], isWhole: true };
      } catch (error) {
        if (error instanceof EventStoreError) throw error;
        // The command is not to fail with what follows from it.
        logger.warn({ err: error }, 'the follow-ups of a payment are deferred');
      }
    }
    const done = await commands.execute(Transaction, command, name, caller);
    return { ...done, isWhole: following?.steps.length === 0 };
  }

  /** What follows from a command if it is executed now; undefined where that is not known. */
  async #stepsAfter(
    payment: Payment,
    command: Transaction.Command,
  ): Promise<FollowUpSteps | undefined> {
    const { commands, logger } = this.#options;
    if (!commands.executesTogether) return undefined;
    const { tenantId } = command;
    try {
      if (this.#isPurchaseKnown(tenantId, payment)) return { steps: [] };
      const foreseen = await commands.foreseen(Transaction, command);
      if (foreseen === undefined || foreseen.state === null) return undefined;
      const events = foreseen.events.filter(({ type }) => Policies.FOLLOWED.has(type));
      if (events.length === 0) return { steps: [] };
      const facts = await this.#factsOf(tenantId, foreseen.state);
      const following = events.flatMap((event) => Policies.followUpsOf(event, facts));
      const steps: Step[] = [];
      for (const step of following.map((followUp) => this.#stepOf(followUp))) {
        const { aggregate, command: next } = step;
        const done = await commands.foreseen(aggregate, next);
        // What is refused is told when it is executed by itself.
        if (done === undefined || done.events.length > 0) steps.push(step);
      }
      return { steps, revision: foreseen.revision };
    } catch (error) {
      logger.warn({ err: error }, 'the follow-ups of a payment are deferred');
      return undefined;
    }
  }

  /** Of a payment that is captured: it changes nothing of a customer who is known, and of no other. */
  #isPurchaseKnown(tenantId: TenantId, payment: Payment): boolean {
    if (Policies.subscriptionsOf(payment).length > 0) return false;
    const captured = { type: 'PaymentCaptured', at: payment.submittedAt } as const;
    const session = payment.partnerSession;
    if (session !== null && session !== '') return false;
    const purchases = Policies.purchaseFollowUps(captured, { tenantId, payment });
    return purchases.every((followUp) => this.#changesNothing(followUp));
  }

  /**
   * Runs the follow-ups of a payment, so that the caller can use the subscriptions and the customer at
   * once. Does not fail the payment: errors are left to the follower.
   */
  async runFollowUps(tenantId: TenantId, payment: Payment, caller: Caller): Promise<void> {
    const { commands, logger } = this.#options;
    if (this.#followed.has(payment)) return;
    const { transactionId } = payment;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    try {
      if (Policies.subscriptionsOf(payment).length > 0) {
        for (const stored of await commands.executor.store.read(stream)) {
          if (Policies.FOLLOWED.has(stored.type as Transaction.Event['type'])) {
            await this.#executeForSubscriptions(stored, payment, caller);
          }
        }
      }
      const { capturedAt } = payment;
      if (capturedAt === null) return;
      const captured = { type: 'PaymentCaptured', at: capturedAt } as const;
      for (const purchase of Policies.purchaseFollowUps(captured, { tenantId, payment })) {
        await this.#executeOrLog(stream, purchase, caller);
      }
      this.#noteDone(stream, payment);
    } catch (error) {
      logger.warn({ err: error, stream }, 'the follow-ups of a payment are deferred');
    }
  }

  /**
   * A lost note costs a second look. Only the follower ends the subscriptions of customers who are erased
   * meanwhile.
   */
  #noteDone(stream: StreamName, { plans }: Payment): void {
    if (this.#options.isOnlyHost !== true || plans.length > 0) return;
    const [oldest] = this.#done;
    if (this.#done.size === MOST_DONE && oldest !== undefined) this.#done.delete(oldest);
    this.#done.add(stream);
  }

  /** Follows the log from its beginning until the signal fires. */
  follow(following: Following): Promise<void> {
    return followLog({
      ...following,
      name: 'policies',
      types: Policies.FOLLOWED,
      react: (events) => this.#react(events),
    });
  }

  async #react(events: readonly StoredEvent[]): Promise<void> {
    const failures: unknown[] = [];
    await inParallel({
      items: [...Map.groupBy(events, ({ stream }) => stream).values()],
      atOnce: CONCURRENCY,
      act: async (ofStream) => {
        try {
          for (const stored of ofStream) await this.#followUp(stored);
        } catch (error) {
          failures.push(error);
        }
      },
    });
    // The others are done; the whole batch is retried.
    if (failures.length > 0) throw failures[0];
  }

  /** Runs the follow-ups of one event in order. Throws retryable errors. */
  async #followUp(stored: StoredEvent): Promise<void> {
    const { stream } = stored;
    try {
      await this.#reactTo(stored);
      this.#looks.delete(stream);
    } catch (error) {
      if (refusalOf(error) !== undefined) throw error;
      const looks = (this.#looks.get(stream) ?? 0) + 1;
      this.#looks.set(stream, looks);
      if (looks < MOST_LOOKS) throw error;
      this.#looks.delete(stream);
      // One payment that cannot be processed must not hold up those of all tenants.
      const { logger } = this.#options;
      logger.error({ err: error, stream }, 'the follow-ups of a payment were abandoned');
    }
  }

  async #reactTo(stored: StoredEvent): Promise<void> {
    const { stream, tenantId, type } = stored;
    if (type === 'PaymentCaptured' && this.#done.delete(stream)) return;
    const payment = await this.#paymentOf(stream);
    if (payment === null) return;
    await this.#executeForSubscriptions(stored, payment, SYSTEM);
    if (type !== 'PaymentCaptured') return;
    const captured = await this.#eventOf(stored);
    const facts = { tenantId, payment };
    for (const purchase of Policies.purchaseFollowUps(captured, facts)) {
      await this.#executeOrLog(stream, purchase, SYSTEM);
      if (payment.plans.length > 0 && purchase.to === 'customer') {
        await this.#endForErased(stored, purchase.command, facts);
      }
    }
  }

  async #executeForSubscriptions(
    stored: StoredEvent,
    payment: Payment,
    caller: Caller,
  ): Promise<void> {
    if (Policies.subscriptionsOf(payment).length === 0) return;
    const { stream, tenantId } = stored;
    const facts = await this.#factsOf(tenantId, payment);
    const event = await this.#eventOf(stored);
    for (const followUp of Policies.subscriptionFollowUps(event, facts)) {
      await this.#executeOrLog(stream, followUp, caller);
    }
  }

  /** The customer was erased while the payment was in progress. */
  async #endForErased(
    stored: StoredEvent,
    purchase: Customer.Command,
    facts: Pick<Policies.PolicyFacts, 'tenantId' | 'payment'>,
  ): Promise<void> {
    const customer = await this.#options.commands.stateOf(Customer, Customer.streamOf(purchase));
    if (customer === null || customer.erasureRequestedAt === null) return;
    const at = this.#options.commands.clock.now();
    for (const ending of Policies.erasureFollowUps({ at }, facts)) {
      await this.#executeOrLog(stored.stream, ending, SYSTEM);
    }
  }

  async #eventOf(stored: StoredEvent): Promise<Transaction.Event> {
    return (await this.#options.commands.eventOf(stored)) as Transaction.Event;
  }

  /** Of an order without plans and session, which never changes, a cached state suffices. */
  async #paymentOf(stream: StreamName): Promise<Payment | null> {
    const { commands } = this.#options;
    const cached = commands.rememberedStateOf(Transaction, stream);
    const isPlain = cached?.plans.length === 0 && cached.partnerSession === null;
    return isPlain ? cached : commands.stateOf(Transaction, stream);
  }

  async #factsOf(tenantId: TenantId, payment: Payment): Promise<Policies.PolicyFacts> {
    const { references } = this.#options;
    const account = await this.#billingAccount(tenantId, payment);
    return {
      tenantId,
      payment,
      settings: await references.settingsOf(tenantId),
      retryInsufficientFunds: account?.settings.allowInsufficientFundsRetries ?? false,
    };
  }

  /** The subscription's own account, not that of the last attempt. */
  async #billingAccount(
    tenantId: TenantId,
    payment: Payment,
  ): Promise<MerchantAccount.MerchantAccount | null> {
    const { subscriptionId } = payment;
    if (subscriptionId === null || !Transaction.isRebill(payment)) return null;
    const { commands, references } = this.#options;
    const stream = Subscription.streamOf({ tenantId, subscriptionId });
    const subscription = await commands.stateOf(Subscription, stream);
    return subscription && references.merchantAccount(tenantId, subscription.merchantAccountId);
  }

  /** Logs what the domain refuses for good, and goes on with the others. */
  async #executeOrLog(payment: StreamName, followUp: FollowUp, caller: Caller): Promise<void> {
    try {
      await this.#execute(followUp, caller);
    } catch (error) {
      if (!(error instanceof Refused) || error.isTransient) throw error;
      const facts = { stream: payment, command: followUp.command.type, code: error.code };
      this.#options.logger.warn(facts, 'a follow-up of a payment was refused');
    }
  }

  async #execute(followUp: FollowUp, caller: Caller): Promise<void> {
    if (this.#changesNothing(followUp)) return;
    const { aggregate, command, name } = this.#stepOf(followUp);
    await this.#options.commands.execute(aggregate, command, name, caller);
  }

  /** Nearly every purchase has a known customer and card: then nothing is read. */
  #changesNothing({ to, command }: FollowUp): boolean {
    return to === 'customer' && this.#options.commands.isKnownToChangeNothing(Customer, command);
  }

  #stepOf(followUp: FollowUp): Step {
    // The settings, and so the command, may have changed between two runs.
    const name = { commandId: deterministicUuid(followUp.name), content: followUp.name };
    switch (followUp.to) {
      case 'customer':
        return { aggregate: Customer, command: followUp.command, name };
      case 'lead':
        return { aggregate: Lead, command: this.#keyed(followUp.command), name };
      default:
        return { aggregate: Subscription, command: followUp.command, name };
    }
  }

  #keyed({ sessionId, ...sighting }: Lead.Sighting): Lead.Command {
    const { tenantId } = sighting;
    return { ...sighting, sessionKey: this.#options.sessionKeys.of({ tenantId, sessionId }) };
  }
}
