/**
 * Brings a month of real sales into a ledger and proves that its books agree with the file:
 * `npx -y pnpm@12 example:import [file.csv | file.csv.gz]`. Run it again and it changes nothing.
 */
import { compose, readConfig } from '@counterfoil/http-host';
import {
  DEMO_TENANT_ID,
  type ImportReport,
  importDemoSales,
  onboardDemoTenant,
  renderReport,
  SALES_EXTRACT,
} from '@counterfoil/http-host/demo';
import { SingleBar } from 'cli-progress';

const config = readConfig({
  DATA_DIR: './data/online-retail',
  LOG_LEVEL: 'error',
  ...process.env,
});
const host = await compose(config);
try {
  await onboardDemoTenant(host);
  await host.readSide.caughtUp(DEMO_TENANT_ID);

  const bar = new SingleBar({ format: 'Importing [{bar}] {percentage}%', noTTYOutput: true });
  bar.start(1, 0);
  const { report, news } = await importDemoSales(
    host,
    (done, total) => {
      bar.setTotal(total);
      bar.update(done);
    },
    process.argv[2] ?? SALES_EXTRACT,
  );
  bar.stop();
  console.log(`\n${renderReport(report)}`);
  console.log(news ? 'The sales are in the ledger.' : 'The ledger had them all: nothing changed.');

  await host.readSide.caughtUp(DEMO_TENANT_ID);
  await compareWithBooks(report);
} finally {
  await host.close();
}

async function compareWithBooks({ orders, refunds }: ImportReport): Promise<void> {
  const { balanced, currencies } = await host.books.trialBalance({ tenantId: DEMO_TENANT_ID });
  const accounts = currencies.find(({ currency }) => currency === 'GBP')?.accounts ?? [];
  const balanceOf = (name: string) =>
    Math.round((accounts.find(({ account }) => account === name)?.balance ?? 0) * 100);
  const agree =
    balanced &&
    BigInt(-balanceOf('sales')) === orders.amountMinor &&
    BigInt(balanceOf('refunds')) === refunds.amountMinor;
  console.table(accounts);
  console.log(
    agree
      ? 'The trial balance is zero; sales and refunds equal the file.'
      : 'The books do not agree with the file.',
  );
  if (!agree) process.exitCode = 1;
}
