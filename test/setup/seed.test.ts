import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { seedOf } from './seed.ts';

it('is the same for the same sources, another for others, and fits fast-check', () => {
  const root = mkdtempSync(join(tmpdir(), 'counterfoil-seed-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'test/node_modules'), { recursive: true });
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  write('test/a.test.ts', 'one');
  const seed = seedOf(root);
  expect(Number(seed)).toBeLessThan(2 ** 31);
  write('test/node_modules/b.ts', 'not a source');
  expect(seedOf(root)).toBe(seed);
  write('test/a.test.ts', 'two');
  expect(seedOf(root)).not.toBe(seed);
});
