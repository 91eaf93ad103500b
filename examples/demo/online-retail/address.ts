/** The shipping address, as far as the data set has it: a country by its English name. */
import type { Transaction } from '@counterfoil/core';
import type { SaleLine } from './read-sales.ts';

/** ISO 3166-1, for the names that the data set uses in all its months. */
const COUNTRY_CODES: ReadonlyMap<string, string> = new Map([
  ['Australia', 'AU'],
  ['Austria', 'AT'],
  ['Bahrain', 'BH'],
  ['Belgium', 'BE'],
  ['Brazil', 'BR'],
  ['Canada', 'CA'],
  ['Cyprus', 'CY'],
  ['Czech Republic', 'CZ'],
  ['Denmark', 'DK'],
  ['EIRE', 'IE'],
  ['Finland', 'FI'],
  ['France', 'FR'],
  ['Germany', 'DE'],
  ['Greece', 'GR'],
  ['Hong Kong', 'HK'],
  ['Iceland', 'IS'],
  ['Israel', 'IL'],
  ['Italy', 'IT'],
  ['Japan', 'JP'],
  ['Lebanon', 'LB'],
  ['Lithuania', 'LT'],
  ['Malta', 'MT'],
  ['Netherlands', 'NL'],
  ['Norway', 'NO'],
  ['Poland', 'PL'],
  ['Portugal', 'PT'],
  ['RSA', 'ZA'],
  ['Saudi Arabia', 'SA'],
  ['Singapore', 'SG'],
  ['Spain', 'ES'],
  ['Sweden', 'SE'],
  ['Switzerland', 'CH'],
  ['USA', 'US'],
  ['United Arab Emirates', 'AE'],
  ['United Kingdom', 'GB'],
]);

export interface Buyer {
  /** Null for a guest: the import has the id allocated. */
  readonly customerId: number | null;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** The data set has no names or addresses: placeholders are derived from its numbers. */
export function buyerOf({ customerId, invoice }: SaleLine): Buyer {
  return customerId === null
    ? {
        customerId,
        email: `guest-${invoice}@online-retail.example`,
        firstName: 'Guest',
        lastName: invoice,
      }
    : {
        customerId,
        email: `customer-${customerId}@online-retail.example`,
        firstName: 'Customer',
        lastName: String(customerId),
      };
}

/**
 * Names without a single code (`Channel Islands`, `Unspecified`) leave the code empty and are kept
 * in `state`.
 */
export function addressOf(sale: SaleLine): Transaction.Address {
  const { email, firstName, lastName } = buyerOf(sale);
  const countryCode = COUNTRY_CODES.get(sale.country) ?? '';
  return {
    addressType: 'DEFAULT',
    email,
    firstName,
    lastName,
    address: '',
    city: '',
    postalCode: '',
    state: countryCode === '' ? sale.country.slice(0, 100) : '',
    countryCode,
    phone: '',
  };
}
