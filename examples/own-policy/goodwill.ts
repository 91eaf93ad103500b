/** A custom policy: a complaint gets half of an unrefunded payment back, once. */

import { toDecimal } from '@counterfoil/core';
import { type RefundView, Refused, type TenantLedger } from '@counterfoil/engine';

/** Undefined where the policy or the ledger refuses. A repetition returns the same refund. */
export async function goodwill(shop: TenantLedger, id: string): Promise<RefundView | undefined> {
  const { status, currency, payment } = await shop.payments.get(id);
  const half = payment.capturedMinor / 2n;
  if (status !== 'Captured' || half === 0n) return undefined;
  // The key makes it a single refund, whatever the number of concurrent requests.
  const idempotencyKey = `goodwill-${id}`;
  try {
    return await shop.payments.refund(id, { idempotencyKey, amount: toDecimal(half, currency) });
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}
