/**
 * Imports a month of real sales and verifies that the ledger agrees with the file: `npx -y pnpm@12
 * example:import [file.csv | file.csv.gz]`. With `--club` (`example:club`) the customers with two
 * or more orders then join a monthly club, and a simulated year is billed. A second run changes
 * nothing.
 */
import { parseArgs } from 'node:util';
import {
  NotASalesFile,
  OrdersDiffer,
  onboardDemoTenant,
  planSales,
  SALES_EXTRACT,
} from '@counterfoil/demo';
import { compose, readConfig } from '@counterfoil/http-host';
import { runClub } from './club-run.ts';
import { importFile } from './import-file.ts';

const { values, positionals } = parseArgs({
  options: { club: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const file = positionals[0] ?? SALES_EXTRACT;
const config = readConfig({
  DATA_DIR: values.club ? './data/online-retail-club' : './data/online-retail',
  LOG_LEVEL: 'error',
  ...process.env,
  ...(values.club && { TEST_CLOCK: '1', PORT: '0' }),
});
try {
  // Before the host starts: an invalid file leaves nothing behind.
  const planned = await planSales(file);
  const host = await compose(config);
  try {
    await onboardDemoTenant(host);
    const agree =
      (await importFile(host, planned)) && (!values.club || (await runClub(host, file)));
    if (!agree) process.exitCode = 1;
  } finally {
    await host.close();
  }
} catch (error) {
  if (!(error instanceof NotASalesFile || error instanceof OrdersDiffer)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
