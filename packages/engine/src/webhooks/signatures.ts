/** Signatures of webhooks as Standard Webhooks has them: HMAC-SHA256 of id, time and body. */
import {
  createHmac,
  createSecretKey,
  type Hmac,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Between the time of a message and ours. */
const TOLERANCE_MS = 5 * 60_000;
const VERSION = 'v1,';
/** Signatures that a message may carry: one for each secret of its sender. */
const MAX_SIGNATURES = 10;

/** The headers of a message, and its body as it was sent. */
export interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
  /** `v1,<base64>`, several with spaces between them. */
  readonly signature: string;
  readonly body: Uint8Array;
}

export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Whether a message is not older than five minutes, and signed with one of the secrets. */
export function isSigned(message: SignedMessage, secrets: readonly string[], now: string): boolean {
  if (!isRecent(message.timestamp, now)) return false;
  // Every pair is compared, so that the time tells nothing of which was close.
  return secrets.map((secret) => isSignedWith(secret, message)).includes(true);
}

function isRecent(timestamp: string, now: string): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Date.parse(now) - Number(timestamp) * 1_000) <= TOLERANCE_MS;
}

/** The key of a secret `whsec_…`. */
export function keyOf(secret: string): KeyObject {
  return createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64');
}

/** The signatures of a message: one for each key. */
export function signatureOf(
  message: Omit<SignedMessage, 'signature'>,
  keys: readonly KeyObject[],
): string {
  return keys.map((key) => VERSION + macOf(key, message).digest('base64')).join(' ');
}

function macOf(
  key: KeyObject,
  { id, timestamp, body }: Pick<SignedMessage, 'id' | 'timestamp' | 'body'>,
): Hmac {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
}

function isSignedWith(secret: string, { signature, ...message }: SignedMessage): boolean {
  const expected = macOf(keyOf(secret), message).digest();
  return signature
    .split(' ', MAX_SIGNATURES)
    .filter((each) => each.startsWith(VERSION))
    .map((each) => Buffer.from(each.slice(VERSION.length), 'base64'))
    .map((given) => given.length === expected.length && timingSafeEqual(given, expected))
    .includes(true);
}
