/** Keyed fingerprints of card numbers. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { cardFingerprints } from './card-fingerprint.ts';

const KEY = Buffer.alloc(32, 7);
const NUMBER = '4242424242424242';

it('is the HMAC-SHA256 of the digits, cut to 32 hex digits', () => {
  const whole = createHmac('sha256', KEY).update(NUMBER).digest('hex');
  expect(cardFingerprints(KEY)(NUMBER)).toBe(whole.slice(0, 32));
});

it('differs with the key and with the number', () => {
  const one = cardFingerprints(KEY);
  const other = cardFingerprints(Buffer.alloc(32, 8));
  expect(new Set([one(NUMBER), one('5555555555554444'), other(NUMBER)]).size).toBe(3);
});

it('copies the key', () => {
  const key = Buffer.from(KEY);
  const fingerprintOf = cardFingerprints(key);
  const before = fingerprintOf(NUMBER);
  key.fill(0);
  expect(fingerprintOf(NUMBER)).toBe(before);
});

it('refuses a short key', () => {
  expect(() => cardFingerprints(Buffer.alloc(15))).toThrow('16 bytes or more');
});
