/** `pnpm mutate`: changes the core in thousands of small ways, and says which the tests do not notice. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { equivalentMutants } from './equivalent-mutants.ts';
import { judge, type MutationReport, type NamedMutant } from './survivors.ts';

/** Of the mutants that stand in a report, so many in a hundred are to be noticed. */
const SCORE_TO_REACH = 85;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STRYKER = 'node_modules/@stryker-mutator/core/bin/stryker.js';
const CONFIG = 'test/mutation/stryker.config.json';
const REPORT = new URL('results/report.json', import.meta.url);

/** Arguments go to Stryker, such as `--mutate packages/core/src/ledger/journal.ts`. */
const stryker = spawnSync(
  process.execPath,
  [join(ROOT, STRYKER), 'run', CONFIG, ...process.argv.slice(2)],
  { cwd: ROOT, stdio: 'inherit' },
);
if (stryker.status !== 0) process.exit(stryker.status ?? 1);

const report = JSON.parse(readFileSync(REPORT, 'utf8')) as MutationReport;
const { unexplained, outdated, score, mutants } = judge(report, equivalentMutants);
show('Not noticed by any test, and not listed as equivalent', unexplained);
show('Listed as equivalent, and noticed or gone', outdated);
console.log(
  `${mutants} mutants, ${score.toFixed(1)} % of them noticed (${SCORE_TO_REACH} % to reach), ` +
    `${unexplained.length} to explain`,
);
const good = score >= SCORE_TO_REACH && unexplained.length === 0 && outdated.length === 0;
process.exit(good ? 0 : 1);

function show(title: string, found: readonly NamedMutant[]): void {
  if (found.length === 0) return;
  console.log(`\n${title}:`);
  for (const { file, line, from, to } of found) {
    console.log(`\n  ${file}: ${line}\n    - ${from}\n    + ${to}`);
  }
  console.log();
}
