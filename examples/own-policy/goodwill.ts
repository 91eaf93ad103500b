/** A policy of one's own: who complains gets half of the payment back, once, and only of a whole one. */

import { toDecimal } from '@counterfoil/core';
import { type RefundView, Refused, type TenantLedger } from '@counterfoil/engine';

/** Undefined where the policy or the ledger does not give it. Asked again, it is the same refund. */
export async function goodwill(shop: TenantLedger, id: string): Promise<RefundView | undefined> {
  const { status, currency, payment } = await shop.payments.get(id);
  const half = payment.capturedMinor / 2n;
  if (status !== 'Captured' || half === 0n) return undefined;
  // The key makes it one refund for ever, however many agents press the button at once.
  const idempotencyKey = `goodwill-${id}`;
  try {
    return await shop.payments.refund(id, { idempotencyKey, amount: toDecimal(half, currency) });
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}
