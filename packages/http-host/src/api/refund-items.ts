/** The parts of a refund of an ecommerce order: items and adjustments. */
import { plainDecimal, Transaction } from '@counterfoil/core';
import type { RefundSubmission, RefundView } from '@counterfoil/engine';
import { z } from 'zod';
import type { RequestContext } from '../http/endpoint.ts';
import { type Refusal, refuse } from '../http/errors.ts';
import { Amount, eitherOf } from './wire.ts';

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
type RefundPart = NonNullable<RefundSubmission['items']>[number];

export const RefundItemsInput = z
  .array(RefundItem)
  .max(1_000)
  .meta({ description: 'Ecommerce only. The amounts add up to `amount`' });

interface RefundBody {
  readonly amount?: number | undefined;
  readonly refundItems?: readonly RefundItem[] | undefined;
  readonly sendUserCommunication?: boolean | undefined;
}

/** The refund that a body asks for: 0 is the remaining balance. */
export function refundOf({
  amount,
  refundItems = [],
  sendUserCommunication: notifyCustomer,
}: RefundBody): RefundSubmission {
  return {
    amount: amount ? plainDecimal(amount) : undefined,
    items: refundItems.map(refundPartOf),
    notifyCustomer,
  };
}

/** What the response is about, beside its body. */
export function aboutRefund(
  { principal: { tenantId } }: RequestContext,
  { paymentId, sandbox, customerId, status }: RefundView,
) {
  return {
    stream: Transaction.streamOf({ tenantId, transactionId: paymentId }),
    subject: { tenantId, sandbox, customerId },
    isFinal: status !== 'RefundPending',
  };
}

/** Refuses an element that is neither an item nor an adjustment, or both. */
function refundPartOf(element: RefundItem, index: number): RefundPart {
  const { StorefrontVariantId, Quantity, Adjustment, Amount, Restock: restock } = element;
  const pointer = `/refundItems/${index}`;
  const amount = Amount === undefined ? undefined : plainDecimal(Amount);
  if (StorefrontVariantId !== undefined && Adjustment === undefined) {
    if (Quantity === undefined) throw invalid(`${pointer}/Quantity`, 'An item needs a Quantity');
    return { storefrontVariantId: StorefrontVariantId, quantity: Quantity, restock, amount };
  }
  if (StorefrontVariantId !== undefined || Adjustment === undefined) {
    throw invalid(pointer, 'Send either StorefrontVariantId or Adjustment');
  }
  if (amount === undefined) throw invalid(`${pointer}/Amount`, 'An adjustment needs an Amount');
  if (Quantity !== undefined) throw invalid(`${pointer}/Quantity`, 'An adjustment has no Quantity');
  if (restock !== undefined) throw invalid(`${pointer}/Restock`, 'An adjustment has no Restock');
  return { adjustment: Adjustment, amount };
}

function invalid(pointer: string, detail: string): Refusal {
  return refuse('invalid_request', undefined, { errors: [{ pointer, detail }] });
}
