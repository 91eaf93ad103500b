/** Subscriptions as the ledger has them, and payments that start them. */
import { Subscription, type TenantId } from '@counterfoil/core';
import type { Json, Running } from './running-host.ts';

/** A club of 19.95 every 30 days. */
export const CLUB = {
  name: 'Tea club',
  description: 'A tin of tea every month',
  rebillAmount: 19.95,
  frequency: 30,
};

/** A subscription straight from its events; null when none of that id has started. */
export async function subscriptionOf(
  { host }: Running,
  tenantId: number,
  subscriptionId: number,
): Promise<Subscription.State> {
  const stream = Subscription.streamOf({ tenantId: tenantId as TenantId, subscriptionId });
  return host.ledger.stateOf(Subscription, stream);
}

/** How often each type of event stands in the stream of a subscription. */
export async function eventsOf(
  { host }: Running,
  tenantId: number,
  subscriptionId: number,
): Promise<Record<string, number>> {
  const stream = Subscription.streamOf({ tenantId: tenantId as TenantId, subscriptionId });
  const counts: Record<string, number> = {};
  for (const { type } of await host.events.read(stream)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** The ids of the subscriptions that a payment names. */
export function startedBy(payment: Json): number[] {
  return payment.subscriptions.map(({ id }: Json) => id);
}
