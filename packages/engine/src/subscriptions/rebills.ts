/** Attempts of a billing cycle as payments: each is recorded once and settled. */
import {
  Customer,
  EventStoreError,
  type MerchantAccount,
  type Routing,
  Subscription,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { type BlackLists, payerOf, REBILL_KINDS } from '../black-list/index.ts';
import { type CommandRunner, type Step, SYSTEM } from '../command-runner.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { deterministicUuid } from '../ids.ts';
import {
  expectNoneRests,
  type GatewayAccounts,
  type GatewayReactor,
  type MonthlyCaps,
  type PolicyReactor,
  type Room,
  routeTo,
} from '../payments/index.ts';
import type { References } from '../tenants/index.ts';
import { isCardRemoved, startingPayment } from './subscribed-card.ts';

interface RebillServices {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly blackLists: BlackLists;
  readonly caps: MonthlyCaps;
  readonly gateways: GatewayRegistry;
  readonly gatewayAccounts: GatewayAccounts;
  readonly reactor: GatewayReactor;
  readonly policies: PolicyReactor;
}

export interface AttemptName {
  readonly tenantId: TenantId;
  readonly subscriptionId: number;
  readonly cycle: number;
  readonly attempt: number;
}

/** A deterministic id: concurrent workers, and a retry after a crash, create one payment. */
export function rebillId({ tenantId, subscriptionId, cycle, attempt }: AttemptName): TransactionId {
  const parts = [tenantId, 'subscription', subscriptionId, cycle, attempt];
  return deterministicUuid(parts.map(String)) as TransactionId;
}

type PendingAttempt = NonNullable<Subscription.Subscription['pending']>;

/** A subscription and its pending attempt. */
interface Billed {
  readonly tenantId: TenantId;
  readonly subscription: Subscription.Subscription;
  readonly pending: PendingAttempt;
  /** Of the customer who is there; null when there is none. */
  readonly visit: Transaction.Session | null;
}

/** The route of an attempt; with `refused`, the reason and the account that the failure is recorded for. */
interface Destination {
  /** Null for a payer on the black list. */
  readonly route: Transaction.Route | null;
  readonly room: Room | undefined;
  readonly refused?: Subscription.NotAsked;
  /** Mask of what of the payer is on the black list. */
  readonly blackListing?: number;
}

/** The payment of an attempt, and how its gateway responded. */
export interface ChargeResult {
  readonly payment: Transaction.Payment | undefined;
  /** `not-called` when the outcome of an earlier charge is still unknown. */
  readonly gateway: 'answered' | 'timeout' | 'not-called';
}

export class Rebills {
  readonly #services: RebillServices;

  constructor(services: RebillServices) {
    this.#services = services;
  }

  /**
   * Creates or resumes the payment of the pending attempt and runs its policies. Idempotent. A charge
   * with an unknown outcome is left to the sweeper. With a visit the customer is there.
   */
  async charge(
    tenantId: TenantId,
    subscription: Subscription.Subscription,
    visit: Transaction.Session | null = null,
  ): Promise<ChargeResult> {
    const { pending } = subscription;
    if (pending === null) return { payment: undefined, gateway: 'not-called' };
    const { commands, policies } = this.#services;
    const { transactionId } = pending;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const before = await commands.stateOf(Transaction, stream);
    if (before?.status === 'Unknown') {
      await policies.runFollowUps(tenantId, before, SYSTEM);
      return { payment: before, gateway: 'not-called' };
    }
    const sentBefore =
      before !== null || (await this.#enter({ tenantId, subscription, pending, visit }));
    return this.#charged(tenantId, transactionId, { sentBefore });
  }

  /**
   * The same for an attempt that `begin` is to begin, of the subscription as it will be then: the attempt
   * and its payment are recorded as one. Undefined where that was not possible, with nothing recorded: the
   * attempt is then to be begun by itself, which meets what was in the way.
   */
  async begin(
    tenantId: TenantId,
    begin: Step<typeof Subscription>,
    subscription: Subscription.Subscription,
  ): Promise<ChargeResult | undefined> {
    const { pending } = subscription;
    if (pending === null || !this.#services.commands.executesTogether) return undefined;
    try {
      const billed = { tenantId, subscription, pending, visit: null };
      if (!(await this.#enterWith(begin, billed))) return undefined;
    } catch (error) {
      if (error instanceof EventStoreError) throw error;
      return undefined;
    }
    return this.#charged(tenantId, pending.transactionId, { sentBefore: false });
  }

  async #charged(
    tenantId: TenantId,
    transactionId: TransactionId,
    context: { readonly sentBefore: boolean },
  ): Promise<ChargeResult> {
    const payment = await this.#concluded(tenantId, transactionId, context);
    await this.#services.policies.runFollowUps(tenantId, payment, SYSTEM);
    return { payment, gateway: payment.status === 'Unknown' ? 'timeout' : 'answered' };
  }

  /**
   * The gateway of the subscription's own account. 0 when the subscription cannot be read: its billing
   * then fails in isolation.
   */
  async gatewayOf({
    tenantId: tenant,
    subscriptionId,
  }: {
    readonly tenantId: number;
    readonly subscriptionId: number;
  }): Promise<number> {
    const { commands } = this.#services;
    const tenantId = tenant as TenantId;
    try {
      const stream = Subscription.streamOf({ tenantId, subscriptionId });
      const subscription = await commands.stateOf(Subscription, stream);
      if (subscription === null) return 0;
      return (await this.#ownAccount(tenantId, subscription)).settings.gatewayId;
    } catch {
      return 0;
    }
  }

  /** Whether a gateway is missing in the registry; false for an unknown one (0). */
  isAbsent(gatewayId: number): boolean {
    return gatewayId !== 0 && !this.#services.gateways.ids.has(gatewayId);
  }

  /** Without a customer to authenticate it, a payment that requires that expires at once. */
  async #concluded(
    tenantId: TenantId,
    transactionId: TransactionId,
    { sentBefore }: { sentBefore: boolean },
  ): Promise<Transaction.Payment> {
    const { commands, reactor, policies } = this.#services;
    const context = { caller: SYSTEM, sentBefore };
    const payment = await reactor.charge(tenantId, transactionId, context);
    const isLeft = payment.status === 'RequiresAction' && Transaction.isOffSession(payment);
    if (!isLeft) return payment;
    const expire = {
      command: {
        type: 'ExpirePayment',
        tenantId,
        transactionId,
        note: 'a rebill has no customer present to authenticate it',
        at: commands.clock.now(),
      },
      name: { commandId: deterministicUuid([transactionId, 'expire-rebill']) },
    } as const;
    const { state } = await policies.execute(payment, expire, SYSTEM);
    return state ?? payment;
  }

  /** Records the payment; returns whether it existed already. */
  async #enter(billed: Billed): Promise<boolean> {
    const { commands, caps } = this.#services;
    const { submission, room } = await this.#submissionOf(billed);
    const { aggregate, command, name } = submission;
    const { repeated } = await caps.holding(room, () =>
      commands.execute(aggregate, command, name, SYSTEM),
    );
    if (repeated && room !== undefined) await caps.release(room);
    return repeated;
  }

  /** Records the attempt and its payment; returns whether that was possible. */
  async #enterWith(begin: Step<typeof Subscription>, billed: Billed): Promise<boolean> {
    const { commands, caps } = this.#services;
    const { submission, room } = await this.#submissionOf(billed);
    const done = await caps.holding(room, () =>
      commands.executeTogether([begin, submission], SYSTEM),
    );
    if (done === undefined && room !== undefined) await caps.release(room);
    return done !== undefined;
  }

  /** The payment of an attempt as a command, and the room that is reserved for it. */
  async #submissionOf(
    billed: Billed,
  ): Promise<Pick<Destination, 'room'> & { readonly submission: Step<typeof Transaction> }> {
    const { tenantId, subscription, pending } = billed;
    const { transactionId, cycle, attempt } = pending;
    const { subscriptionId } = subscription;
    const at = this.#services.commands.clock.now();
    const order = await this.#orderOf(billed);
    const { blackListing = 0, ...destination } = await this.#destinationOf(billed, order, at);
    const { route, room, refused: notAsked } = destination;
    const command: Transaction.CommandOf<'SubmitPayment'> = {
      ...order,
      type: 'SubmitPayment',
      tenantId,
      transactionId,
      route,
      blackListing,
      ...(notAsked !== undefined && { refused: notAsked }),
      at,
    };
    const commandId = deterministicUuid([transactionId, 'submit']);
    // Prices, addresses and routes may change between retries; the cycle and the attempt do not.
    const content = { subscriptionId, cycle, attempt };
    return { submission: { aggregate: Transaction, command, name: { commandId, content } }, room };
  }

  /** The starting order for this cycle, with the customer's current contact data. */
  async #orderOf({ tenantId, subscription, pending, visit }: Billed): Promise<Transaction.Order> {
    const { sandbox, currency, companyId, customerId, subscriptionId, card } = subscription;
    const { cycle, attempt, totalAttempt, amountMinor } = pending;
    const started = await startingPayment(this.#services.commands, tenantId, subscription);
    const { email, firstName, lastName, addresses } = started;
    const { orderId, shopId, campaignId, affiliateId, productId } = started;
    const applicationId = Transaction.APPLICATION_KIND[attempt === 1 ? 'Rebill' : 'RebillRetry'];
    const person = await this.#personOf(tenantId, subscription);
    return Transaction.orderOf({
      sandbox,
      orderId,
      customerId,
      email,
      firstName,
      lastName,
      addresses,
      ...person,
      amountMinor,
      currency,
      applicationId,
      applicationKind: applicationId,
      companyId,
      shopId,
      campaignId,
      affiliateId,
      productId,
      subscriptionId,
      paymentNumber: cycle,
      attempt,
      totalAttempt,
      card,
      session: visit,
    });
  }

  /** Undefined for a customer who is not registered or is being erased. */
  async #personOf(
    tenantId: TenantId,
    { sandbox, customerId }: Subscription.Subscription,
  ): Promise<Partial<Customer.Contact> | undefined> {
    const named = Customer.streamOf({ tenantId, sandbox, customerId });
    const customer = await this.#services.commands.stateOf(Customer, named);
    if (customer === null || customer.erasureRequestedAt !== null) return undefined;
    const { email, firstName, lastName, addresses } = customer;
    return { email, firstName, lastName, ...(addresses.length > 0 && { addresses }) };
  }

  /** Prefers the subscription's own account; the company's other accounts on the same gateway can use the token too. */
  async #destinationOf(
    { tenantId, subscription, pending, visit }: Billed,
    payment: Transaction.Order,
    at: string,
  ): Promise<Destination> {
    const { caps, gateways, gatewayAccounts } = this.#services;
    const { sandbox, currency, card } = subscription;
    const { transactionId, amountMinor } = pending;
    const own = await this.#ownAccount(tenantId, subscription);
    const refuse = async (
      reason: Subscription.NotAsked,
      skipped: Routing.Routing['skipped'] = [],
    ): Promise<Destination> => {
      const route = await routeTo({ tenantId, account: own, skipped, payment }, this.#services);
      return { route, room: undefined, refused: reason };
    };
    const isAwaited = visit !== null && Subscription.awaitsCustomer(subscription);
    const isOpen = Subscription.isActive(subscription) && !Subscription.isFrozen(subscription);
    if (!isOpen && !isAwaited) {
      return refuse('subscription_closed');
    }
    if (card === null) return refuse('no_card');
    if (await isCardRemoved(this.#services.commands, tenantId, subscription)) {
      return refuse(Subscription.CARD_REMOVED);
    }
    const blackListing = await this.#blackListingOf(tenantId, payment);
    if (blackListing !== 0) return { route: null, room: undefined, blackListing };
    const { brandId } = card;
    const { gatewayId } = own.settings;
    const gatewayIds = gateways.ids;
    const accounts = await this.#accountsFrom(tenantId, own);
    const wanted = { sandbox, currency, amountsMinor: [amountMinor], hasCardNumber: false };
    await gatewayAccounts.checkRested(accounts, wanted);
    const refusing = gatewayAccounts.refusing(accounts, { ...wanted, tokenAccount: own });
    const payable = { currency, amountMinor, brandId, tried: [], gatewayIds, gatewayId, refusing };
    const planned = { tenantId, sandbox, transactionId, attempt: 1, at };
    const { account, skipped, room } = await caps.choose(accounts, payable, planned);
    if (account === undefined) {
      expectNoneRests(skipped, own.settings);
      return refuse('no_merchant_account', skipped);
    }
    return caps.holding(room, async () => ({
      route: await routeTo({ tenantId, account, skipped, payment }, this.#services),
      room,
    }));
  }

  /** What is on the list blocks the rebill, which freezes the subscription like a hard decline. */
  #blackListingOf(tenantId: TenantId, payment: Transaction.Order): Promise<number> {
    const owner = { tenantId, sandbox: payment.sandbox };
    const payer = () => payerOf(payment);
    return this.#services.blackLists.maskOf(owner, { kinds: REBILL_KINDS, payer });
  }

  async #ownAccount(
    tenantId: TenantId,
    { merchantAccountId }: Subscription.Subscription,
  ): Promise<MerchantAccount.MerchantAccount> {
    const account = await this.#services.references.merchantAccount(tenantId, merchantAccountId);
    if (account === null) throw new Error(`there is no merchant account ${merchantAccountId}`);
    return account;
  }

  /** The subscription's own account, and then the others of its company. */
  async #accountsFrom(
    tenantId: TenantId,
    own: MerchantAccount.MerchantAccount,
  ): Promise<readonly MerchantAccount.MerchantAccount[]> {
    const { companyId } = own.settings;
    const all = await this.#services.references.merchantAccountsOf(tenantId, companyId);
    const isOther = ({ merchantAccountId: id }: { merchantAccountId: number }) =>
      id !== own.merchantAccountId;
    return [own, ...all.filter(isOther)];
  }
}
