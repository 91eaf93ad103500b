/** Use cases of payments: submit, confirm, capture, void, refund. */
import {
  type MerchantAccount,
  MonthlyCap,
  Routing,
  type Sequence,
  type Subscription,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import type { BlackLists } from '../black-list/index.ts';
import type { Caller, CommandName, CommandRunner, Step } from '../command-runner.ts';
import type { BillingAddress } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { Identities, NamedCustomer } from '../identities/index.ts';
import { deterministicUuid } from '../ids.ts';
import { refused } from '../refusal.ts';
import type { References } from '../tenants/index.ts';
import type { Cards, Instrument } from './cards.ts';
import {
  areRefused,
  type CardEntry,
  type GatewayAccounts,
  type Order,
} from './gateway-accounts.ts';
import type { GatewayReactor } from './gateway-reactor.ts';
import type { MonthlyCaps, Room } from './monthly-caps.ts';
import type { PolicyReactor } from './policies.ts';
import { routeTo } from './routes.ts';
import { blackListingOf } from './screening.ts';

/** The order fields given by the caller; the rest is looked up, allocated or derived. */
type GivenOrder = Pick<
  Transaction.Order,
  | 'sandbox'
  | 'email'
  | 'firstName'
  | 'lastName'
  | 'amountMinor'
  | 'currency'
  | 'captureMode'
  | 'applicationId'
  | 'shopId'
  | 'campaignId'
  | 'affiliateId'
  | 'productId'
  | 'pricePointId'
  | 'walletPayA'
  | 'walletPayB'
  | 'partnerSession'
  | 'serviceSession'
  | 'items'
  | 'addresses'
  | 'session'
>;

export interface PaymentRequest {
  readonly tenantId: TenantId;
  readonly transactionId: TransactionId;
  /** The request as it was made: what distinguishes a repetition from another use of its id. */
  readonly content: unknown;
  /** Business time. Default: now. */
  readonly at?: string;
  readonly order: GivenOrder;
  /** What the payment subscribes to once it is captured. */
  readonly plans?: readonly Subscription.Plan[];
  readonly orderId?: number;
  readonly customerId?: number;
  readonly companyId?: number;
  readonly merchantAccountId?: number;
  readonly instrument: Instrument;
}

type NumberedRequest = Omit<PaymentRequest, 'plans'> & {
  readonly orderId: number;
  readonly plans: Subscription.OrderedPlan[];
};

/** What names the company of a request, and other definitions. */
export type Referring = Pick<PaymentRequest, 'tenantId' | 'companyId' | 'merchantAccountId'> & {
  readonly order: Pick<
    GivenOrder,
    'applicationId' | 'shopId' | 'campaignId' | 'affiliateId' | 'productId' | 'pricePointId'
  >;
};

type Priced = Pick<GivenOrder, 'amountMinor' | 'currency' | 'captureMode'>;

/** What recognises a payment that was submitted before, and all that a repetition needs. */
export type NamedPayment = Pick<PaymentRequest, 'tenantId' | 'transactionId' | 'content' | 'at'> & {
  readonly cvv?: string | undefined;
};

export interface RefundRequest {
  readonly tenantId: TenantId;
  readonly transactionId: TransactionId;
  readonly refundId: TransactionId;
  readonly content: unknown;
  readonly at?: string;
  /** Absent or 0: the remaining balance. */
  readonly amountMinor?: bigint;
  readonly items: readonly Transaction.RefundItem[];
  readonly adjustments?: readonly Transaction.RefundAdjustment[];
  readonly source: Exclude<Transaction.RefundSource, 'RDR'>;
  readonly notifyCustomer: boolean;
}

export interface FollowUp {
  readonly tenantId: TenantId;
  readonly transactionId: TransactionId;
  /** Names the confirmation, capture or void. */
  readonly requestId: TransactionId;
  readonly content: unknown;
}

/** The payment that a command acts on, and when; now when `at` is absent. */
type Addressed = Pick<RefundRequest, 'tenantId' | 'transactionId' | 'at'>;

type Unaddressed<Each> = Each extends unknown ? Omit<Each, keyof Addressed> : never;

/** The result of admission, before the payment is recorded. */
interface Admitted {
  readonly applicationKind: number;
  readonly companyId: number;
  readonly card: Transaction.Card;
  /** The owner of the token; undefined for a typed card. */
  readonly tokenOwner: number | undefined;
  /** Mask of what of the payer is on the black list. */
  readonly blackListing: number;
  /** Undefined for a payer on the black list: no account is looked for. */
  readonly account: MerchantAccount.MerchantAccount | undefined;
  readonly skipped: Routing.Routing['skipped'];
  /** The reservation under the account's monthly cap. */
  readonly room: Room | undefined;
}

/** How a payment comes on record. */
interface Entry {
  readonly name: { readonly commandId: string; readonly content: unknown };
  readonly isRepeat: () => Promise<boolean>;
  /** Business time; determines the month of a cap. */
  readonly at: string;
}

/** The payment is already recorded. */
class Repeated extends Error {}

export interface PaymentServices {
  readonly commands: CommandRunner;
  readonly identities: Identities;
  readonly references: References;
  readonly blackLists: BlackLists;
  readonly caps: MonthlyCaps;
  readonly gateways: GatewayRegistry;
  readonly gatewayAccounts: GatewayAccounts;
  readonly reactor: GatewayReactor;
  readonly policies: PolicyReactor;
  readonly cards: Cards;
}

export class Payments {
  readonly #services: PaymentServices;

  constructor(services: PaymentServices) {
    this.#services = services;
  }

  /** Refuses with `TransactionUnknown`. */
  async get(tenantId: TenantId, transactionId: TransactionId): Promise<Transaction.Payment> {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const payment = await this.#services.commands.stateOf(Transaction, stream);
    if (payment === null) throw refused({ type: 'TransactionUnknown' });
    return payment;
  }

  /** Derived data of a payment: the token of its card, and the refundable amount. */
  async viewOf(tenantId: TenantId, payment: Transaction.Payment) {
    const { card, sandbox, customerId } = payment;
    const owner = { tenantId, sandbox, customerId };
    // A blocked payment has a card that no gateway was given.
    const hasToken = card !== null && card.token !== '';
    const token = hasToken ? this.#services.cards.tokenOf(owner, card) : null;
    return { token, refundableMinor: await this.#refundableMinor(tenantId, payment) };
  }

  async #refundableMinor(tenantId: TenantId, payment: Transaction.Payment): Promise<bigint> {
    const { commands, references } = this.#services;
    const now = commands.clock.now();
    const anyTime = { refundWindowDays: 0, forceAllowRefunds: true };
    if (!Transaction.isRefundable(payment, anyTime, now)) return 0n;
    const { merchantAccountId } = Transaction.routeOf(payment) ?? {};
    const policy = await references.refundPolicyOf(tenantId, merchantAccountId);
    return Transaction.isRefundable(payment, policy, now)
      ? Transaction.remainingMinor(payment)
      : 0n;
  }

  /** Submits a payment and waits for the gateway's answer. */
  submit(request: PaymentRequest, caller: Caller): Promise<Transaction.Payment> {
    const { instrument } = request;
    const cvv = 'card' in instrument ? instrument.card.cvv : undefined;
    return this.submitNamed({ ...request, cvv }, () => request, caller);
  }

  /** The same with a lazily read request: a repeated request is recognised before the read can refuse. */
  async submitNamed(
    named: NamedPayment,
    read: () => PaymentRequest,
    caller: Caller,
  ): Promise<Transaction.Payment> {
    const { tenantId, transactionId, cvv, at } = named;
    const sentBefore = await this.#enter(named, read, caller);
    const { reactor } = this.#services;
    const context = { cvv, at, caller, sentBefore };
    return this.#followed(tenantId, await reactor.charge(tenantId, transactionId, context), caller);
  }

  /** Runs the policies of a payment before the caller is answered. */
  async #followed(
    tenantId: TenantId,
    payment: Transaction.Payment,
    caller: Caller,
  ): Promise<Transaction.Payment> {
    await this.#services.policies.runFollowUps(tenantId, payment, caller);
    return payment;
  }

  /**
   * Records a payment; returns whether it existed. A repeated request succeeds even if admission would now
   * refuse it. Nearly every payment is new, so the log is read first only when a repeated request would be
   * refused or have side effects.
   */
  async #enter(named: NamedPayment, read: () => PaymentRequest, caller: Caller): Promise<boolean> {
    const { commands, caps } = this.#services;
    const { tenantId, transactionId, content } = named;
    const name = { commandId: deterministicUuid([transactionId, 'submit']), content };
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const isRepeat = () => commands.isRepeat(Transaction, stream, name);
    const entry = { name, isRepeat, at: named.at ?? commands.clock.now() };
    const found = await commands.prepared(Transaction, stream, name, async () => {
      const request = read();
      return { request, admitted: await this.#admit(request, entry) };
    });
    if (found === undefined) return true;
    const { request, admitted } = found;
    const { room } = admitted;
    const repeated = await caps.holding(room, () =>
      this.#record(request, { ...entry, admitted }, caller),
    );
    if (repeated && room !== undefined) await caps.release(room);
    return repeated;
  }

  async #record(
    request: PaymentRequest,
    { name, isRepeat, at, admitted }: Entry & { readonly admitted: Admitted },
    caller: Caller,
  ): Promise<boolean> {
    const { commands, identities } = this.#services;
    const { tenantId, order, customerId: given } = request;
    const customer = { tenantId, sandbox: order.sandbox, email: order.email };
    const found = admitted.tokenOwner ?? identities.knownCustomer(customer);
    const known = given === undefined || given === found ? found : undefined;
    const hasNumbers = this.#hasNumbers(request);
    if ((known === undefined || !hasNumbers) && (await isRepeat())) return true;
    const customerId = known ?? (await this.#givenCustomer(customer, given, caller));
    const numbered = await this.#numbered(request);
    const stepOf = async (owner: number): Promise<Step<typeof Transaction>> => {
      const command = await this.#submission(numbered, { ...admitted, customerId: owner, at });
      return { aggregate: Transaction, command, name };
    };
    if (customerId === undefined) {
      return (await identities.executeFor(customer, stepOf, caller)).repeated;
    }
    const { aggregate, command } = await stepOf(customerId);
    return (await commands.execute(aggregate, command, name, caller)).repeated;
  }

  /**
   * An id that the caller gives must be that of the email's customer, or be free for an email without a
   * customer.
   */
  async #givenCustomer(
    customer: NamedCustomer,
    given: number | undefined,
    caller: Caller,
  ): Promise<number | undefined> {
    if (given === undefined) return undefined;
    const { identities } = this.#services;
    const isAllowed =
      (await identities.mayBe(customer, given)) &&
      // A concurrent payment may have claimed the email or the id.
      (await identities.customerOf(customer, given, caller)) === given;
    if (!isAllowed) throw refused({ type: 'CustomerMismatch', customerId: given });
    return given;
  }

  /** Validates and routes a payment. Records only the reservation. */
  async #admit(request: PaymentRequest, entry: Entry): Promise<Admitted> {
    const { applicationKind, companyId } = await this.referredTo(request);
    const routed = await this.#routed(request, companyId, entry);
    this.checkAmount(request);
    return { applicationKind, companyId, ...routed };
  }

  /** The domain checks this too, but after the customer would have been recorded. */
  checkAmount({ order, plans = [] }: Pick<PaymentRequest, 'plans'> & { readonly order: Priced }) {
    const { amountMinor, currency } = order;
    if (amountMinor <= 0n && !Transaction.isFreeTrial({ ...order, plans })) {
      throw refused({ type: 'AmountNotPositive', amountMinor, currency });
    }
  }

  /** What a request refers to. Refuses with `ReferenceUnknown` and `CompanyRequired`. */
  async referredTo(
    request: Referring,
  ): Promise<{ readonly applicationKind: number; readonly companyId: number }> {
    const { references } = this.#services;
    const { tenantId, order } = request;
    const applicationKind = await references.applicationKindOf(tenantId, order.applicationId);
    const companyId = await this.#companyOf(request);
    await references.check(tenantId, { ...order, companyId });
    return { applicationKind, companyId };
  }

  /** How a page takes the card of an order of a company. */
  async cardEntryOf(
    {
      companyId,
      ...request
    }: Pick<PaymentRequest, 'tenantId' | 'merchantAccountId'> & {
      readonly companyId: number;
    },
    order: Order,
    asksForScript: boolean,
  ): Promise<CardEntry> {
    const accounts = await this.#accountsFor(request, companyId);
    return this.#services.gatewayAccounts.cardEntryOf(accounts, order, asksForScript);
  }

  /** Otherwise they are reserved, which a repetition is not to do. */
  #hasNumbers({ tenantId, orderId, plans = [] }: PaymentRequest): boolean {
    const { identities } = this.#services;
    const isAtHand = (sequence: Sequence.SequenceName) => identities.isAtHand(tenantId, sequence);
    return (
      (orderId !== undefined || isAtHand('order')) && (plans.length === 0 || isAtHand('subscriber'))
    );
  }

  /** The request with the numbers of its order and subscriptions. */
  async #numbered(request: PaymentRequest): Promise<NumberedRequest> {
    const { identities } = this.#services;
    const { tenantId } = request;
    const orderId = request.orderId ?? (await identities.next(tenantId, 'order'));
    const plans: Subscription.OrderedPlan[] = [];
    for (const plan of request.plans ?? []) {
      plans.push({ subscriptionId: await identities.next(tenantId, 'subscriber'), ...plan });
    }
    return { ...request, orderId, plans };
  }

  async #submission(
    request: NumberedRequest,
    {
      account,
      skipped,
      room: _,
      tokenOwner: __,
      blackListing,
      at,
      ...found
    }: Admitted & { readonly customerId: number; readonly at: string },
  ): Promise<Transaction.CommandOf<'SubmitPayment'>> {
    const { tenantId, transactionId, order, orderId, plans } = request;
    const subscriptionId = plans[0]?.subscriptionId ?? null;
    const payment = Transaction.orderOf({
      ...order,
      ...found,
      pinnedMerchantAccountId: request.merchantAccountId ?? null,
      orderId,
      plans,
      subscriptionId,
    });
    const route =
      account === undefined
        ? null
        : await routeTo({ tenantId, account, skipped, payment }, this.#services);
    const submitted = { tenantId, transactionId, ...payment, route, blackListing, at };
    return { type: 'SubmitPayment', ...submitted };
  }

  async #companyOf({ tenantId, companyId, merchantAccountId, order }: Referring): Promise<number> {
    const { references } = this.#services;
    if (companyId !== undefined) return companyId;
    if (merchantAccountId !== undefined) {
      const account = await references.merchantAccount(tenantId, merchantAccountId);
      if (account !== null) return account.settings.companyId;
    }
    return references.companyOf(tenantId, order.shopId);
  }

  /** The candidate accounts: the named one, or all of the company. */
  async #accountsFor(
    { tenantId, merchantAccountId }: Pick<PaymentRequest, 'tenantId' | 'merchantAccountId'>,
    companyId: number,
  ): Promise<readonly MerchantAccount.MerchantAccount[]> {
    const { references } = this.#services;
    if (merchantAccountId === undefined) return references.merchantAccountsOf(tenantId, companyId);
    const account = await references.merchantAccount(tenantId, merchantAccountId);
    if (account?.settings.companyId === companyId) return [account];
    const unknown = { field: 'merchantAccountId', id: merchantAccountId, companyId };
    throw refused({ type: 'ReferenceUnknown', references: [unknown] });
  }

  /**
   * Chooses the account, and exchanges the card for a token there: its number is not needed after this.
   * Not for a payer on the black list, of whom no gateway hears.
   */
  async #routed(
    request: PaymentRequest,
    companyId: number,
    entry: Entry,
  ): Promise<Omit<Admitted, 'applicationKind' | 'companyId'>> {
    const allowed = await this.#accountsFor(request, companyId);
    // An account whose credentials are refused is passed over from then on.
    for (const _ of allowed) {
      try {
        return await this.#routedAmong(allowed, request, entry);
      } catch (error) {
        if (!areRefused(error)) throw error;
      }
    }
    return this.#routedAmong(allowed, request, entry);
  }

  async #routedAmong(
    allowed: readonly MerchantAccount.MerchantAccount[],
    request: PaymentRequest,
    { at, isRepeat }: Entry,
  ): Promise<Omit<Admitted, 'applicationKind' | 'companyId'>> {
    const { caps, cards, gateways, gatewayAccounts } = this.#services;
    const environment = { tenantId: request.tenantId, sandbox: request.order.sandbox };
    const { instrument, order, transactionId } = request;
    const tokenOwner = 'token' in instrument ? await this.#holderOf(request) : undefined;
    const owner = tokenOwner === undefined ? undefined : { ...environment, customerId: tokenOwner };
    const { currency, amountMinor, sandbox } = order;
    const known = await cards.find(owner, instrument, allowed, { sandbox, currency });
    const brought = { instrument, known };
    const customerId = async () =>
      tokenOwner ?? (await this.#holderOf(request)) ?? request.customerId;
    const blackListing = await blackListingOf({ ...request, brought, customerId }, this.#services);
    if (blackListing !== 0) {
      const nowhere = { account: undefined, skipped: [], room: undefined };
      return { ...nowhere, blackListing, card: cards.unkept(environment, brought), tokenOwner };
    }
    const { plans = [] } = request;
    const payable = {
      currency,
      amountMinor,
      brandId: cards.brandIdOf(brought),
      tried: [],
      gatewayIds: gateways.ids,
      gatewayId: known?.account.settings.gatewayId,
      refusing: gatewayAccounts.refusing(allowed, {
        sandbox,
        currency,
        amountsMinor: [amountMinor, ...plans.map(({ rebillAmountMinor }) => rebillAmountMinor)],
        hasCardNumber: 'card' in instrument,
        tokenAccount: known?.account,
      }),
    };
    // A repeated request would reserve again after the settlement.
    if (isCapped(allowed, payable) && (await isRepeat())) throw new Repeated();
    const attempt = { ...environment, transactionId, attempt: 1, at };
    const { account, skipped, room } = await caps.choose(allowed, payable, attempt);
    if (account === undefined) throw refused({ type: 'NoMerchantAccount', skipped });
    const place = { sandbox, currency };
    const card = await caps.holding(room, () =>
      cards.exchange(environment, brought, { account, place, billing: billingOf(order) }),
    );
    return { account, skipped, card, tokenOwner, room, blackListing };
  }

  /** The current customer of the order's email, not cached. */
  async #holderOf({ tenantId, order }: PaymentRequest): Promise<number | undefined> {
    const { sandbox, email } = order;
    return (await this.#services.identities.holderOf({ tenantId, sandbox, email }))?.customerId;
  }

  /**
   * Continues a payment after the customer completed `nextAction`. After a decline another account may
   * require an action again, so each one is a separate request.
   */
  async confirm(followUp: FollowUp, caller: Caller): Promise<Transaction.Payment> {
    const { tenantId, transactionId } = followUp;
    const name = nameOf(followUp, 'complete-action');
    await this.#recorded(followUp, name, { type: 'CompleteAction' }, caller);
    const payment = await this.#services.reactor.confirm(tenantId, transactionId, caller);
    return this.#followed(tenantId, payment, caller);
  }

  /** Captures an authorized amount or a part of it; the rest is released. */
  async capture(
    followUp: FollowUp,
    amountMinor: bigint | undefined,
    caller: Caller,
  ): Promise<Transaction.Payment> {
    const { tenantId, transactionId, requestId: captureId } = followUp;
    const request = { captureId, ...(amountMinor !== undefined && { amountMinor }) };
    const command = { type: 'RequestCapture', ...request } as const;
    const name = nameOf(followUp);
    await this.#expectAmount(followUp, name, amountMinor);
    const sentBefore = await this.#recorded(followUp, name, command, caller);
    const context = { caller, sentBefore };
    const payment = await this.#services.reactor.capture(tenantId, transactionId, context);
    return this.#followed(tenantId, payment, caller);
  }

  /** Voids an authorization, or a capture that is not settled. */
  async void(followUp: FollowUp, caller: Caller): Promise<Transaction.Payment> {
    const { tenantId, transactionId, requestId: voidId } = followUp;
    const command = { type: 'RequestVoid', voidId } as const;
    const sentBefore = await this.#recorded(followUp, nameOf(followUp), command, caller);
    return this.#services.reactor.void(tenantId, transactionId, { caller, sentBefore });
  }

  /** Reserves the amount, calls the gateway, and returns the refund. */
  async refund(request: RefundRequest, caller: Caller): Promise<Transaction.Refund> {
    const { reactor, references } = this.#services;
    const { tenantId, transactionId, refundId, content, at, amountMinor, ...asked } = request;
    const name = nameOf({ requestId: refundId, content });
    const payment = await this.#expectGateway(request, name);
    await this.#expectAmount(request, name, amountMinor);
    const { merchantAccountId } = Transaction.routeOf(payment) ?? {};
    const command = {
      type: 'RequestRefund',
      adjustments: [],
      ...asked,
      refundId,
      ...(amountMinor !== undefined && { amountMinor }),
      requestedBy: caller.actor,
      policy: await references.refundPolicyOf(tenantId, merchantAccountId),
    } as const;
    const sentBefore = await this.#executed(request, name, command, caller);
    return reactor.refund(tenantId, transactionId, refundId, { caller, sentBefore, at });
  }

  /** Records a follow-up, unless the gateway is absent; resolves with whether it was recorded before. */
  async #recorded(
    payment: Addressed,
    name: Required<CommandName>,
    command: Unaddressed<Transaction.Command>,
    caller: Caller,
  ): Promise<boolean> {
    await this.#expectGateway(payment, name);
    return this.#executed(payment, name, command, caller);
  }

  async #executed(
    { tenantId, transactionId, at }: Addressed,
    name: Required<CommandName>,
    command: Unaddressed<Transaction.Command>,
    caller: Caller,
  ): Promise<boolean> {
    const { commands } = this.#services;
    const addressed = { ...command, tenantId, transactionId, at: at ?? commands.clock.now() };
    const { repeated } = await commands.execute(Transaction, addressed, name, caller);
    return repeated;
  }

  /**
   * The current payment. Refuses with `GatewayUnknown` when its gateway is absent, unless the command is
   * already recorded.
   */
  async #expectGateway(
    { tenantId, transactionId }: Addressed,
    name: Required<CommandName>,
  ): Promise<Transaction.Payment> {
    const { commands, gateways } = this.#services;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const payment = await this.get(tenantId, transactionId);
    const { gatewayId } = Transaction.routeOf(payment) ?? {};
    const isAbsent = gatewayId !== undefined && !gateways.ids.has(gatewayId);
    if (isAbsent && !(await commands.isRepeat(Transaction, stream, name))) {
      throw refused({ type: 'GatewayUnknown', gatewayId });
    }
    return payment;
  }

  /**
   * Refuses with `AmountNotTaken` a part that the payment's gateway cannot move, unless the command is
   * already recorded.
   */
  async #expectAmount(
    { tenantId, transactionId }: Addressed,
    name: Required<CommandName>,
    amountMinor: bigint | undefined,
  ): Promise<void> {
    if (amountMinor === undefined) return;
    const { commands, references, gatewayAccounts } = this.#services;
    const payment = await this.get(tenantId, transactionId);
    const { merchantAccountId } = Transaction.routeOf(payment) ?? {};
    const account = await references.merchantAccount(tenantId, merchantAccountId ?? 0);
    if (account === null) return;
    const { sandbox, currency } = payment;
    const part = { sandbox, currency, amountsMinor: [amountMinor], hasCardNumber: false };
    if (gatewayAccounts.refusalOf(account, part) !== 'amount-not-taken') return;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    if (await commands.isRepeat(Transaction, stream, name)) return;
    throw refused({ type: 'AmountNotTaken', amountMinor, currency });
  }
}

/** Goods may go to somebody else: an address for shipping is none of the card. */
function billingOf({ addresses }: Pick<GivenOrder, 'addresses'>): BillingAddress | undefined {
  const found = addresses.find(({ addressType }) => addressType === 'DEFAULT');
  if (found === undefined) return undefined;
  const { address, city, postalCode, state, countryCode } = found;
  const billing = { address, city, postalCode, state, countryCode };
  return Object.values(billing).some((each) => each !== '') ? billing : undefined;
}

/** A confirmation, capture, void or refund is named by its id. */
function nameOf(
  { requestId, content }: Pick<FollowUp, 'requestId' | 'content'>,
  step = 'request',
): Required<CommandName> {
  return { commandId: deterministicUuid([requestId, step]), content };
}

function isCapped(
  accounts: readonly MerchantAccount.MerchantAccount[],
  payment: Routing.Routable,
): boolean {
  const { account } = Routing.route(accounts, payment);
  return account !== undefined && MonthlyCap.capOf(account, payment.currency) !== undefined;
}
