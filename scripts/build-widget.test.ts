/** What the host serves of the widget is what its sources make, and it is small. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { builtFiles, SERVED } from './build-widget.ts';

const MAX_GZIPPED_BYTES = 15_000;

const served = new Map(
  readdirSync(SERVED).map((name) => [name, readFileSync(join(SERVED, name), 'utf8')]),
);

it('is current: run pnpm build:widget after a change', async () => {
  expect(Object.fromEntries(served)).toEqual(Object.fromEntries(await builtFiles()));
});

it('is less than 15 kB gzipped, all files together', () => {
  const sizes = [...served.values()].map((text) => gzipSync(text, { level: 9 }).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(1_000);
  expect(total).toBeLessThan(MAX_GZIPPED_BYTES);
});
