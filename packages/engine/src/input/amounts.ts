/** Amounts of callers, in major units. */
import { toMinor } from '@counterfoil/core';
import { refused } from '../refusal.ts';

/** Minor units; refuses what the currency does not hold. `field` is the place of the amount. */
export function minorOf(amount: string | number, currency: string, field: string): bigint {
  const minor = toMinor(amount, currency);
  if (minor._tag === 'Right') return minor.right;
  const { left: fault } = minor;
  switch (fault.type) {
    case 'UnknownCurrency':
      throw refused(fault);
    case 'TooManyDecimals':
      throw refused({ type: 'AmountTooFine', field, currency, decimals: fault.exponent });
    default:
      throw refused({ type: 'AmountInvalid', field, currency, reason: fault.type });
  }
}
