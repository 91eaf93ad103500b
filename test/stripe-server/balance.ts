/** Money on the balance: one transaction for each movement, fees as charged. */
import type Stripe from 'stripe';
import { isZeroDecimal } from './currencies.ts';
import { listOf, paging, timeRange, within } from './lists.ts';
import { text } from './params.ts';
import { invalidRequest } from './refusal.ts';
import { type Route, route } from './route.ts';
import type { AccountState } from './state.ts';

const DAY_SECONDS = 86_400;
/** Charges become available two days later, all else at once. */
const AVAILABLE_AFTER_SECONDS = 2 * DAY_SECONDS;
/** 2.9 % and 30 units of the currency; zero-decimal currencies pay 3.6 % alone. */
const FEE_BASIS_POINTS = 290;
const FEE_FIXED = 30;
const ZERO_DECIMAL_FEE_BASIS_POINTS = 360;
export const DISPUTE_FEE = 1_500;

export const balanceRoutes: readonly Route[] = [
  route(
    'GET',
    '/v1/balance_transactions',
    { ...paging, created: timeRange, currency: text, payout: text, source: text, type: text },
    (call, { created, currency, payout, source, type, ...page }) => {
      const { state } = call;
      if (payout !== undefined) checkReconciled(state, payout);
      const all = state.balanceTransactions.newestFirst();
      const rows = all.filter(
        (each) =>
          within(each.created, created) &&
          (currency === undefined || each.currency === currency) &&
          (payout === undefined || state.payoutOf.get(each.id) === payout) &&
          (source === undefined || each.source === source) &&
          (type === undefined || each.type === type),
      );
      return listOf(call, rows, all, page);
    },
  ),
  route('GET', '/v1/balance_transactions/{id}', {}, ({ state, id }) =>
    state.balanceTransactions.get(id, 'id'),
  ),
];

function checkReconciled(state: AccountState, id: string): void {
  const payout = state.payouts.get(id, 'payout', 400);
  if (!payout.automatic) {
    throw invalidRequest(
      'Balance transaction history can only be filtered on automatic transfers, not manual.',
      { param: 'payout' },
    );
  }
  if (payout.reconciliation_status === 'in_progress') {
    throw invalidRequest(`The reconciliation of payout ${id} is not ready yet.`, {
      param: 'payout',
      code: 'payout_reconciliation_not_ready',
    });
  }
}

export function processingFee(amount: number, currency: string): number {
  const points = isZeroDecimal(currency) ? ZERO_DECIMAL_FEE_BASIS_POINTS : FEE_BASIS_POINTS;
  const fixed = isZeroDecimal(currency) ? 0 : FEE_FIXED;
  return Math.round((amount * points) / 10_000) + fixed;
}

export interface Movement {
  readonly type: Stripe.BalanceTransaction.Type;
  readonly category: string;
  /** Signed, in the units of amounts. */
  readonly amount: number;
  readonly currency: string;
  /** Null for what is about nothing that the server has. */
  readonly source: string | null;
  readonly description?: string | null;
  readonly fee?: { readonly amount: number; readonly description: string };
  readonly availableAtOnce?: boolean;
}

export function move(state: AccountState, movement: Movement): Stripe.BalanceTransaction {
  const { fee, currency } = movement;
  const now = state.now();
  const feeAmount = fee?.amount ?? 0;
  const waits = movement.type === 'charge' && movement.availableAtOnce !== true;
  const available = waits ? now + AVAILABLE_AFTER_SECONDS : now;
  const transaction: Stripe.BalanceTransaction = {
    id: state.id('txn'),
    object: 'balance_transaction',
    amount: movement.amount,
    available_on: available,
    balance_type: 'payments',
    created: now,
    currency,
    description: movement.description ?? null,
    exchange_rate: null,
    fee: feeAmount,
    fee_details:
      fee === undefined
        ? []
        : [
            {
              amount: fee.amount,
              application: null,
              currency,
              description: fee.description,
              type: 'stripe_fee',
            },
          ],
    net: movement.amount - feeAmount,
    reporting_category: movement.category,
    source: movement.source,
    status: waits ? 'pending' : 'available',
    type: movement.type,
  };
  state.balanceTransactions.add(transaction);
  if (waits) {
    state.later(AVAILABLE_AFTER_SECONDS, () => {
      transaction.status = 'available';
    });
  }
  return transaction;
}
