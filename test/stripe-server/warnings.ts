/** Early fraud warnings: the card's issuer suspects a charge; no money moves. */
import type Stripe from 'stripe';
import { listOf, paging, timeRange, within } from './lists.ts';
import { text } from './params.ts';
import { type Route, route } from './route.ts';
import type { AccountState } from './state.ts';

export const warningRoutes: readonly Route[] = [
  route(
    'GET',
    '/v1/radar/early_fraud_warnings',
    { ...paging, charge: text, payment_intent: text, created: timeRange },
    (call, { charge, payment_intent: intent, created, ...page }) => {
      const all = call.state.warnings.newestFirst();
      const rows = all.filter(
        (each) =>
          (charge === undefined || each.charge === charge) &&
          (intent === undefined || each.payment_intent === intent) &&
          within(each.created, created),
      );
      return listOf(call, rows, all, page);
    },
  ),
  route('GET', '/v1/radar/early_fraud_warnings/{early_fraud_warning}', {}, ({ state, id }) =>
    state.warnings.get(id, 'early_fraud_warning'),
  ),
];

export function warnOfFraud(
  state: AccountState,
  charge: Stripe.Charge,
  fraudType: string,
): Stripe.Radar.EarlyFraudWarning {
  const warning = state.warnings.add({
    id: state.id('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: !charge.refunded && !charge.disputed,
    charge: charge.id,
    created: state.now(),
    fraud_type: fraudType,
    livemode: state.livemode,
    ...(typeof charge.payment_intent === 'string' ? { payment_intent: charge.payment_intent } : {}),
  });
  state.emit('radar.early_fraud_warning.created', warning);
  return warning;
}

/** Nothing can be done any more once the charge is refunded in full, or disputed. */
export function settleWarning(state: AccountState, charge: Stripe.Charge): void {
  if (!charge.refunded && !charge.disputed) return;
  for (const warning of state.warnings.newestFirst()) {
    if (warning.charge !== charge.id || !warning.actionable) continue;
    warning.actionable = false;
    state.emit('radar.early_fraud_warning.updated', warning, { actionable: true });
  }
}
