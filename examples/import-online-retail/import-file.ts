/** The import: accounts for every line of the file, and compares the ledger with it. */
import { nearestNumber, toMajor } from '@counterfoil/core';
import {
  DEMO_TENANT_ID,
  type ImportReport,
  importDemoSales,
  type PlannedSales,
  renderReport,
  withProgressBar,
} from '@counterfoil/demo';
import type { Host } from '@counterfoil/http-host';

/** Resolves with whether the ledger agrees with the file. */
export async function importFile(host: Host, planned: PlannedSales): Promise<boolean> {
  await host.readSide.caughtUp(DEMO_TENANT_ID);
  const { report, news } = await withProgressBar('Importing', (onProgress) =>
    importDemoSales(host, onProgress, planned),
  );
  console.log(`\n${renderReport(report)}`);
  console.log(news ? 'The sales are in the ledger.' : 'The ledger had them all: nothing changed.');

  await host.readSide.caughtUp(DEMO_TENANT_ID);
  return compareWithBooks(host, report);
}

async function compareWithBooks(host: Host, { orders, refunds }: ImportReport): Promise<boolean> {
  const { balanced, currencies } = await host.books.trialBalance({ tenantId: DEMO_TENANT_ID });
  const accounts = currencies.find(({ currency }) => currency === 'GBP')?.accounts ?? [];
  const balanceOf = (name: string) =>
    nearestNumber(accounts.find(({ account }) => account === name)?.balance ?? 0);
  // Compared as shown: beyond 2^53 pence a number is inexact on either side.
  const agree =
    balanced &&
    -balanceOf('sales') === toMajor(orders.amountMinor, 'GBP') &&
    balanceOf('refunds') === toMajor(refunds.amountMinor, 'GBP');
  console.table(accounts);
  console.log(
    agree
      ? 'The trial balance is zero; sales and refunds equal the file.'
      : 'The books do not agree with the file.',
  );
  return agree;
}
