/** docs/deploy/Dockerfile keeps the rules of hadolint, each of which is seen to refuse. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { broken, RULES } from './dockerfile-rules.ts';
import { ROOT } from './markdown.ts';

it.each(RULES)('$id refuses what breaks it, and nothing else does', ({ id, refused }) => {
  expect(broken(refused)).toEqual([id]);
});

it('the image of the host keeps them all', () => {
  expect(broken(readFileSync(join(ROOT, 'docs/deploy/Dockerfile'), 'utf8'))).toEqual([]);
});
