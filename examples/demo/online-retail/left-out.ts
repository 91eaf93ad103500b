/** Every reason why a line, or a part of it, is not imported. */

/** In the order of the checks; the first that applies is reported. The report prints these sentences. */
export const LEFT_OUT = {
  malformed: 'the line cannot be read',
  'invoice-malformed': 'another line of the invoice cannot be read',
  'bad-debt': 'write-off of a bad debt: no sale and no refund',
  'customer-differs': 'names another customer than the invoice it stands on',
  'negative-price': 'negative unit price',
  'correction-without-sale': 'negative quantity outside a cancellation: a stock correction',
  'charge-on-cancellation': 'positive quantity on a cancellation',
  'zero-total-invoice': 'the invoice comes to zero: nothing was charged',
  'too-many-items': 'the invoice has more items than an order may have',
  'too-much-money': 'the invoice comes to more money than an order may',
  'zero-price-cancellation': 'cancelled at price zero: there is no money to give back',
  'charge-without-sale': 'fee, discount, postage or manual entry with no earlier sale to refund',
  'no-customer': 'the cancellation names no customer: its sale cannot be found',
  'no-earlier-sale': 'no earlier sale of the item to this customer in this extract',
  'more-than-sold': 'more cancelled than the earlier sales in this extract have left',
  'more-than-paid': 'cancelled at more money than is left on the earlier orders',
} as const;

export type LeftOutReason = keyof typeof LEFT_OUT;
