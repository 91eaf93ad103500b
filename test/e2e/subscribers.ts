/** Subscriptions as the ledger has them, and payments that start them. */
import { randomUUID } from 'node:crypto';
import { Subscription, type TenantId } from '@counterfoil/core';
import { CALLER, type Json, type Running } from './running-host.ts';

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
  return host.commands.stateOf(Subscription, stream);
}

/** The number of events per type in the stream of a subscription. */
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

type Act = WithoutFrame<Subscription.Command>;
type WithoutFrame<Each> = Each extends unknown
  ? Omit<Each, 'tenantId' | 'subscriptionId' | 'at'>
  : never;

/** Something happens to a subscription, at the present of the host. */
export async function happensTo(
  { host }: Running,
  { tenantId, subscriptionId }: { readonly tenantId: number; readonly subscriptionId: number },
  act: Act,
): Promise<void> {
  const address = { tenantId: tenantId as TenantId, subscriptionId, at: host.commands.clock.now() };
  const command = { ...act, ...address } as Subscription.Command;
  await host.commands.execute(Subscription, command, { commandId: randomUUID() }, CALLER);
}

/** The ids of the subscriptions that a payment names. */
export function startedBy(payment: Json): number[] {
  return payment.subscriptions.map(({ id }: Json) => id);
}
