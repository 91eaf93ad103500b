/** The month over three merchant accounts: what was planted in its settlement is found, and nothing else. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';
import { EXAMPLES } from './example-process.ts';

const MAIN = join(EXAMPLES, 'month/main.ts');

it('fills two caps, finds exactly the ten differences, and adds up to the books', () => {
  const ran = spawnSync(process.execPath, [MAIN, '7'], { encoding: 'utf8', env: CHILD_ENV });
  expect(ran, ran.stderr).toMatchObject({ status: 0 });
  const { stdout } = ran;
  const gross = [...stdout.matchAll(/gross\s+│ (\d+(?:\.\d+)?)/g)].map(([, text]) => Number(text));
  expect(gross).toHaveLength(3);
  const [first = 0, second = 0] = gross;
  expect(first > 249_000 && first <= 250_000, `${first}`).toBe(true);
  expect(second > 199_000 && second <= 200_000, `${second}`).toBe(true);
  expect(
    stdout.match(/│ '(amount|currency|fee|missing-here|missing-there|settled)'/g),
  ).toHaveLength(10);
  expect(stdout).toContain('Exactly the planted differences.');
  expect(stdout).toContain('The statements add up to the books.');
}, 120_000);
