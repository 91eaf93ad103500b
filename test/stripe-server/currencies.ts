/** Stripe's rules of amounts: units, smallest and largest charges. */
import { invalidRequest } from './refusal.ts';

const ZERO_DECIMAL = words('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf');
const THREE_DECIMAL = words('bhd jod kwd omr tnd');
/** Two decimals for history's sake; the decimals are always 00. */
const WHOLE_UNITS_IN_HUNDREDTHS = words('isk ugx');
const TWO_DECIMAL = words(
  'usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob brl bsd bwp byn bzd ' +
    'cad cdf chf cny cop crc cve czk dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gtq gyd hkd ' +
    'hnl hrk htg huf idr ils inr jmd kes kgs khr kyd kzt lak lbp lkr lrd lsl mad mdl mkd mmk mnt ' +
    'mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub ' +
    'sar sbd scr sek sgd shp sle sos srd std szl thb tjs top try ttd twd tzs uah uyu uzs wst xcd ' +
    'yer zar zmw',
);

/** In the units of amounts; other currencies take any positive amount. */
const SMALLEST: Readonly<Record<string, number>> = {
  usd: 50,
  aed: 200,
  aud: 50,
  bgn: 100,
  brl: 50,
  cad: 50,
  chf: 50,
  czk: 1_500,
  dkk: 250,
  eur: 50,
  gbp: 30,
  hkd: 400,
  huf: 17_500,
  inr: 50,
  jpy: 50,
  mxn: 1_000,
  myr: 200,
  nok: 300,
  nzd: 50,
  pln: 200,
  ron: 200,
  sek: 300,
  sgd: 50,
  thb: 1_000,
};
const LARGEST = 99_999_999;

export function checkCurrency(currency: string): string {
  const known = currency.toLowerCase();
  const sets = [ZERO_DECIMAL, THREE_DECIMAL, WHOLE_UNITS_IN_HUNDREDTHS, TWO_DECIMAL];
  if (!sets.some((each) => each.has(known))) {
    throw invalidRequest(`Invalid currency: ${currency}`, { param: 'currency' });
  }
  return known;
}

/** @param amount - In Stripe's units: hundredths, whole units, or thousandths that end in 0. */
export function checkAmount(amount: number, currency: string, param = 'amount'): void {
  if (amount < 1) {
    throw invalidRequest('This value must be greater than or equal to 1.', {
      param,
      code: 'parameter_invalid_integer',
    });
  }
  if (amount < (SMALLEST[currency] ?? 1)) {
    throw invalidRequest(`Amount must be at least ${SMALLEST[currency]} ${currency}`, {
      param,
      code: 'amount_too_small',
    });
  }
  if (amount > LARGEST) {
    throw invalidRequest(`Amount must be no more than ${LARGEST} ${currency}`, {
      param,
      code: 'amount_too_large',
    });
  }
  checkUnits(amount, currency, param);
}

/** Amounts of refunds and captures follow the units, not the limits. */
export function checkUnits(amount: number, currency: string, param: string): void {
  if (THREE_DECIMAL.has(currency) && amount % 10 !== 0) {
    throw invalidRequest(`Invalid amount: ${currency} amounts must end in 0.`, { param });
  }
  if (WHOLE_UNITS_IN_HUNDREDTHS.has(currency) && amount % 100 !== 0) {
    throw invalidRequest(`Invalid amount: ${currency} amounts must end in 00.`, { param });
  }
}

export function isZeroDecimal(currency: string): boolean {
  return ZERO_DECIMAL.has(currency);
}

function words(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}
