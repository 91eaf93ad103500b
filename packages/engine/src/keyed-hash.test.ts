/** A keyed hash is HMAC-SHA256: what was kept under it before is found again. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyedHash } from './keyed-hash.ts';

const secrets = fc.uint8Array({ minLength: 1, maxLength: 100 });
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'binary', minLength: 1_000, maxLength: 1_100 }),
);

it('gives the HMAC of every text, whatever came before', () => {
  fc.assert(
    fc.property(secrets, fc.array(texts, { maxLength: 5 }), (secret, several) => {
      const keyed = keyedHash(secret);
      for (const text of several) {
        expect(keyed(text)).toBe(createHmac('sha256', secret).update(text).digest('hex'));
      }
    }),
  );
});
