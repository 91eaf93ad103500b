/** The ledger inside another program, run twice on one folder. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';
import { EXAMPLES } from './example-process.ts';

const MAIN = join(EXAMPLES, 'embed/main.ts');

it('takes the payment, gives a part back, and changes nothing when it is run again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-embed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { ...CHILD_ENV, DATA_DIR: folder };
  for (const run of ['first', 'second']) {
    const { stdout, stderr } = spawnSync(process.execPath, [MAIN], { encoding: 'utf8', env });
    expect(stdout, `${run}: ${stderr}`).toMatch(
      /^Captured: 2 transactions, balanced: true\nGBP\/[-\d]{10}: 1 sale, 14.99 taken$/m,
    );
  }
}, 60_000);
