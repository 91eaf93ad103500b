/** A custom projection: the sales of each day, less refunds. */
import { defineProjection } from '@counterfoil/engine';

export const salesPerDay = defineProjection({
  name: 'sales-per-day',
  version: '1',
  types: ['PaymentCaptured', 'Refunded'],
  initial: { sales: 0, takenMinor: 0n },
  keysOf: ({ event }) => [`${event.currency}/${event.at.slice(0, 10)}`],
  apply: ({ sales, takenMinor }, { event }) =>
    event.type === 'PaymentCaptured'
      ? { sales: sales + 1, takenMinor: takenMinor + event.amountMinor }
      : { sales, takenMinor: takenMinor - event.amountMinor },
});
