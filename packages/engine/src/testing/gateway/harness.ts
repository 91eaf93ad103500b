/** Shared helpers of the gateway contract: opened gateways and requests. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { boundedGateway, type GatewayBounds } from '../../gateways/bounded-gateway.ts';
import type { SignedEvent } from '../../gateways/gateway-events.ts';
import {
  type AccountContext,
  type CardDetails,
  type ChargeRequest,
  type ChargeResult,
  type FollowUpRequest,
  type FollowUpResult,
  type GatewayAccount,
  GatewayTimeout,
  type PaymentGateway,
} from '../../gateways/payment-gateway.ts';

/** The card, and optionally the amount, that triggers a behaviour in the gateway's test mode. */
export type Trigger = Brought & {
  /** Default: 10,000. At least 100, so that parts of it can be taken. */
  readonly amountMinor?: bigint;
};

/** A card, or what the gateway's own script would have made of one. */
type Brought = { readonly card: CardDetails } | { readonly gatewayToken: string };

/** The trigger of each behaviour; `lacks` when the gateway does not have it. */
export interface GatewayBehaviours {
  /** A charge is captured, and can be refunded in parts. */
  readonly approve: Trigger;
  readonly decline: Trigger;
  /** A charge is authorized first, and captured later or voided. */
  readonly authorize: Trigger | 'lacks';
  /** A captured charge can be voided. */
  readonly voidOfCapture: Trigger | 'lacks';
  /** A charge of 0 verifies the card. */
  readonly zeroAmount: Trigger | 'lacks';
  /** The customer has to act; `confirm` then captures, or authorizes. */
  readonly action: Trigger | 'lacks';
  /** A charge is captured, and its answer is lost. */
  readonly lostCharge: Trigger | 'lacks';
  /** A charge never reaches the gateway. */
  readonly neverReceived: Trigger | 'lacks';
  /** A charge is captured; a refund of it is made, and its answer is lost. */
  readonly lostRefund: Trigger | 'lacks';
  /** A charge is captured, then disputed. */
  readonly chargeback: Trigger | 'lacks';
  readonly alert: Trigger | 'lacks';
}

export type Behaviour = keyof GatewayBehaviours;

/** The sums of one charge by the gateway's own books. */
export interface MovedMoney {
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
}

/** How an adapter with `events` is brought to have some. */
export interface EventTriggers {
  /** The bank sends back a refund that was made. */
  readonly failRefund: (gatewayTransactionId: string) => void | Promise<void>;
  /** The holder of the card disputes all of a captured charge; the money is withdrawn. */
  readonly dispute: (gatewayTransactionId: string) => void | Promise<void>;
  /** An event, signed now with a secret of the account. */
  readonly signed: () => Signed | Promise<Signed>;
}

type Signed = Pick<SignedEvent, 'signature' | 'body'>;

/** An adapter under test. */
export interface GatewayContract<Gateway extends PaymentGateway = PaymentGateway> {
  /** Name of the adapter, for the names of the cases. */
  readonly name: string;
  /** Opens the gateway. Its books may hold charges of earlier cases: every key is used once. */
  readonly open: () => Gateway | Promise<Gateway>;
  /** Reopens the books of a closed gateway. Absent when they are not durable. */
  readonly reopen?: (closed: Gateway) => Gateway | Promise<Gateway>;
  readonly behaviours: GatewayBehaviours;
  /** Reads the gateway's own books. Absent when they cannot be read. */
  readonly moved?: (gateway: Gateway, gatewayTransactionId: string) => Promise<MovedMoney>;
  /** Runs after each case, after its gateways are closed. */
  readonly cleanUp?: () => Promise<void>;
  /** Does what the customer does at the address of `nextAction`. Default: `confirm` is enough. */
  readonly act?: (url: string) => Promise<void>;
  /** Default: an account with made-up credentials. */
  readonly account?: GatewayAccount;
  /** An account whose credentials the gateway refuses. Absent where it has none. */
  readonly refusedAccount?: GatewayAccount;
  /** Absent for an adapter without `events`. */
  readonly events?: EventTriggers;
  /** Default: EUR. */
  readonly currency?: string;
  /** Timeout of a call, as in the engine. Default: 10 seconds. */
  readonly gatewayTimeoutMs?: number;
  /** Limit of one case. Default: a minute. */
  readonly timeoutMs?: number;
}

