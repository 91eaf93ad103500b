/** Fingerprints recognise a card number without storing it. */
import { keyedHash } from '../keyed-hash.ts';

const MIN_KEY_BYTES = 16;
const LENGTH = 32;

/** The fingerprint of a card's bare digits: 32 hex digits of an HMAC. */
export type FingerprintOf = (digits: string) => string;

/**
 * Keyed, because card numbers are few enough to brute-force a plain digest.
 * Throws when the key is shorter than 16 bytes.
 */
export function cardFingerprints(key: Uint8Array): FingerprintOf {
  if (key.length < MIN_KEY_BYTES) {
    throw new RangeError(`the key of card fingerprints must have ${MIN_KEY_BYTES} bytes or more`);
  }
  const hash = keyedHash(key);
  return (digits) => hash(digits).slice(0, LENGTH);
}
