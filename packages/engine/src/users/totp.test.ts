/** One-time passwords: the vectors of RFC 6238, the tolerated steps, and each code once. */
import { expect, it } from 'vitest';
import { base32Of, codeOf, stepAt, stepOf } from './totp.ts';

const SECRETS = {
  sha1: '12345678901234567890',
  sha256: '12345678901234567890123456789012',
  sha512: '1234567890123456789012345678901234567890123456789012345678901234',
};

// Appendix B.
it.each([
  [59, 'sha1', '94287082'],
  [59, 'sha256', '46119246'],
  [59, 'sha512', '90693936'],
  [1_111_111_109, 'sha1', '07081804'],
  [1_111_111_109, 'sha256', '68084774'],
  [1_111_111_111, 'sha1', '14050471'],
  [1_234_567_890, 'sha1', '89005924'],
  [1_234_567_890, 'sha512', '93441116'],
  [2_000_000_000, 'sha1', '69279037'],
  [20_000_000_000, 'sha1', '65353130'],
  [20_000_000_000, 'sha256', '77737706'],
] as const)('at %i s with %s is %s', (seconds, algorithm, code) => {
  const secret = Buffer.from(SECRETS[algorithm]);
  expect(codeOf(secret, stepAt(seconds * 1_000), 8, algorithm)).toBe(code);
});

it.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of %j is %s', (text, encoded) => {
  expect(base32Of(Buffer.from(text))).toBe(encoded);
});

it('takes the step before and the one after, and each once', () => {
  const secret = Buffer.from(SECRETS.sha1);
  const nowMs = 1_700_000_000_000;
  const now = stepAt(nowMs);
  const found = [-2, -1, 0, 1, 2].map((away) =>
    stepOf(codeOf(secret, now + away), { secret, nowMs, usedStep: 0 }),
  );
  expect(found).toEqual([undefined, now - 1, now, now + 1, undefined]);
  const again = { secret, nowMs, usedStep: now };
  expect(stepOf(codeOf(secret, now), again)).toBeUndefined();
  expect(stepOf('', again)).toBeUndefined();
});
