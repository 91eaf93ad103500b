/** Look-ups of requests by our key in the metadata, in lists. Stripe's search lags, so its silence proves nothing. */
import {
  type ChargeRequest,
  type FollowUpRequest,
  GatewayTimeout,
} from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';
import { asked } from './client.ts';
import { keptOf } from './tokens.ts';

/** What the ledger writes into the metadata of what it makes. */
export const OURS = {
  key: 'counterfoil_key',
  payment: 'counterfoil_payment',
  transaction: 'counterfoil_transaction',
  customer: 'counterfoil_customer',
  capture: 'counterfoil_capture',
  void: 'counterfoil_void',
  paymentMethod: 'counterfoil_payment_method',
} as const;

const PAGE = 100;
const MAX_PAGES = 200;
/** Clocks differ. */
const SLACK_MS = 3_600_000;

interface Page<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
}

/** Of the customer of the token; without a token, of all in the time since it was first sent. */
export function findPayment(
  client: Stripe,
  { idempotencyKey, token, firstSentAgoMs }: ChargeRequest,
  signal: AbortSignal | undefined,
): Promise<Stripe.PaymentIntent | undefined> {
  const customer = keptOf(token)?.customer;
  const sinceMs = Date.now() - firstSentAgoMs - SLACK_MS;
  const among =
    customer === undefined ? { created: { gte: Math.floor(sinceMs / 1_000) } } : { customer };
  const pageAfter = (after: object) =>
    client.paymentIntents.list({ ...among, ...after, expand: ['data.latest_charge'], limit: PAGE });
  return firstWithKey(pageAfter, idempotencyKey, signal);
}

/** Of the payment. */
export function findRefund(
  client: Stripe,
  { idempotencyKey, gatewayTransactionId }: FollowUpRequest,
  signal: AbortSignal | undefined,
): Promise<Stripe.Refund | undefined> {
  const among = { payment_intent: gatewayTransactionId, limit: PAGE };
  const pageAfter = (after: object) => client.refunds.list({ ...among, ...after });
  return firstWithKey(pageAfter, idempotencyKey, signal);
}

async function firstWithKey<
  Row extends { readonly id: string; readonly metadata: Stripe.Metadata | null },
>(
  pageAfter: (after: object) => Promise<Page<Row>>,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Row | undefined> {
  let after = {};
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, has_more: hasMore } = await asked(() => pageAfter(after), signal);
    const found = data.find(({ metadata }) => metadata?.[OURS.key] === key);
    if (found !== undefined || !hasMore) return found;
    after = { starting_after: data.at(-1)?.id };
  }
  throw new GatewayTimeout('Stripe lists more than can be looked through');
}
