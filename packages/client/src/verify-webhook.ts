/** Verifies messages of the ledger, which are signed as Standard Webhooks has it. */
import type { WebhookEvent } from './webhook-events.ts';

export interface WebhookMessage {
  /** As it came, before it is parsed. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** `Headers`, or an object with names in lower case, as Node has them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_…`; several while the receiver changes its secret. */
  readonly secret: string | readonly string[];
  /** Between the time of the message and now. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch. Default: the clock. */
  readonly now?: number;
}

export type WebhookFailure =
  | 'headers_missing'
  | 'timestamp_invalid'
  | 'timestamp_out_of_tolerance'
  | 'signature_invalid'
  | 'body_invalid';

/** The message is not one of the ledger, or too old. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly code: WebhookFailure;

  constructor(code: WebhookFailure, message: string) {
    super(message);
    this.code = code;
  }
}

const SECRET_PREFIX = 'whsec_';
const VERSION = 'v1,';
const TOLERANCE_SECONDS = 300;
/** Of which one has to be right: a message carries one for each secret of its sender. */
const MAX_SIGNATURES = 10;

/**
 * The event of a message. Throws WebhookRefused, and TypeError for a secret that is none. An event has
 * one `id` in every delivery of it: a receiver that keeps the ids handles each event once.
 */
export async function verifyWebhook(message: WebhookMessage): Promise<WebhookEvent> {
  const { body, secret, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = message;
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const keys = await Promise.all(secrets.map(keyOf));
  const id = headerOf(message, 'webhook-id');
  const timestamp = headerOf(message, 'webhook-timestamp');
  const signatures = headerOf(message, 'webhook-signature').split(' ').slice(0, MAX_SIGNATURES);
  expectRecent(timestamp, { now, toleranceSeconds });
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const results = await Promise.all(
    keys.flatMap((key) => signatures.map((each) => isSignedWith(key, each, signed))),
  );
  if (!results.includes(true)) {
    throw new WebhookRefused('signature_invalid', 'No signature is that of a secret');
  }
  return eventOf(bytes);
}

function headerOf({ headers }: WebhookMessage, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookRefused('headers_missing', `The header ${name} is missing`);
}

function expectRecent(
  timestamp: string,
  { now, toleranceSeconds }: { readonly now: number; readonly toleranceSeconds: number },
): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookRefused('timestamp_invalid', 'webhook-timestamp has to be seconds');
  }
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) {
    const problem = `webhook-timestamp is more than ${toleranceSeconds} s from now`;
    throw new WebhookRefused('timestamp_out_of_tolerance', problem);
  }
}

/** `CryptoKey`, which is not a type everywhere. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

async function keyOf(secret: string): Promise<Key> {
  const bytes = secret.startsWith(SECRET_PREFIX)
    ? bytesOf(secret.slice(SECRET_PREFIX.length))
    : undefined;
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError(`a secret is ${SECRET_PREFIX} and base64`);
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

/** Web Crypto compares in constant time. */
async function isSignedWith(
  key: Key,
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const bytes = signature.startsWith(VERSION)
    ? bytesOf(signature.slice(VERSION.length))
    : undefined;
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed);
}

/** Of base64; undefined where it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(
  first: Uint8Array<ArrayBuffer>,
  second: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function eventOf(bytes: Uint8Array<ArrayBuffer>): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    event = undefined;
  }
  if (typeof event === 'object' && event !== null && 'type' in event && 'data' in event) {
    return event as WebhookEvent;
  }
  throw new WebhookRefused('body_invalid', 'The body is not an event in JSON');
}
