/** One subscription: its plan, its charges to come on a calendar, and what the user may do with it. */
import { Subscription, toDecimal } from '@counterfoil/core';
import { renderSubscription } from '@counterfoil/projections';
import { refuse } from '../../http/errors.ts';
import { shownMoney } from '../shown.ts';
import { consolePage, type Visit } from '../slice.ts';
import { shownAmountOf, shownStatusOf } from '../transactions/status.ts';
import { monthsOf } from './calendar.ts';
import { emailOf, hrefOf, PATH, SCOPE, SubscriptionParams, subscriptionOrNone } from './find.ts';
import { amountText, cadenceText, endReasonText, freezeReasonText, stateOf } from './words.ts';

const SHOWN_PAYMENTS = 10;
const DAY_LENGTH = 'yyyy-mm-dd'.length;

export const CHANGES = {
  freeze: { label: 'Freeze', scope: 'subscriptions:freeze' },
  unfreeze: { label: 'Unfreeze', scope: 'subscriptions:freeze' },
  plan: { label: 'Change the plan', scope: 'subscriptions:write' },
  card: { label: 'Change the card', scope: 'subscriptions:write' },
  end: { label: 'End', scope: 'subscriptions:unsubscribe' },
} as const;
export type Change = keyof typeof CHANGES;

type Found = Subscription.Subscription;

export async function subscriptionOf(visit: Visit, id: number): Promise<Found> {
  const found = await subscriptionOrNone(visit, id);
  if (found !== undefined) return found;
  throw refuse('not_found', 'No subscription of this company has this id.');
}

export const detail = consolePage({
  path: `${PATH}/{id}`,
  title: 'Subscription',
  scope: SCOPE,
  params: SubscriptionParams,
  template: '/subscriptions/subscription',
  async load(visit, { params: { id } }) {
    const subscription = await subscriptionOf(visit, id);
    const { subscriptions } = visit.ledger;
    const [schedule, names] = await Promise.all([
      subscriptions.schedule(id),
      subscriptions.names(),
    ]);
    const { company, midName } = renderSubscription(subscription, {
      tenantId: visit.tenantId,
      names,
    });
    const { currency, customerId } = subscription;
    const charges = schedule.charges.map(({ at, cycle, attempt, amountMinor }) => ({
      at,
      day: at.slice(0, DAY_LENGTH),
      cycle,
      attempt,
      text: shownMoney(toDecimal(amountMinor, currency), currency),
    }));
    return {
      title: subscription.name,
      email: emailOf(visit, subscription),
      subscription,
      state: stateOf(subscription),
      why: endReasonText(subscription) || freezeReasonText(subscription),
      amount: amountText(subscription),
      cadence: cadenceText(subscription),
      company,
      account: midName,
      charges,
      months: monthsOf(charges),
      nextFailure: schedule.nextFailure,
      ifDeclined: schedule.ifDeclined,
      payments: await paymentsOf(visit, id),
      changes: changesOf(visit, subscription),
      addresses: {
        find: visit.href(PATH),
        customer: visit.may('customers:read') ? visit.href(`/customers/${customerId}`) : undefined,
        started: visit.may('transactions:read')
          ? visit.href(`/transactions/${subscription.transactionId}`)
          : undefined,
        payments: `${visit.href('/transactions')}?${new URLSearchParams({ subscriptionIds: String(id) })}`,
      },
    };
  },
});

/** Undefined: the roles do not allow to see them. */
async function paymentsOf(visit: Visit, id: number) {
  if (!visit.may('transactions:read')) return undefined;
  const { transactions } = visit.ledger;
  const page = await transactions.search({ subscriptionIds: [id], limit: SHOWN_PAYMENTS });
  return page.transactions.map((each) => ({
    ...each,
    amount: shownAmountOf(each),
    shownStatus: shownStatusOf(each),
    href: visit.href(`/transactions/${each.transactionId}`),
  }));
}

/** What the roles allow and the state permits. */
function changesOf(visit: Visit, subscription: Found) {
  return changesIn(subscription)
    .filter((change) => visit.may(CHANGES[change].scope))
    .filter((change) => change !== 'card' || visit.may('customers:read'))
    .map((change) => ({
      label: CHANGES[change].label,
      isDanger: change === 'end',
      href: hrefOf(visit, subscription.subscriptionId, `/${change}`),
    }));
}

export function changesIn(subscription: Found): readonly Change[] {
  if (!Subscription.isActive(subscription)) return [];
  const toggle = Subscription.isFrozen(subscription) ? 'unfreeze' : 'freeze';
  return ['plan', 'card', toggle, 'end'];
}
