import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LONGEST, placeOf } from './longest-first.ts';

const ROOT = join(import.meta.dirname, '../..');

it('names files that are there, each at its place, and others after them', () => {
  expect(LONGEST.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(LONGEST.map((path) => placeOf(join(ROOT, path)))).toEqual([...LONGEST.keys()]);
  expect(placeOf(import.meta.filename)).toBe(LONGEST.length);
});
