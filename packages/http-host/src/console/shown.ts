/** How amounts, days and names of the books are shown, alike on every page. */
import { currencyOf, type RawNumber } from '@counterfoil/core';
import { anchorOfTerm } from '../api/terms.ts';
import { remembered } from './remembered.ts';

/** `1,234.50`, with the decimals of the currency. Exact beyond what a double holds. */
export function shownAmount(amount: string | number | RawNumber, currency: string): string {
  // Amounts that no double holds are texts within an object.
  const text = typeof amount === 'object' ? JSON.stringify(amount) : String(amount);
  const isNegative = text.startsWith('-');
  const point = text.indexOf('.');
  const end = point < 0 ? text.length : point;
  const decimals = text.slice(end + 1).padEnd(currencyOf(currency)?.exponent ?? 0, '0');
  const grouped = groupedDigits(text.slice(isNegative ? 1 : 0, end));
  return (isNegative ? '\u2212' : '') + (decimals === '' ? grouped : `${grouped}.${decimals}`);
}

const GROUP = 3;

/** As Intl does for English, in a fraction of the time. */
function groupedDigits(digits: string): string {
  let grouped = digits.slice(-GROUP);
  for (let end = digits.length - GROUP; end > 0; end -= GROUP) {
    grouped = `${digits.slice(Math.max(0, end - GROUP), end)},${grouped}`;
  }
  return grouped;
}

/** `1,234.50 GBP`. */
export function shownMoney(amount: string | number | RawNumber, currency: string): string {
  return `${shownAmount(amount, currency)} ${currency}`;
}

/** `2026-11-23 20:15:04 UTC`: what scripts replace by the time of the viewer. */
export function shownDate(at: string): string {
  return `${at.slice(0, 'yyyy-mm-dd'.length)} ${at.slice(11, 19)} UTC`;
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { auth: 'authorization', avs: 'AVS' };

/** Of an account of the books: `fees:bank-auth` is `Fees: bank authorization`. */
export const shownAccount = remembered((account) => {
  const words = account.replaceAll(':', ': ').replaceAll('-', ' ');
  return capital(words.replaceAll(/\b(auth|avs)\b/g, (word) => ABBREVIATIONS[word] ?? word));
});

/** Of a type of events: `PaymentCaptured` is `Payment captured`. */
export const shownEvent = remembered((type) =>
  capital(type.replaceAll(/(?<=[a-z])[A-Z]/g, ' $&').toLowerCase()),
);

/** Of a code: `rate_limited` is `Rate limited`. */
export const shownWords = remembered((code) => capital(code.replaceAll(/[-_]/g, ' ')));

/** The anchor of a term in the glossary; undefined of what is no term. */
export const shownAnchor = remembered(anchorOfTerm);

/** Of a command: `signIns.signIn` is `Sign-ins: sign in`. */
export function shownAction(action: string): string {
  const [part = '', call = ''] = action.split('.').map((name) => {
    return name.replaceAll(/(?<=[a-z])[A-Z]/g, ' $&').toLowerCase();
  });
  return capital(`${part.replace('sign ins', 'sign-ins')}: ${call}`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
