/**
 * A month of real sales over three merchant accounts, settled and stated: `npx -y pnpm@12
 * example:month [seed]`. In memory; exits with 1 where anything does not add up.
 */
import { isDeepStrictEqual } from 'node:util';
import { toMajor } from '@counterfoil/core';
import { planSales } from '@counterfoil/demo';
import { compose, readConfig } from '@counterfoil/http-host';
import { SingleBar } from 'cli-progress';
import { ACCOUNTS } from './accounts.ts';
import { END, MONTH, runMonth } from './month.ts';
import type { Planted } from './settlement-files.ts';

const seed = Number(process.argv[2] ?? 2010);
const planned = await planSales();
const stores = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:', LOG_LEVEL: 'error' };
const host = await compose(readConfig(stores), { clock: { now: () => END } });
const bar = new SingleBar({ format: '{what} [{bar}] {percentage}%', clearOnComplete: true });
bar.start(1, 0, { what: 'Importing' });
try {
  const report = await runMonth(host, {
    planned,
    seed,
    onProgress(what, done, total) {
      bar.setTotal(total);
      bar.update(done, { what });
    },
  });
  bar.stop();
  const sorted = (list: readonly Planted[]) => list.map((each) => JSON.stringify(each)).sort();
  const isExact = isDeepStrictEqual(sorted(report.planted), sorted(report.found));
  console.log(`${MONTH}, disputes drawn with seed ${seed}: ${toMajor(sales(), 'GBP')} pounds sold`);
  for (const [index, { title }] of ACCOUNTS.entries()) {
    const [pounds] = report.statements[index]?.currencies ?? [];
    console.log(`\n${title}: ${report.captures[index]} captures`);
    console.table(pounds && { ...pounds, fees: undefined });
  }
  console.log(`${report.booked} lines booked`);
  console.table(report.found);
  console.log(isExact ? 'Exactly the planted differences.' : 'Not the planted differences!');
  const { faults } = report;
  console.log(faults.length === 0 ? 'The statements add up to the books.' : faults.join(', '));
  if (!isExact || faults.length > 0) process.exitCode = 1;
} finally {
  bar.stop();
  await host.close();
}

function sales(): bigint {
  return planned.report.orders.amountMinor;
}
