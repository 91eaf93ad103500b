/** The items of an ecommerce refund as callers send them. */
import type { Transaction } from '@counterfoil/core';
import { z } from 'zod';
import { Amount, minorOf } from './wire.ts';

const RefundItem = z
  .object({
    StorefrontVariantId: z.int().nonnegative(),
    Quantity: z.int().min(1).max(1_000_000),
    Amount: Amount.optional().meta({ description: 'Absent: the share of what was paid for it' }),
    Restock: z.boolean().optional(),
  })
  .meta({ id: 'RefundItem' });

export const RefundItemsInput = z
  .array(RefundItem)
  .max(1_000)
  .meta({ description: 'Ecommerce only. The amounts add up to `amount`' });

export function refundItemsOf(
  items: z.output<typeof RefundItemsInput> = [],
  currency: string,
): Transaction.RefundItem[] {
  return items.map(({ StorefrontVariantId, Quantity, Amount, Restock = false }, index) => ({
    storefrontVariantId: StorefrontVariantId,
    quantity: Quantity,
    restock: Restock,
    ...(Amount !== undefined && {
      amountMinor: minorOf(Amount, currency, `/refundItems/${index}/Amount`),
    }),
  }));
}
