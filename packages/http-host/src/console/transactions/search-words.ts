/** What the search box understands: the filters that its text may stand for, the likeliest first. */
import type { TenantLedger } from '@counterfoil/engine';

export type Search = NonNullable<Parameters<TenantLedger['transactions']['search']>[0]>;

/** In the words of the page. */
export const MEANINGS = {
  email: 'email',
  transaction: 'transaction id',
  arn: 'ARN',
  reference: 'reference of the gateway',
  order: 'order id',
  last4: 'last four digits of a card',
  amount: 'amount',
  name: 'name',
} as const;
export type MeaningName = keyof typeof MEANINGS;

export interface Meaning {
  readonly name: MeaningName;
  readonly search: Search;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LAST4 = /^(?:[*•x.…]+ ?)(\d{4})$/i;
const ORDER = /^#\s?(\d{1,15})$/;
const DIGITS = /^\d+$/;
const ARN = /^\d{23}$/;
/** `19.99`, `GBP 1,234.50`, `£5`, `−20.00 GBP`: thousands may be grouped, and a minus sign says nothing. */
const AMOUNT =
  /^[-−]?\s?([A-Z]{3}|[£$€¥])?\s?[-−]?(\d{1,3}(?:,\d{3})+|\d{1,13})(\.\d{1,3})?\s?([A-Z]{3})?$/i;
const SIGNS: Readonly<Record<string, string>> = { '£': 'GBP', '€': 'EUR' };
/** More digits than an order or an amount has. */
const MAX_DIGITS = 15;

export function meaningsOf(words: string): readonly Meaning[] {
  const text = words.trim();
  if (text === '') return [];
  if (UUID.test(text)) return [{ name: 'transaction', search: { transactionIds: [text] } }];
  if (text.includes('@')) return [{ name: 'email', search: { emails: [text] } }];
  const [, last4] = LAST4.exec(text) ?? [];
  if (last4 !== undefined) return [{ name: 'last4', search: { last4 } }];
  const [, order] = ORDER.exec(text) ?? [];
  if (order !== undefined) return [{ name: 'order', search: { orderIds: [Number(order)] } }];
  if (DIGITS.test(text)) return meaningsOfDigits(text);
  const amount = amountOf(text);
  if (amount !== undefined) return [amount];
  return [...(/\d/.test(text) ? [] : [nameOf(text)]), ...referencesOf(text)];
}

function meaningsOfDigits(text: string): readonly Meaning[] {
  if (ARN.test(text)) return referencesOf(text);
  const number = Number(text);
  if (text.length > MAX_DIGITS) return referencesOf(text);
  return [
    { name: 'order', search: { orderIds: [number] } },
    ...(text.length === 4 ? [{ name: 'last4', search: { last4: text } } as const] : []),
    { name: 'amount', search: { amounts: [number] } },
    ...referencesOf(text),
  ];
}

function referencesOf(text: string): readonly Meaning[] {
  return [
    { name: 'arn', search: { arns: [text] } },
    { name: 'reference', search: { gatewayTransactionIds: [text] } },
  ];
}

function amountOf(text: string): Meaning | undefined {
  const [found, before = '', whole = '', fraction = '', after = ''] = AMOUNT.exec(text) ?? [];
  if (found === undefined || (before !== '' && after !== '')) return undefined;
  const sign = before || after;
  // A sign of several currencies names none.
  const currency = /^[a-z]{3}$/i.test(sign) ? sign.toUpperCase() : SIGNS[sign];
  const amounts = [Number(whole.replaceAll(',', '') + fraction)];
  return { name: 'amount', search: { amounts, ...(currency !== undefined && { currency }) } };
}

/** `Ada`, `Ada Lovelace`: one word is a last name. */
function nameOf(text: string): Meaning {
  const [first = '', ...others] = text.split(/\s+/);
  const lastName = others.join(' ');
  const search = lastName === '' ? { lastName: first } : { firstName: first, lastName };
  return { name: 'name', search };
}
