/** Payouts: what is available goes to the bank; their balance transactions reconcile to the cent. */
import type Stripe from 'stripe';
import { move } from './balance.ts';
import { listOf, paging, timeRange, within } from './lists.ts';
import { oneOf, text } from './params.ts';
import { type Route, route } from './route.ts';
import type { AccountState } from './state.ts';

const DAY_SECONDS = 86_400;
const ARRIVES_AFTER_SECONDS = 2 * DAY_SECONDS;

export const payoutRoutes: readonly Route[] = [
  route(
    'GET',
    '/v1/payouts',
    {
      ...paging,
      arrival_date: timeRange,
      created: timeRange,
      destination: text,
      status: oneOf('pending', 'paid', 'failed', 'canceled', 'in_transit'),
    },
    (call, { arrival_date: arrival, created, destination, status, ...page }) => {
      const all = call.state.payouts.newestFirst();
      const rows = all.filter(
        (each) =>
          within(each.arrival_date, arrival) &&
          within(each.created, created) &&
          (destination === undefined || each.destination === destination) &&
          (status === undefined || each.status === status),
      );
      return listOf(call, rows, all, page);
    },
  ),
  route('GET', '/v1/payouts/{payout}', {}, ({ state, id }) => state.payouts.get(id, 'payout')),
];

export interface PayoutParts {
  readonly currency: string;
  /** By Stripe's schedule; a manual payout has no list of its transactions. */
  readonly automatic?: boolean;
  /** Whether its transactions can be listed at once. */
  readonly reconciled?: boolean;
}

/** @returns Undefined where nothing is available. */
export function payOut(
  state: AccountState,
  { currency, automatic = true, reconciled = true }: PayoutParts,
): Stripe.Payout | undefined {
  const included = state.balanceTransactions
    .newestFirst()
    .filter(
      (each) =>
        each.currency === currency && each.status === 'available' && !state.payoutOf.has(each.id),
    );
  if (included.length === 0) return undefined;
  const amount = included.reduce((total, { net }) => total + net, 0);
  const payout = state.payouts.add(newPayout(state, { currency, amount, automatic, reconciled }));
  const transaction = move(state, {
    type: 'payout',
    category: 'payout',
    amount: -amount,
    currency,
    source: payout.id,
    description: 'STRIPE PAYOUT',
  });
  payout.balance_transaction = transaction.id;
  for (const { id } of [...included, transaction]) state.payoutOf.set(id, payout.id);
  state.emit('payout.created', payout);
  if (automatic && reconciled) state.emit('payout.reconciliation_completed', payout);
  state.later(ARRIVES_AFTER_SECONDS, () => {
    if (payout.status !== 'in_transit') return;
    payout.status = 'paid';
    state.emit('payout.paid', payout);
  });
  return payout;
}

export function reconcile(state: AccountState, payout: Stripe.Payout): void {
  if (payout.reconciliation_status !== 'in_progress') return;
  payout.reconciliation_status = 'completed';
  state.emit('payout.reconciliation_completed', payout);
}

/** The bank refused it: the money is on the balance again. */
export function failPayout(state: AccountState, payout: Stripe.Payout): void {
  payout.status = 'failed';
  payout.failure_code = 'account_closed';
  payout.failure_message = 'The bank account has been closed.';
  payout.failure_balance_transaction = move(state, {
    type: 'payout_failure',
    category: 'payout_reversal',
    amount: payout.amount,
    currency: payout.currency,
    source: payout.id,
    description: 'STRIPE PAYOUT FAILURE',
  }).id;
  state.emit('payout.failed', payout);
}

function newPayout(
  state: AccountState,
  parts: Required<PayoutParts> & { readonly amount: number },
): Stripe.Payout {
  const { automatic, reconciled } = parts;
  const manual = automatic ? 'in_progress' : 'not_applicable';
  return {
    id: state.id('po'),
    object: 'payout',
    amount: parts.amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: state.now() + ARRIVES_AFTER_SECONDS,
    automatic,
    balance_transaction: null,
    created: state.now(),
    currency: parts.currency,
    description: 'STRIPE PAYOUT',
    destination: `ba_${parts.currency}`,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: state.livemode,
    metadata: {},
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: automatic && reconciled ? 'completed' : manual,
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: null,
    status: 'in_transit',
    trace_id: { status: 'pending', value: null },
    type: 'bank_account',
  };
}
