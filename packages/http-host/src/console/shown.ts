/** How amounts and days are shown, alike on every page. */

/** `1,234.50` of `1234.50`: the decimals are those of the currency. */
export function shownAmount(amount: string | number): string {
  const text = String(amount);
  const [whole = '0', fraction] = text.replace('-', '').split('.');
  const grouped = BigInt(whole).toLocaleString('en');
  const sign = text.startsWith('-') ? '\u2212' : '';
  return sign + (fraction === undefined ? grouped : `${grouped}.${fraction}`);
}

/** `2026-11-23 20:15:04 UTC`: what scripts replace by the time of the viewer. */
export function shownDate(at: string): string {
  return `${at.slice(0, 'yyyy-mm-dd'.length)} ${at.slice(11, 19)} UTC`;
}
