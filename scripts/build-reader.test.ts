/** The reader that the host serves is that of the version which the script names. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { DIGEST, READER } from './build-reader.ts';

it('is current: run pnpm build:reader after a change of its version', () => {
  const script = brotliDecompressSync(readFileSync(READER));
  expect(hash('sha256', script, 'hex')).toBe(DIGEST);
});
