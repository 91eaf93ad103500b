/** Stripe's units of every currency that the ledger knows. */
import { currencyCodes, currencyOf } from '@counterfoil/engine/gateways';
import { describe, expect, it } from 'vitest';
import { toStripe } from './money.ts';

/** One unit of each currency, in Stripe's units; by the published list. */
const ONE: Readonly<Record<string, readonly string[]>> = {
  '1': 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
  '100': [
    ...'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD'.split(
      ' ',
    ),
    ...'CAD CDF CHF CNY COP CRC CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ'.split(
      ' ',
    ),
    ...'GYD HKD HNL HTG HUF IDR ILS INR ISK JMD KES KGS KHR KYD KZT LAK LBP LKR LRD LSL MAD'.split(
      ' ',
    ),
    ...'MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP'.split(
      ' ',
    ),
    ...'PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TOP TRY TTD'.split(
      ' ',
    ),
    ...'TWD TZS UAH UGX USD UZS WST XCD YER ZAR ZMW'.split(' '),
  ],
  '1000': 'BHD JOD KWD OMR TND'.split(' '),
};
const NOT_TAKEN = [
  ...'BTN CLF CUP ERN GHS IQD IRR KPW LYD MRU SDG SSP STN SVC SYP TMT UYI UYW'.split(' '),
  ...'VED VES XCG ZWG'.split(' '),
];

function one(code: string): bigint {
  return 10n ** BigInt(currencyOf(code)?.exponent ?? 0);
}

describe.each(Object.entries(ONE))('%s to one', (units, codes) => {
  it.each(codes)('%s', (code) => {
    expect(currencyOf(code)).toBeDefined();
    expect(toStripe(one(code), code)).toBe(Number(units));
    expect(toStripe(0n, code)).toBe(0);
    expect(toStripe(-one(code), code)).toBeUndefined();
  });
});

it.each(NOT_TAKEN)('%s is not taken', (code) => {
  expect(toStripe(one(code), code)).toBeUndefined();
});

it('leaves out no currency of the ledger', () => {
  const named = new Set([...Object.values(ONE).flat(), ...NOT_TAKEN]);
  expect([...currencyCodes()].filter((code) => !named.has(code))).toEqual([]);
});

it.each([
  [1_999n, 'GBP', 1_999],
  [1_999n, 'JPY', 1_999],
  [5_120n, 'KWD', 5_120],
  [5_124n, 'KWD', undefined],
  [7n, 'ISK', 700],
  [7n, 'UGX', 700],
  [1_200n, 'MGA', 12],
  [1_250n, 'MGA', undefined],
  [99_999_999n, 'USD', 99_999_999],
  [100_000_000n, 'USD', undefined],
  [100n, 'XXX', undefined],
] as const)('%d minor units of %s', (amountMinor, code, units) => {
  expect(toStripe(amountMinor, code)).toBe(units);
});
