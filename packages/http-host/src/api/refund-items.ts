/** The parts of a refund of an ecommerce order: items and adjustments. */
import type { Transaction } from '@counterfoil/core';
import { z } from 'zod';
import { type Refusal, refuse } from '../http/errors.ts';
import { Amount, eitherOf, minorOf } from './wire.ts';

export const AdjustmentKind = z.enum(['shipping', 'other']).meta({
  id: 'RefundAdjustmentKind',
  description: 'What of an order beyond its lines is given back',
});

const RefundItem = z
  .object({
    StorefrontVariantId: z.int().nonnegative().optional(),
    Quantity: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .meta({ description: 'Required with StorefrontVariantId' }),
    Adjustment: AdjustmentKind.optional().meta({
      description:
        'Instead of StorefrontVariantId: what the order holds beyond its lines. Takes an Amount and nothing else',
    }),
    Amount: Amount.optional().meta({
      description:
        'Of an item at most what is left of its line; absent: the share of what was paid for it',
    }),
    Restock: z.boolean().optional(),
  })
  .meta({
    id: 'RefundItem',
    description: 'Either an item, by its variant and quantity, or an adjustment',
    ...eitherOf(['StorefrontVariantId', 'Quantity'], ['Adjustment', 'Amount']),
  });
type RefundItem = z.output<typeof RefundItem>;

export const RefundItemsInput = z
  .array(RefundItem)
  .max(1_000)
  .meta({ description: 'Ecommerce only. The amounts add up to `amount`' });

/** Refuses an element that is neither an item nor an adjustment, or both. */
export function refundPartsOf(
  elements: readonly RefundItem[] = [],
  currency: string,
): { items: Transaction.RefundItem[]; adjustments: Transaction.RefundAdjustment[] } {
  const items: Transaction.RefundItem[] = [];
  const adjustments: Transaction.RefundAdjustment[] = [];
  for (const [index, element] of elements.entries()) {
    const { StorefrontVariantId, Quantity, Adjustment, Amount, Restock } = element;
    const pointer = `/refundItems/${index}`;
    const amountMinor =
      Amount === undefined ? undefined : minorOf(Amount, currency, `${pointer}/Amount`);
    if ((StorefrontVariantId === undefined) === (Adjustment === undefined)) {
      throw invalid(pointer, 'Send either StorefrontVariantId or Adjustment');
    }
    if (Adjustment !== undefined) {
      if (amountMinor === undefined)
        throw invalid(`${pointer}/Amount`, 'An adjustment needs an Amount');
      if (Quantity !== undefined)
        throw invalid(`${pointer}/Quantity`, 'An adjustment has no Quantity');
      if (Restock !== undefined)
        throw invalid(`${pointer}/Restock`, 'An adjustment has no Restock');
      adjustments.push({ kind: Adjustment, amountMinor });
    } else {
      if (Quantity === undefined) throw invalid(`${pointer}/Quantity`, 'An item needs a Quantity');
      items.push({
        storefrontVariantId: StorefrontVariantId ?? 0,
        quantity: Quantity,
        restock: Restock ?? false,
        ...(amountMinor !== undefined && { amountMinor }),
      });
    }
  }
  return { items, adjustments };
}

function invalid(pointer: string, detail: string): Refusal {
  return refuse('invalid_request', undefined, { errors: [{ pointer, detail }] });
}
