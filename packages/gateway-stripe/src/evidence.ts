/** Evidence by Stripe's names: texts, and a place for each file. */
import type { EvidenceRequest } from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';

type Evidence = Stripe.DisputeUpdateParams.Evidence;

const TEXTS = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_tracking_number',
] as const satisfies readonly (keyof Evidence)[];
const UNNAMED_TEXT = 'uncategorized_text';

const FILES = [
  'cancellation_policy',
  'customer_communication',
  'customer_signature',
  'duplicate_charge_documentation',
  'receipt',
  'refund_policy',
  'service_documentation',
  'shipping_documentation',
] as const satisfies readonly (keyof Evidence)[];
const UNNAMED_FILE = 'uncategorized_file';

/** Other names for the same. */
const ALSO: Readonly<Record<string, (typeof TEXTS)[number]>> = {
  tracking_number: 'shipping_tracking_number',
  carrier: 'shipping_carrier',
  email: 'customer_email_address',
  name: 'customer_name',
  ip: 'customer_purchase_ip',
};

/** What Stripe takes as a file of evidence. */
const MEDIA_TYPES: readonly string[] = ['application/pdf', 'image/jpeg', 'image/png'];

const MAX_TEXT = 20_000;
const MAX_TEXTS = 150_000;

/** What `refusalOf` is asked about, and, with the ids of the files, what is sent. */
type Given = Pick<EvidenceRequest, 'fields'> & {
  readonly files: readonly (Omit<EvidenceRequest['files'][number], 'fileId'> & {
    readonly fileId?: string;
  })[];
};

/** Why Stripe takes no such evidence. Never quotes it. */
export function faultOf(given: Given): string | undefined {
  const wrong = given.files.find(({ mediaType }) => !MEDIA_TYPES.includes(mediaType));
  if (wrong !== undefined) {
    return `Stripe takes PDF, JPEG and PNG: ${wrong.digest} is ${wrong.mediaType}`;
  }
  const places = new Set<string>();
  for (const file of given.files) {
    const place = placeOf(file.name);
    if (places.has(place)) {
      const names = [...FILES, UNNAMED_FILE].join(', ');
      return `Stripe takes one file for each of ${names}: ${file.digest} is another for ${place}`;
    }
    places.add(place);
  }
  const texts = Object.entries(textsOf(given.fields));
  const long = texts.find(([, text]) => text.length > MAX_TEXT);
  if (long !== undefined) return `${long[0]} is longer than ${MAX_TEXT} characters`;
  const length = texts.reduce((sum, [, text]) => sum + text.length, 0);
  return length > MAX_TEXTS ? `the texts are longer than ${MAX_TEXTS} characters` : undefined;
}

export function evidenceOf({ fields, files }: Pick<EvidenceRequest, 'fields' | 'files'>): Evidence {
  const placed = files.map(({ name, fileId }) => [placeOf(name), fileId] as const);
  return { ...textsOf(fields), ...Object.fromEntries(placed) };
}

/** By the file's own name: `receipt.pdf`, `customerSignature.png`. */
function placeOf(name: string): string {
  const dot = name.lastIndexOf('.');
  const known = snakeCase(dot > 0 ? name.slice(0, dot) : name);
  return (FILES as readonly string[]).includes(known) ? known : UNNAMED_FILE;
}

/** What has no place of its own stands together, each behind its name. */
function textsOf(fields: EvidenceRequest['fields']): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  const others: string[] = [];
  for (const [name, text] of Object.entries(fields)) {
    if (text === '') continue;
    const plain = snakeCase(name);
    const known = ALSO[plain] ?? plain;
    if (known === UNNAMED_TEXT) others.push(text);
    else if ((TEXTS as readonly string[]).includes(known) && texts[known] === undefined) {
      texts[known] = text;
    } else others.push(`${name}: ${text}`);
  }
  if (others.length > 0) texts[UNNAMED_TEXT] = others.join('\n');
  return texts;
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[ -]/g, '_')
    .toLowerCase();
}
