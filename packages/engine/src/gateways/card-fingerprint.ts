/** One mark for one card number, by which it is known again without being kept. */
import { createHmac, createSecretKey } from 'node:crypto';

const MIN_KEY_BYTES = 16;
const LENGTH = 32;

/** Answers the fingerprint of a card's bare digits: 32 hex digits, the same under the same key. */
export type FingerprintOf = (digits: string) => string;

/**
 * Keyed, because the numbers of a bank are few enough to try them all against a plain digest.
 * Throws when the key is shorter than 16 bytes.
 */
export function cardFingerprints(key: Uint8Array): FingerprintOf {
  if (key.length < MIN_KEY_BYTES) {
    throw new RangeError(`the key of card fingerprints must have ${MIN_KEY_BYTES} bytes or more`);
  }
  // As a key object: handing over bytes costs five times the digest itself, each time.
  const kept = createSecretKey(key);
  return (digits) => createHmac('sha256', kept).update(digits).digest('hex').slice(0, LENGTH);
}
