/** Events of the log as lines of a terminal and as JSON. Personal data stays sealed, as the log has it. */
import { styleText } from 'node:util';
import { type StoredEvent, toDecimal } from '@counterfoil/core';
import { z } from 'zod';

/** Characters of what is shown of an event's data. */
const MAX_FACTS = 160;
const TYPE_WIDTH = 24;
/** Shown elsewhere in the line, or of no use to people. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'at',
  'currency',
  'digest',
  'sandbox',
  'sealed',
  'transactionId',
]);
const MINOR = 'Minor';

const Data = z.record(z.string(), z.unknown());
const Metadata = z.looseObject({ actor: z.string().optional() });

/** What is not JSON is shown as it is: a damaged event must not end the command. */
export function eventJson({ data, metadata, ...event }: StoredEvent) {
  return { ...event, data: jsonOf(data), metadata: jsonOf(metadata) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function actorOf({ metadata }: StoredEvent): string {
  return Metadata.safeParse(jsonOf(metadata)).data?.actor ?? '';
}

/** The type, with what happened and who did it. */
export function eventLine(event: StoredEvent, currency?: string): string {
  const facts = printable(factsOf(event, currency));
  const type = styleText('bold', printable(event.type).padEnd(TYPE_WIDTH));
  const actor = styleText('dim', printable(actorOf(event)));
  return [type, facts, actor].filter((part) => part !== '').join('  ');
}

/** Controls, ends of lines and changes of direction. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** With escapes as JSON has them: the note of a gateway moves no cursor and begins no line. */
export function printable(text: string): string {
  return text.replaceAll(
    UNPRINTABLE,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `amount=12.34 GBP note=approved`: the plain values of the event's data. */
export function factsOf({ data }: StoredEvent, currencyElsewhere?: string): string {
  const fields = Data.safeParse(jsonOf(data)).data ?? {};
  const { currency = currencyElsewhere } = fields;
  const facts = Object.entries(fields)
    .filter(([name, value]) => !LEFT_OUT.has(name) && isPlain(value))
    .map(([name, value]) => factOf(name, value, currency));
  if (fields['sandbox'] === true) facts.unshift('sandbox');
  const line = facts.join(' ');
  return line.length > MAX_FACTS ? `${line.slice(0, MAX_FACTS)}…` : line;
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== '' && value !== false;
}

function factOf(name: string, value: unknown, currency: unknown): string {
  const amount = amountOf(name, value, currency);
  return amount ?? (value === true ? name : `${name}=${value}`);
}

function amountOf(name: string, value: unknown, currency: unknown): string | undefined {
  const isAmount = name.endsWith(MINOR) && typeof value === 'string' && /^-?\d+$/.test(value);
  if (!isAmount || typeof currency !== 'string') return undefined;
  try {
    return `${name.slice(0, -MINOR.length)}=${toDecimal(BigInt(value), currency)} ${currency}`;
  } catch {
    return undefined;
  }
}
