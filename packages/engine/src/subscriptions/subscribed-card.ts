/** The card of a subscription, and whether it may still be charged. */
import { Customer, type Subscription, type TenantId, Transaction } from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';

/** The payment of the order that began the subscription. */
export async function startingPayment(
  commands: CommandRunner,
  tenantId: TenantId,
  { subscriptionId, transactionId }: Subscription.Subscription,
): Promise<Transaction.Payment> {
  const started = await commands.stateOf(
    Transaction,
    Transaction.streamOf({ tenantId, transactionId }),
  );
  if (started === null) throw new Error(`subscription ${subscriptionId} began without a payment`);
  return started;
}

/** Whether the customer removed the card after it was given with the order or a card change. */
export async function isCardRemoved(
  commands: CommandRunner,
  tenantId: TenantId,
  subscription: Subscription.Subscription,
): Promise<boolean> {
  const { sandbox, customerId, card, cardChangedAt } = subscription;
  if (card === null) return false;
  const stream = Customer.streamOf({ tenantId, sandbox, customerId });
  const customer = await commands.stateOf(Customer, stream);
  if (customer === null || customer.removedCards.length === 0) return false;
  const givenAt =
    cardChangedAt ?? (await startingPayment(commands, tenantId, subscription)).submittedAt;
  return Customer.hasWithdrawn(customer, card, givenAt);
}
