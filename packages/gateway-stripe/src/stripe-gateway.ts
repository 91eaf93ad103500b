/** Stripe behind the engine's gateway port: PaymentIntents, confirmed and captured by the ledger alone. */
import type {
  AccountContext,
  AccountRefusal,
  CardDetails,
  CardScript,
  CardToken,
  ChargeRequest,
  ChargeResult,
  FollowUpOperation,
  FollowUpRequest,
  FollowUpResult,
  PaymentGateway,
  PlannedCharge,
} from '@counterfoil/engine/gateways';
import Stripe from 'stripe';
import { AccountClients } from './account-clients.ts';
import { cardScriptOf } from './card-script.ts';
import { asked, isMissing, isRefusal } from './client.ts';
import { resultOfPayment, resultOfSetup } from './intents.ts';
import { findPayment, findRefund, OURS } from './look-ups.ts';
import { toStripe } from './money.ts';
import { StripeDisputes } from './stripe-disputes.ts';
import { StripeEvents } from './stripe-events.ts';
import { StripeSettlements } from './stripe-settlements.ts';
import { BIN, cardOf, FINGERPRINT, isPaymentMethod, keptOf } from './tokens.ts';

/** Unless it is given another; the sandbox has 1. */
export const STRIPE_GATEWAY_ID = 10;

const HOUR_MS = 3_600_000;
/** Stripe forgets idempotency keys after 24 hours, and then a repeated request charges again. */
export const REPEATABLE_MS = 23 * HOUR_MS;
/** For ledgers without an address: a name that leads nowhere. */
const NO_RETURN_URL = 'https://return.invalid/';
const BIN_LENGTH = 6;
const MAX_SUFFIX = 22;
const EXPAND = { expand: ['latest_charge'] };

const NEVER_RECEIVED = 'Stripe never received the request';

export interface StripeOptions {
  readonly gatewayId?: number;
  readonly name?: string;
  /** False: an `apiBase` on this machine may be plain http. Default: true. */
  readonly production?: boolean;
}

export function stripe(options: StripeOptions = {}): PaymentGateway {
  return new StripeGateway(options);
}

class StripeGateway implements PaymentGateway {
  readonly gatewayId: number;
  readonly name: string;
  readonly events: StripeEvents;
  readonly disputes: StripeDisputes;
  readonly settlements: StripeSettlements;
  readonly #clients: AccountClients;
  /** Voids under way, by PaymentIntent. */
  readonly #voids = new Map<string, Promise<unknown>>();

