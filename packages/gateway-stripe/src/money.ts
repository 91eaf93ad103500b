/** Amounts in Stripe's units: hundredths in most currencies, and not always the decimals of ISO 4217. */
import { currencyOf } from '@counterfoil/engine/gateways';

/** Decimals of Stripe's units, and the step in which amounts must be. */
interface Units {
  readonly decimals: number;
  readonly step: bigint;
}

const WHOLE: Units = { decimals: 0, step: 1n };
const HUNDREDTHS: Units = { decimals: 2, step: 1n };
/** Hundredths for the sake of older callers; only whole units are taken. */
const WHOLE_IN_HUNDREDTHS: Units = { decimals: 2, step: 100n };
/** Thousandths, the last digit of which must be 0. */
const THOUSANDTHS: Units = { decimals: 3, step: 10n };

const ZERO_DECIMAL = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF';
const THREE_DECIMAL = 'BHD JOD KWD OMR TND';
const SPECIAL = 'ISK UGX';
const TWO_DECIMAL =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF ' +
  'CNY COP CRC CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ' +
  'ILS INR JMD KES KGS KHR KYD KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR ' +
  'MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE ' +
  'SOS SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UZS WST XCD YER ZAR ZMW';

const UNITS: ReadonlyMap<string, Units> = new Map([
  ...rows(ZERO_DECIMAL, WHOLE),
  ...rows(THREE_DECIMAL, THOUSANDTHS),
  ...rows(SPECIAL, WHOLE_IN_HUNDREDTHS),
  ...rows(TWO_DECIMAL, HUNDREDTHS),
]);

/** Stripe takes at most eight digits of its units. */
const LARGEST = 99_999_999n;

/**
 * The amount in Stripe's units; undefined for an amount or a currency that Stripe does not take.
 * `amountMinor` is in the minor units of ISO 4217.
 */
export function toStripe(amountMinor: bigint, currency: string): number | undefined {
  const units = UNITS.get(currency);
  const exponent = currencyOf(currency)?.exponent;
  if (units === undefined || exponent === undefined || amountMinor < 0n) return undefined;
  const amount = rescaled(amountMinor, units.decimals - exponent);
  const isTaken = amount !== undefined && amount % units.step === 0n && amount <= LARGEST;
  return isTaken ? Number(amount) : undefined;
}

/** The other way round; undefined for a currency that Stripe does not take, and where digits would be lost. */
export function fromStripe(amount: number, currency: string): bigint | undefined {
  const units = UNITS.get(currency);
  const exponent = currencyOf(currency)?.exponent;
  if (units === undefined || exponent === undefined) return undefined;
  return rescaled(BigInt(amount), exponent - units.decimals);
}

/** Undefined where digits would be lost. */
function rescaled(amount: bigint, decimals: number): bigint | undefined {
  if (decimals >= 0) return amount * 10n ** BigInt(decimals);
  const divisor = 10n ** BigInt(-decimals);
  return amount % divisor === 0n ? amount / divisor : undefined;
}

function rows(codes: string, units: Units): readonly (readonly [string, Units])[] {
  return codes.split(' ').map((code) => [code, units] as const);
}