const GATEWAY_TIMEOUT_MS = 10_000;
/** More than the concurrent calls of any case. */
const MAX_IN_FLIGHT = 100;
const DEFAULT_AMOUNT_MINOR = 10_000n;
const RETURN_URL = 'https://shop.example/return';
const FINGERPRINT = 'c0ffee'.repeat(5);
const ACCOUNT: GatewayAccount = {
  merchantAccountId: 7,
  mid: '700000000001',
  credentials: {
    apiKey: 'key',
    username: 'user',
    password: 'secret',
    emailAddress: 'account@shop.example',
  },
};

/** Declares cases, and closes their gateways. */
export class Harness<Gateway extends PaymentGateway = PaymentGateway> {
  readonly contract: GatewayContract<Gateway>;
  #opened: Gateway[] = [];

  constructor(contract: GatewayContract<Gateway>) {
    this.contract = contract;
  }

  /** A case that needs these behaviours; skipped when the gateway lacks one. */
  declare(
    title: string,
    needs: readonly Behaviour[],
    act: (opened: Opened<Gateway>) => Promise<void>,
  ): void {
    const lacks = needs.some((each) => this.contract.behaviours[each] === 'lacks');
    it.skipIf(lacks)(title, async () => act(await this.open()));
  }

  async open(): Promise<Opened<Gateway>> {
    return this.#using(await this.contract.open());
  }

  /** Closes a gateway and opens its books again. */
  async restart({ opened }: Opened<Gateway>): Promise<Opened<Gateway>> {
    if (this.contract.reopen === undefined) throw new Error(`${this.contract.name} has no reopen`);
    await opened.close();
    return this.#using(await this.contract.reopen(opened));
  }

  async cleanUp(): Promise<void> {
    const opened = this.#opened;
    this.#opened = [];
    await Promise.all(opened.map((gateway) => gateway.close()));
    await this.contract.cleanUp?.();
  }

  #using(gateway: Gateway): Opened<Gateway> {
    this.#opened.push(gateway);
    return new Opened(gateway, this.contract);
  }
}

/** An answered charge and its request. */
export interface Charged {
  readonly request: ChargeRequest;
  readonly answer: ChargeResult;
  readonly id: string;
}

/** An opened gateway and its requests. Keys have the engine's format. */
export class Opened<Gateway extends PaymentGateway = PaymentGateway> {
  readonly opened: Gateway;
  /** With timeouts, as in the engine, and with its check of the form of every answer. */
  readonly gateway: PaymentGateway;
  readonly bounds: GatewayBounds;
  readonly #contract: GatewayContract<Gateway>;

  constructor(gateway: Gateway, contract: GatewayContract<Gateway>) {
    this.opened = gateway;
    this.bounds = {
      timeoutMs: contract.gatewayTimeoutMs ?? GATEWAY_TIMEOUT_MS,
      maxInFlight: MAX_IN_FLIGHT,
      logger: { error() {} },
    };
    this.gateway = boundedGateway(gateway, this.bounds);
    this.#contract = contract;
  }

  triggerOf(behaviour: Behaviour): Trigger {
    const trigger = this.#contract.behaviours[behaviour];
    if (trigger === 'lacks') throw new Error(`${this.#contract.name} lacks ${behaviour}`);
    return trigger;
  }