  constructor({
    gatewayId = STRIPE_GATEWAY_ID,
    name = 'Stripe',
    production = true,
  }: StripeOptions) {
    this.gatewayId = gatewayId;
    this.name = name;
    this.#clients = new AccountClients({ production });
    this.events = new StripeEvents(this.#clients);
    this.disputes = new StripeDisputes(this.#clients);
    this.settlements = new StripeSettlements(this.#clients);
  }

  refusalOf({ currency, amountsMinor, hasCardNumber, ...context }: PlannedCharge) {
    const credentials = this.#clients.usable(context);
    if (credentials === undefined) return 'credentials-unusable';
    if (hasCardNumber && !credentials.cardNumbers) return 'card-number-not-taken';
    const isTaken = (amountMinor: bigint) => toStripe(amountMinor, currency) !== undefined;
    const refusal: AccountRefusal = 'amount-not-taken';
    return amountsMinor.every(isTaken) ? undefined : refusal;
  }

  tokenScope(context: AccountContext): string {
    // Such an account is passed over by `refusalOf`.
    const unusable = `unusable ${context.account.merchantAccountId}`;
    return this.#clients.scopeOf(context) ?? unusable;
  }

  async tokenize(
    card: CardDetails,
    fingerprint: string,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<CardToken> {
    const client = this.#clients.of(context);
    const { number, expMonth, expYear, cvv } = card;
    const billing = billingDetailsOf(card);
    const method = await asked(
      () =>
        client.paymentMethods.create({
          type: 'card',
          card: { number, exp_month: expMonth, exp_year: expYear, cvc: cvv },
          ...(Object.keys(billing).length > 0 && { billing_details: billing }),
          metadata: { [FINGERPRINT]: fingerprint, [BIN]: number.slice(0, BIN_LENGTH) },
        }),
      signal,
    );
    return this.#keep(client, method, signal);
  }

  async findToken(
    token: string,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<CardToken | undefined> {
    const kept = keptOf(token);
    if (kept === undefined) return undefined;
    const method = await this.#methodOf(context, kept.paymentMethod, signal);
    const isOurs = method?.customer == null || idOf(method.customer) === kept.customer;
    return method !== undefined && isOurs ? cardOf(method, kept.customer) : undefined;
  }

  cardScriptOf(context: AccountContext): CardScript | undefined {
    const credentials = this.#clients.usable(context);
    return credentials && cardScriptOf(credentials);
  }

  async adopt(
    gatewayToken: string,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<CardToken | undefined> {
    if (!isPaymentMethod(gatewayToken)) return undefined;
    const method = await this.#methodOf(context, gatewayToken, signal);
    if (method === undefined || method.customer !== null || method.type !== 'card')
      return undefined;
    return this.#keep(this.#clients.of(context), method, signal);
  }

  async #methodOf(
    context: AccountContext,
    paymentMethod: string,
    signal: AbortSignal | undefined,
  ): Promise<Stripe.PaymentMethod | undefined> {
    const client = this.#clients.of(context);
    return orMissing(asked(() => client.paymentMethods.retrieve(paymentMethod), signal));
  }

  /** The payment method joins its customer with the first charge that succeeds. */
  async #keep(
    client: Stripe,
    method: Stripe.PaymentMethod,
    signal: AbortSignal | undefined,
  ): Promise<CardToken> {
    const idempotencyKey = `${method.id}/customer`;
    const metadata = { [OURS.paymentMethod]: method.id };
    const customer = await asked(
      () => client.customers.create({ metadata }, { idempotencyKey }),
      signal,
    );
    const card = cardOf(method, customer.id);
    if (card === undefined) throw new Error(`${method.id} is no card`);
    return card;
  }

  async charge(request: ChargeRequest, signal?: AbortSignal): Promise<ChargeResult> {
    if (request.firstSentAgoMs > REPEATABLE_MS) {
      const found = await this.findCharge(request, signal);
      return found ?? { result: 'failed', note: NEVER_RECEIVED };
    }
    const kept = keptOf(request.token);
    const amount = toStripe(request.amountMinor, request.currency);
    if (kept === undefined) return { result: 'failed', note: 'unknown token' };
    if (amount === undefined) return { result: 'failed', note: 'Stripe takes no such amount' };
    const client = this.#clients.of(request);
    const { idempotencyKey } = request;
    const common = {
      confirm: true,
      allowed_payment_method_types: ['card' as const],
      customer: kept.customer,
      payment_method: kept.paymentMethod,
      return_url: request.returnUrl ?? NO_RETURN_URL,
      metadata: metadataOf(request),
    };
    try {
      if (amount === 0) {
        const params = { ...common, usage: 'off_session' as const };
        const call = () => client.setupIntents.create(params, { idempotencyKey });
        return resultOfSetup(await asked(call, signal));
      }
      const params = { ...common, ...EXPAND, ...paymentOf(request), amount };
      const call = () => client.paymentIntents.create(params, { idempotencyKey });
      return resultOfPayment(await asked(call, signal));
    } catch (error) {
      return declineOrFailure(error);
    }
  }

  async confirm(request: FollowUpRequest, signal?: AbortSignal): Promise<ChargeResult> {
    const client = this.#clients.of(request);
    const { gatewayTransactionId: id, idempotencyKey } = request;
    if (id.startsWith('seti_')) {
      return resultOfSetup(await asked(() => client.setupIntents.retrieve(id), signal));
    }
    const intent = await asked(() => client.paymentIntents.retrieve(id, EXPAND), signal);
    if (intent.status !== 'requires_confirmation') return resultOfPayment(intent);
    try {
      const call = () => client.paymentIntents.confirm(id, EXPAND, { idempotencyKey });
      return resultOfPayment(await asked(call, signal));
    } catch (error) {
      return declineOrFailure(error);
    }
  }

  async capture(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult> {
    const late = await this.#late('capture', request, signal);
    if (late !== undefined) return late;
    const amount = partOf(request);
    if (amount === undefined) return refused('Stripe captures no such amount');
    const client = this.#clients.of(request);
    const { gatewayTransactionId: id, idempotencyKey } = request;
    const params = { amount_to_capture: amount, metadata: { [OURS.capture]: idempotencyKey } };
    return orRefused(async () => {
      const call = () => client.paymentIntents.capture(id, params, { idempotencyKey });
      return done((await asked(call, signal)).id);
    });
  }

  /** An authorization alone: what is captured is refunded. */
  async void(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult> {
    const { gatewayTransactionId: id } = request;
    // In turn, so that the mark of one void is not overwritten by another.
    const before = this.#voids.get(id);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return this.#void(request, signal);
    })();
    this.#voids.set(id, turn);
    try {
      return await turn;
    } finally {
      if (this.#voids.get(id) === turn) this.#voids.delete(id);
    }
  }

  async #void(request: FollowUpRequest, signal: AbortSignal | undefined): Promise<FollowUpResult> {
    const late = await this.#late('void', request, signal);
    if (late !== undefined) return late;
    const client = this.#clients.of(request);
    const { gatewayTransactionId: id, idempotencyKey } = request;
    return orRefused(async () => {
      const { status } = await asked(() => client.paymentIntents.retrieve(id), signal);
      if (/^(requires_(payment_method|confirmation|action)|processing)$/.test(status)) {
        return refused(`there is no authorization: ${status}`);
      }
      if (status === 'requires_capture') {
        const mark = { metadata: { [OURS.void]: idempotencyKey } };
        const once = { idempotencyKey: `${idempotencyKey}/mark` };
        await asked(() => client.paymentIntents.update(id, mark, once), signal);
      }
      const call = () => client.paymentIntents.cancel(id, {}, { idempotencyKey });
      return done((await asked(call, signal)).id);
    });
  }

  async refund(request: FollowUpRequest, signal?: AbortSignal): Promise<FollowUpResult> {
    const late = await this.#late('refund', request, signal);
    if (late !== undefined) return late;
    const amount = partOf(request);
    if (amount === undefined) return refused('Stripe refunds no such amount');
    const client = this.#clients.of(request);
    const { gatewayTransactionId, idempotencyKey } = request;
    const params = {
      payment_intent: gatewayTransactionId,
      amount,
      metadata: metadataOf(request),
    };
    return orRefused(async () => {
      const call = () => client.refunds.create(params, { idempotencyKey });
      return resultOfRefund(await asked(call, signal));
    });
  }

  /** What became of a request that is too old to be repeated; undefined for a younger one. */
  async #late(
    operation: FollowUpOperation,
    request: FollowUpRequest,
    signal: AbortSignal | undefined,
  ): Promise<FollowUpResult | undefined> {
    if (request.firstSentAgoMs <= REPEATABLE_MS) return undefined;
    return (await this.findFollowUp(operation, request, signal)) ?? refused(NEVER_RECEIVED);
  }

  async findCharge(
    request: ChargeRequest,
    signal?: AbortSignal,
  ): Promise<ChargeResult | undefined> {
    const client = this.#clients.of(request);
    const { gatewayTransactionId: id = '', idempotencyKey: key } = request;
    if (request.amountMinor === 0n) {
      // A verification that is not known by its id moved no money, and is made again.
      if (!id.startsWith('seti_')) return undefined;
      const setup = await orMissing(asked(() => client.setupIntents.retrieve(id), signal));
      return setup?.metadata?.[OURS.key] === key ? resultOfSetup(setup) : undefined;
    }
    if (id.startsWith('pi_')) {
      const call = () => client.paymentIntents.retrieve(id, EXPAND);
      const intent = await orMissing(asked(call, signal));
      if (intent?.metadata[OURS.key] === key) return resultOfPayment(intent);
    }
    const intent = await findPayment(client, request, signal);
    return intent === undefined ? undefined : resultOfPayment(intent);
  }

  async findFollowUp(
    operation: FollowUpOperation,
    request: FollowUpRequest,
    signal?: AbortSignal,
  ): Promise<FollowUpResult | undefined> {
    const client = this.#clients.of(request);
    const { gatewayTransactionId: id, idempotencyKey: key } = request;
    if (!id.startsWith('pi_')) return undefined;
    if (operation === 'refund') {
      const refund = await findRefund(client, request, signal);
      return refund === undefined ? undefined : resultOfRefund(refund);
    }
    const intent = await orMissing(asked(() => client.paymentIntents.retrieve(id), signal));
    const [status, mark] =
      operation === 'capture' ? ['succeeded', OURS.capture] : ['canceled', OURS.void];
    const isDone = intent?.status === status && intent.metadata[mark] === key;
    return isDone ? done(id) : undefined;
  }

  /** Of what every key of an account has to read: no further permission is needed. */
  async checkCredentials(context: AccountContext, signal?: AbortSignal): Promise<void> {
    const client = this.#clients.of(context);
    await asked(() => client.paymentIntents.list({ limit: 1 }), signal);
  }

  async close(): Promise<void> {}
}

/** Without the country, which no AVS compares: Stripe refuses a card with one that it does not know. */
function billingDetailsOf({ holder, billing }: CardDetails) {
  const { address = '', city = '', postalCode = '', state = '' } = billing ?? {};
  const place = {
    ...(address !== '' && { line1: address }),
    ...(city !== '' && { city }),
    ...(postalCode !== '' && { postal_code: postalCode }),
    ...(state !== '' && { state }),
  };
  const hasPlace = Object.keys(place).length > 0;
  return { ...(holder !== '' && { name: holder }), ...(hasPlace && { address: place }) };
}

/** The members of a PaymentIntent that differ from those of a SetupIntent. */
function paymentOf({ currency, capture, recurring, subscribes, descriptor }: ChargeRequest) {
  const suffix = suffixOf(descriptor);
  return {
    currency: currency.toLowerCase(),
    capture_method: capture ? ('automatic' as const) : ('manual' as const),
    // After 3-D Secure nothing moves until the ledger confirms.
    confirmation_method: 'manual' as const,
    ...(recurring
      ? { off_session: true }
      : { setup_future_usage: subscribes ? ('off_session' as const) : ('on_session' as const) }),
    ...(suffix !== undefined && { statement_descriptor_suffix: suffix }),
  };
}

function metadataOf(request: ChargeRequest | FollowUpRequest): Record<string, string> {
  const { idempotencyKey, paymentId, transactionId } = request;
  return {
    [OURS.key]: idempotencyKey,
    [OURS.payment]: paymentId,
    [OURS.transaction]: transactionId,
    ...('customer' in request && { [OURS.customer]: request.customer }),
  };
}

/** At most 22 characters with a letter among them, and none that Stripe refuses; undefined without one. */
function suffixOf(descriptor: string): string | undefined {
  const plain = descriptor.replace(/[^ !#-&(-)+-;=?-[\]-~]/g, ' ').trim();
  return /[A-Za-z]/.test(plain) ? plain.slice(0, MAX_SUFFIX).trim() : undefined;
}

/** A captured or refunded amount is more than 0. */
function partOf({ amountMinor, currency }: FollowUpRequest): number | undefined {
  return amountMinor > 0n ? toStripe(amountMinor, currency) : undefined;
}

/** A decline is an error of the SDK, with the intent that was declined. */
function declineOrFailure(error: unknown): ChargeResult {
  if (!isRefusal(error)) throw error;
  if (error instanceof Stripe.errors.StripeCardError) {
    if (error.payment_intent !== undefined) return resultOfPayment(error.payment_intent);
    if (error.setup_intent !== undefined) return resultOfSetup(error.setup_intent);
  }
  return { result: 'failed', note: error.message };
}

function resultOfRefund({ id, status, failure_reason, destination_details }: Stripe.Refund) {
  if (status === 'failed' || status === 'canceled') {
    return refused(failure_reason ?? `the refund is ${status}`);
  }
  return done(id, destination_details?.card?.reference ?? '');
}

function done(gatewayTransactionId: string, arn = ''): FollowUpResult {
  return { result: 'done', gatewayTransactionId, arn, note: '' };
}

function refused(note: string): FollowUpResult {
  return { result: 'refused', note };
}

async function orRefused(act: () => Promise<FollowUpResult>): Promise<FollowUpResult> {
  try {
    return await act();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return refused(error.message);
  }
}

async function orMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function idOf(named: string | { readonly id: string }): string {
  return typeof named === 'string' ? named : named.id;
}
