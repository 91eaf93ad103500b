/** Payouts of Stripe: their balance transactions as lines of a settlement. */
import type {
  AccountContext,
  GatewayPayout,
  GatewayPayoutLine,
  GatewaySettlements,
  PayoutLinePage,
  PayoutPage,
} from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';
import type { AccountClients } from './account-clients.ts';
import { asked } from './client.ts';
import { isoOf } from './findings.ts';
import { OURS } from './look-ups.ts';
import { fromStripe } from './money.ts';

const PAGE = 100;

export class StripeSettlements implements GatewaySettlements {
  readonly #clients: AccountClients;

  constructor(clients: AccountClients) {
    this.#clients = clients;
  }

  scopeOf(context: AccountContext): string | undefined {
    return this.#clients.scopeOf(context);
  }

  async payouts(
    { since, after }: { readonly since: string; readonly after?: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<PayoutPage> {
    const client = this.#clients.of(context);
    const params = {
      created: { gte: Math.floor(Date.parse(since) / 1_000) },
      limit: PAGE,
      ...(after !== undefined && { starting_after: after }),
    };
    const { data, has_more: hasMore } = await asked(() => client.payouts.list(params), signal);
    return { payouts: data.map(payoutOf), next: hasMore ? data.at(-1)?.id : undefined };
  }

  async linesOf(
    payout: string,
    { after }: { readonly after?: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<PayoutLinePage> {
    const client = this.#clients.of(context);
    const params = {
      payout,
      limit: PAGE,
      expand: ['data.source'],
      ...(after !== undefined && { starting_after: after }),
    };
    const list = () => client.balanceTransactions.list(params);
    const { data, has_more: hasMore } = await asked(list, signal);
    const lines: GatewayPayoutLine[] = [];
    for (const transaction of data) {
      if (isPayout(transaction, payout)) continue;
      const about = await aboutOf(client, transaction.source, signal);
      lines.push(...linesOf(transaction, about));
    }
    return { lines, next: hasMore ? data.at(-1)?.id : undefined };
  }
}

function payoutOf(payout: Stripe.Payout): GatewayPayout {
  const { id, created, arrival_date: arrivesAt, amount } = payout;
  const currency = payout.currency.toUpperCase();
  return {
    id,
    madeAt: isoOf(created),
    settledDate: isoOf(arrivesAt).slice(0, 'yyyy-mm-dd'.length),
    status: statusOf(payout),
    currency,
    amountMinor: fromStripe(amount, currency) ?? null,
  };
}

/** One that has failed is listed as well: its money is in a later one, and its lines are not. */
function statusOf({ status, automatic, reconciliation_status: reconciled }: Stripe.Payout) {
  if (status === 'pending' || status === 'in_transit') return 'waiting';
  if (!automatic || reconciled === 'not_applicable') return 'unlisted';
  return reconciled === 'completed' ? 'listed' : 'waiting';
}

/** A payout is among its own transactions. */
function isPayout({ reporting_category: category, source }: Stripe.BalanceTransaction, id: string) {
  const sourceId = typeof source === 'string' ? source : source?.id;
  return category === 'payout' && sourceId === id;
}

/** How a transaction is named by the ledger. */
interface About {
  readonly gatewayTransactionId: string;
  readonly paymentId: string;
}

const NOTHING: About = { gatewayTransactionId: '', paymentId: '' };

async function aboutOf(
  client: Stripe,
  source: Stripe.BalanceTransaction['source'],
  signal: AbortSignal | undefined,
): Promise<About> {
  if (source === null || typeof source === 'string') return NOTHING;
  switch (source.object) {
    case 'charge': {
      const paymentId = source.metadata[OURS.payment] ?? '';
      return { gatewayTransactionId: idOf(source.payment_intent), paymentId };
    }
    case 'refund':
      return {
        gatewayTransactionId: source.id,
        paymentId: source.metadata?.[OURS.payment] ?? '',
      };
    case 'dispute': {
      const id = idOf(source.payment_intent);
      if (id === '') return NOTHING;
      const { metadata } = await asked(() => client.paymentIntents.retrieve(id), signal);
      return { gatewayTransactionId: id, paymentId: metadata[OURS.payment] ?? '' };
    }
    default:
      return NOTHING;
  }
}

function idOf(named: string | { readonly id: string } | null): string {
  return typeof named === 'string' ? named : (named?.id ?? '');
}

/** By reporting category: what the line is, and whether it adds to the payout. */
const KINDS = {
  charge: { kind: 'capture', adds: true },
  refund: { kind: 'refund', adds: false },
  refund_failure: { kind: 'reversal', adds: true },
  dispute: { kind: 'chargeback', adds: false },
  dispute_reversal: { kind: 'reversal', adds: true },
  fee: { kind: 'fee', adds: false },
} as const;

function linesOf(
  transaction: Stripe.BalanceTransaction,
  about: About,
): readonly GatewayPayoutLine[] {
  const { id: reference, amount, fee, reporting_category: category } = transaction;
  const currency = transaction.currency.toUpperCase();
  const minorOf = (units: number) => fromStripe(units, currency) ?? null;
  if (category === 'payout_reversal') {
    return [{ type: 'returned-payout', reference, netMinor: minorOf(transaction.net) }];
  }
  const known = category in KINDS ? KINDS[category as keyof typeof KINDS] : undefined;
  const amountMinor = minorOf(Math.abs(amount));
  const feeMinor = minorOf(Math.max(fee, 0));
  const isLine = known !== undefined && amount !== 0 && amount > 0 === known.adds;
  if (!isLine || amountMinor === null || feeMinor === null) {
    return [other(transaction, { reference, units: transaction.net, what: 'a transaction' })];
  }
  const line: GatewayPayoutLine = {
    type: 'movement',
    reference,
    netMinor: (known.adds ? amountMinor : -amountMinor) - feeMinor,
    kind: known.kind,
    ...about,
    amountMinor,
    currency,
    feeMinor,
  };
  if (fee >= 0) return [line];
  const returned = { reference: `${reference}/fee`, units: -fee, what: 'a returned fee' };
  return [line, other(transaction, returned)];
}

function other(
  { type, reporting_category: category, currency }: Stripe.BalanceTransaction,
  given: { readonly reference: string; readonly units: number; readonly what: string },
): GatewayPayoutLine {
  const { reference, units, what } = given;
  const code = currency.toUpperCase();
  const netMinor = fromStripe(units, code) ?? null;
  // Their descriptions may name customers.
  const kind = type === category ? type : `${type} (${category})`;
  const detail = `Stripe has ${what} of ${units} ${code}, in its own units: ${kind}`;
  return { type: 'other', reference, netMinor, detail };
}
