/** What is wrong with fields and filters, in the words of their labels. */
import type { ErrorDetail, Refusal } from '../http/errors.ts';
import { FIELDS } from './merchant-accounts/fields.ts';
import type { Problem } from './slice.ts';

/** Of fields whose label is not their name in words. */
const LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FIELDS.map(({ name, label }) => [name, label])),
  action: 'What',
  actor: 'Who',
  allowedOrigins: 'Pages',
  apiKey: 'API key',
  applicationId: 'Application',
  before: 'The form',
  dateFrom: 'From',
  dateTo: 'To',
  dkimPrivateKey: 'DKIM private key',
  dkimSelector: 'DKIM selector',
  emailAddress: 'Email',
  eventTypes: 'Events',
  expires: 'Last day',
  firstName: 'First name',
  includeSubdomains: 'Domains below it',
  key: 'The form',
  label: 'What it is for',
  language: 'Tag of the language',
  merchantAccountId: 'Merchant account',
  q: 'The search',
  roleIds: 'Roles',
  rowVersion: 'The form',
  scopes: 'Permissions',
  sessionId: 'Session',
  settlementId: 'Import',
  status: 'State',
  type: 'Event',
  typed: 'The number',
  url: 'URL',
  username: 'User name',
};

/** Within a sentence. */
const NAMES: Readonly<Record<string, string>> = {
  dateFrom: 'the first day',
  dateTo: 'the last day',
};

/** Of a secret of one currency: `password-GBP`. */
const OF_CURRENCY = /^([A-Za-z]+)-([A-Z]{3})$/;

export function labelOf(name: string): string {
  const [, secret, currency] = OF_CURRENCY.exec(name) ?? [];
  if (secret !== undefined) return `${labelOf(secret)} of ${currency}`;
  const label = LABELS[name] ?? inWords(name);
  return label.includes(',') ? `“${label}”` : label;
}

/** `intervalCount` is `Interval count`. */
function inWords(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `must not be after dateTo` is `must not be after the last day`. */
function withLabels(sentence: string): string {
  return sentence.replaceAll(/[A-Za-z]+/g, (word) => {
    const label = NAMES[word] ?? (/[a-z][A-Z]/.test(word) ? LABELS[word] : undefined);
    if (label === undefined) return word;
    return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  });
}

const PARTS = ['query', 'path', 'header'];
/** Of a list: an address that somebody has changed, or that an older host has made. */
const CURSOR = 'cursor';

/** Its pointer names the field, its detail begins with the name. */
export function problemOf({ pointer, detail }: ErrorDetail, label = labelOf): Problem {
  const [first = '', second = ''] = pointer.split('/').slice(1);
  const field = PARTS.includes(first) ? second : first;
  if (field === CURSOR) {
    return { field: '', text: 'The address names no page of this list: begin with the first.' };
  }
  const rest = detail.startsWith(field) ? detail.slice(field.length) : undefined;
  if (field === '' || rest === undefined) return { field, text: capital(withLabels(detail)) };
  // A place in a list says nothing where all of it stands in one field.
  const end = rest.startsWith('[') ? rest.slice(rest.indexOf(']') + 1) : rest;
  return { field, text: label(field) + withLabels(end) };
}

export function problemsOf({ errors = [], message }: Refusal): readonly Problem[] {
  if (errors.length === 0) {
    // `chargebackFee has more decimals than GBP` is about a field, which it names.
    const [first = ''] = message.split(' ', 1);
    const isField = /[a-z][A-Z]/.test(first) && LABELS[first] !== undefined;
    return [
      isField ? problemOf({ pointer: `/${first}`, detail: message }) : { field: '', text: message },
    ];
  }
  return errors.map((error) => problemOf(error));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
