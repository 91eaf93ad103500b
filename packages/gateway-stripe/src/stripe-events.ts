/** Events of Stripe: signed webhooks, and the list of those that were not delivered. */
import type {
  AccountContext,
  EventPage,
  GatewayEvent,
  GatewayEvents,
  GatewayFinding,
  SignedEvent,
} from '@counterfoil/engine/gateways';
import Stripe from 'stripe';
import type { AccountClients } from './account-clients.ts';
import { asked } from './client.ts';
import { findingOf, isKnownObject, isoOf } from './findings.ts';

/** Between the time of a signature and ours. */
const TOLERANCE_SECONDS = 300;
const PAGE = 100;

/** The events that the ledger has a use for. */
const TYPES: readonly string[] = [
  'refund.failed',
  'refund.updated',
  'charge.refund.updated',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
  'radar.early_fraud_warning.created',
  'radar.early_fraud_warning.updated',
];

export class StripeEvents implements GatewayEvents {
  readonly name = 'stripe';
  readonly #clients: AccountClients;

  constructor(clients: AccountClients) {
    this.#clients = clients;
  }

  scopeOf(context: AccountContext): string | undefined {
    return this.#clients.scopeOf(context);
  }

  isSigned({ signature, body, receivedAt }: SignedEvent, context: AccountContext): boolean {
    const secrets = this.#clients.usable(context)?.signingSecrets ?? [];
    const receivedMs = Date.parse(receivedAt);
    // Every secret is tried, so that the time tells nothing of which was close.
    return secrets
      .map((secret) => isSignedWith(secret, { signature, body, receivedMs }))
      .includes(true);
  }

  eventOf(body: unknown): GatewayEvent | undefined {
    const { object, id, type, created, data } = (body ?? {}) as Partial<Stripe.EventBase>;
    const isEvent = object === 'event' && typeof id === 'string' && typeof type === 'string';
    if (!isEvent || typeof created !== 'number' || !Number.isSafeInteger(created)) return undefined;
    const about: { readonly object?: unknown; readonly id?: unknown } = data?.object ?? {};
    const isKnown =
      TYPES.includes(type) &&
      typeof about.object === 'string' &&
      typeof about.id === 'string' &&
      isKnownObject(about.object);
    return { id, subject: isKnown ? `${about.object} ${about.id}` : '', at: isoOf(created) };
  }

  findingOf(
    subject: string,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<GatewayFinding | undefined> {
    return findingOf(this.#clients.of(context), subject, signal);
  }

  async list(
    { since, after }: { readonly since?: string; readonly after?: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<EventPage> {
    const client = this.#clients.of(context);
    const params = {
      types: [...TYPES],
      limit: PAGE,
      ...(since !== undefined && { created: { gte: Math.floor(Date.parse(since) / 1_000) } }),
      ...(after !== undefined && { starting_after: after }),
    };
    const { data, has_more: hasMore } = await asked(() => client.events.list(params), signal);
    const events = data.map((each) => this.eventOf(each)).filter((each) => each !== undefined);
    return { events, next: hasMore ? data.at(-1)?.id : undefined };
  }
}

function isSignedWith(
  secret: string,
  {
    signature,
    body,
    receivedMs,
  }: Pick<SignedEvent, 'signature' | 'body'> & { readonly receivedMs: number },
): boolean {
  const { signature: verifier } = Stripe.webhooks;
  try {
    verifier?.verifyHeader(body, signature, secret, TOLERANCE_SECONDS, undefined, receivedMs);
    return verifier !== null;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}
