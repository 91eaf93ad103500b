/** What Stripe says of refunds, disputes and early fraud warnings now, for the ledger to record. */
import type { GatewayFinding } from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';
import { asked, isMissing } from './client.ts';
import { OURS } from './look-ups.ts';
import { fromStripe } from './money.ts';

/** By the `object` of what an event is about. */
const FINDERS = {
  refund: findRefund,
  dispute: findDispute,
  'radar.early_fraud_warning': findWarning,
} as const;

export function isKnownObject(object: string): object is keyof typeof FINDERS {
  return Object.hasOwn(FINDERS, object);
}

/** @param subject - The `object` and the id, with a space between them. */
export async function findingOf(
  client: Stripe,
  subject: string,
  signal: AbortSignal | undefined,
): Promise<GatewayFinding | undefined> {
  const [object = '', id = ''] = subject.split(' ');
  if (!isKnownObject(object)) return undefined;
  try {
    return await asked(() => FINDERS[object](client, id), signal);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function findRefund(client: Stripe, id: string): Promise<GatewayFinding | undefined> {
  const { status, metadata, failure_reason: reason } = await client.refunds.retrieve(id);
  const paymentId = metadata?.[OURS.payment];
  const refundId = metadata?.[OURS.transaction];
  const hasFailed = status === 'failed' || status === 'canceled';
  if (!hasFailed || paymentId === undefined || refundId === undefined) return undefined;
  return { kind: 'refund-failed', paymentId, refundId, note: reason ?? `the refund is ${status}` };
}

const INQUIRY = {
  warning_needs_response: 'AlertOpen',
  warning_under_review: 'AlertOpen',
  warning_closed: 'AlertResolved',
} as const;

/** An accepted dispute is lost. What was prevented, or is appealed, is left as it is. */
const CHARGEBACK = {
  needs_response: 'ChargebackOpen',
  under_review: 'ChargebackUnderReview',
  won: 'ChargebackWon',
  lost: 'ChargebackLost',
} as const;

async function findDispute(client: Stripe, id: string): Promise<GatewayFinding | undefined> {
  const dispute = await client.disputes.retrieve(id, { expand: ['payment_intent'] });
  const about = aboutOf(dispute.payment_intent, dispute);
  if (about === undefined) return undefined;
  const { reason: note, status } = dispute;
  if (status in INQUIRY) {
    const alert = INQUIRY[status as keyof typeof INQUIRY];
    const what = { source: 'Acquirer', alertType: 'OrderInquiry' } as const;
    return { ...about, ...what, kind: 'alert', status: alert, note };
  }
  const chargeback = CHARGEBACK[status as keyof typeof CHARGEBACK];
  const isWithdrawn = dispute.balance_transactions.some(({ amount }) => amount < 0);
  if (chargeback === undefined || !isWithdrawn) return undefined;
  const dueBy = dispute.evidence_details.due_by;
  return {
    ...about,
    kind: 'chargeback',
    status: chargeback,
    reasonCode: dispute.payment_method_details?.card?.network_reason_code ?? '',
    respondBy: dueBy === null ? null : isoOf(dueBy),
    note,
  };
}

async function findWarning(client: Stripe, id: string): Promise<GatewayFinding | undefined> {
  const expand = ['charge', 'payment_intent'];
  const warning = await client.radar.earlyFraudWarnings.retrieve(id, { expand });
  const { charge, created, actionable, fraud_type: note } = warning;
  if (typeof charge === 'string') return undefined;
  const { currency, amount_captured: amount, refunded } = charge;
  const about = aboutOf(warning.payment_intent ?? null, { id, amount, currency, created });
  if (about === undefined) return undefined;
  const ended = refunded ? 'AlertResolved' : 'AlertExpired';
  return {
    ...about,
    kind: 'alert',
    source: 'Acquirer',
    alertType: 'EarlyFraudWarning',
    status: actionable ? 'AlertOpen' : ended,
    note,
  };
}

/** Undefined for what the ledger has not charged. */
function aboutOf(
  intent: Stripe.PaymentIntent | string | null,
  { id, amount, currency, created }: Pick<Stripe.Dispute, 'id' | 'amount' | 'currency' | 'created'>,
) {
  if (intent === null || typeof intent === 'string') return undefined;
  const paymentId = intent.metadata[OURS.payment];
  const code = currency.toUpperCase();
  const amountMinor = fromStripe(amount, code);
  if (paymentId === undefined || amountMinor === undefined || amountMinor <= 0n) return undefined;
  return {
    paymentId,
    gatewayTransactionId: intent.id,
    reference: id,
    amountMinor,
    currency: code,
    openedAt: isoOf(created),
  };
}

export function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