  async tokenOf(behaviour: Behaviour, context: AccountContext = this.context) {
    const trigger = this.triggerOf(behaviour);
    if ('card' in trigger) return this.gateway.tokenize(trigger.card, FINGERPRINT, context);
    const kept = await this.gateway.adopt?.(trigger.gatewayToken, context);
    if (kept === undefined) throw new Error(`${trigger.gatewayToken} is unknown`);
    return kept;
  }

  async chargeRequest(
    behaviour: Behaviour,
    change: Partial<ChargeRequest> = {},
  ): Promise<ChargeRequest> {
    const trigger = this.triggerOf(behaviour);
    const { amountMinor = DEFAULT_AMOUNT_MINOR } = trigger;
    const { token } = await this.tokenOf(behaviour);
    return {
      ...this.#addressed(),
      idempotencyKey: newChargeKey(),
      amountMinor,
      token,
      customer: `7/sandbox/${randomUUID()}`,
      subscribes: false,
      returnUrl: RETURN_URL,
      ...('card' in trigger && { cvv: trigger.card.cvv }),
      capture: true,
      recurring: false,
      descriptor: 'MY SHOP',
      ...change,
    };
  }

  /** Makes a charge that must get a gateway id. */
  async charged(behaviour: Behaviour, change: Partial<ChargeRequest> = {}): Promise<Charged> {
    const request = await this.chargeRequest(behaviour, change);
    const answer = await this.gateway.charge(request);
    return { request, answer, id: idIn(answer) };
  }

  async authorized(): Promise<Charged> {
    const charged = await this.charged('authorize', { capture: false });
    expect(charged.answer).toMatchObject({ result: 'authorized' });
    return charged;
  }

  /** A capture, void or refund under a new key; of the whole amount when none is given. */
  followUp(
    { id, request }: Pick<Charged, 'id' | 'request'>,
    amountMinor: bigint = request.amountMinor,
  ): FollowUpRequest {
    return {
      ...this.#addressed(),
      idempotencyKey: `${randomUUID()}/follow-up/${randomUUID()}`,
      gatewayTransactionId: id,
      amountMinor,
    };
  }

  /** Compares the gateway's own books with its answers, when they can be read. */
  async expectMoved(id: string, moved: MovedMoney): Promise<void> {
    const read = this.#contract.moved;
    if (read !== undefined) expect(await read(this.opened, id)).toEqual(moved);
  }

  /** Does what the customer does at `nextAction`, where the gateway can tell. */
  async act(answer: ChargeResult): Promise<void> {
    const url = answer.result === 'action-required' ? answer.nextAction.url : '';
    await this.#contract.act?.(url);
  }

  /** What every call names. */
  get context() {
    const { account = ACCOUNT, currency = 'EUR' } = this.#contract;
    return { sandbox: true, account, currency };
  }

  #addressed() {
    const [paymentId, transactionId] = [randomUUID(), randomUUID()];
    return { ...this.context, firstSentAgoMs: 0, paymentId, transactionId };
  }
}

export const FOLLOW_UPS = ['capture', 'void', 'refund'] as const;

export function newChargeKey(): string {
  return `${randomUUID()}/charge/1`;
}

export function idIn(answer: ChargeResult | FollowUpResult | undefined): string {
  const id =
    answer !== undefined && 'gatewayTransactionId' in answer && answer.gatewayTransactionId;
  if (typeof id !== 'string' || id === '') throw new Error(`no id in ${JSON.stringify(answer)}`);
  return id;
}

export async function expectDone(answer: Promise<FollowUpResult>): Promise<FollowUpResult> {
  const result = await answer;
  expect(result).toMatchObject({ result: 'done', gatewayTransactionId: expect.any(String) });
  return result;
}

export async function expectRefused(answer: Promise<FollowUpResult>): Promise<FollowUpResult> {
  const result = await answer;
  expect(result).toMatchObject({ result: 'refused', note: expect.any(String) });
  return result;
}

/** The call must fail without an unknown outcome. */
export async function expectKeyRefused(call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    (answer) =>
      expect.fail(`another request under the key was answered: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(GatewayTimeout);
}
