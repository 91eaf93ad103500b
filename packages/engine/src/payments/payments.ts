/** Use cases of payments: submit, confirm, capture, void, refund. */
import {
  type Sequence,
  type Subscription,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import type { Caller, CommandName, CommandRunner, Step } from '../command-runner.ts';
import type { NamedCustomer } from '../identities/index.ts';
import { deterministicUuid } from '../ids.ts';
import { refused } from '../refusal.ts';
import { Admission, type AdmissionServices, type Admitted, type Entry } from './admission.ts';
import type { GatewayReactor } from './gateway-reactor.ts';
import type { NamedPayment, PaymentRequest } from './payment-request.ts';
import type { PolicyReactor } from './policies.ts';
import { routeTo } from './routes.ts';

type NumberedRequest = Omit<PaymentRequest, 'plans'> & {
  readonly orderId: number;
  readonly plans: Subscription.OrderedPlan[];
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

export interface PaymentServices extends AdmissionServices {
  readonly commands: CommandRunner;
  readonly reactor: GatewayReactor;
  readonly policies: PolicyReactor;
}

export class Payments {
  readonly admission: Admission;
  readonly #services: PaymentServices;

  constructor(services: PaymentServices) {
    this.admission = new Admission(services);
    this.#services = services;
  }

  /** Refuses with `TransactionUnknown`. */
  async get(tenantId: TenantId, transactionId: TransactionId): Promise<Transaction.Payment> {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const payment = await this.#services.commands.stateOf(Transaction, stream);
    if (payment === null) throw refused({ type: 'TransactionUnknown' });
    return payment;
  }

  /** Of its card, for later payments; null for a payment without a card that a gateway was given. */
  tokenOf(tenantId: TenantId, { card, sandbox, customerId }: Transaction.Payment): string | null {
    if (card === null || card.token === '') return null;
    return this.#services.cards.tokenOf({ tenantId, sandbox, customerId }, card);
  }

  async refundableMinor(tenantId: TenantId, payment: Transaction.Payment): Promise<bigint> {
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
      return { request, admitted: await this.admission.admit(request, entry) };
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
    const found = admitted.tokenOwner ?? (await identities.presentCustomer(customer));
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
    // What is large comes first: an object that begins with another is copied as a whole.
    return { ...payment, type: 'SubmitPayment', tenantId, transactionId, route, blackListing, at };
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

/** A confirmation, capture, void or refund is named by its id. */
function nameOf(
  { requestId, content }: Pick<FollowUp, 'requestId' | 'content'>,
  step = 'request',
): Required<CommandName> {
  return { commandId: deterministicUuid([requestId, step]), content };
}
