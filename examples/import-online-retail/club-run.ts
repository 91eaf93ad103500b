/** The club mode: the year with a progress bar, then the table. */

import {
  DEMO_TENANT_ID,
  openSales,
  planImport,
  readSales,
  type SaleRecord,
  withProgressBar,
} from '@counterfoil/demo';
import { ALL_SCOPES } from '@counterfoil/engine';
import type { Host } from '@counterfoil/http-host';
import { membersOf, WEEKS } from './club.ts';
import { openClubApi } from './club-api.ts';
import { showClubYear } from './club-table.ts';
import { runClubYear } from './club-year.ts';

const CALLER = { actor: 'club@online-retail.example' };

/** Resolves with whether the money of the year equals the ledger. */
export async function runClub(host: Host, file: string | URL): Promise<boolean> {
  const records: SaleRecord[] = [];
  for await (const record of readSales(openSales(file))) records.push(record);
  const members = membersOf(planImport(records));
  const { key: apiKey, keyId } = await host.tenants.issueKey(
    DEMO_TENANT_ID,
    { kind: 'api', environment: 'test', label: 'club', scopes: ALL_SCOPES },
    CALLER,
  );
  await host.readSide.caughtUp(DEMO_TENANT_ID);
  const api = openClubApi({ baseUrl: await host.listen(), tenantId: DEMO_TENANT_ID, apiKey });
  console.log(`\n${members.length} customers with two or more orders join the club.`);
  await withProgressBar('Billing a year of weeks', (onProgress) =>
    runClubYear(api, members, (week) => onProgress(week, WEEKS)),
  );
  const agree = await showClubYear(api);
  await host.tenants.revokeKey(DEMO_TENANT_ID, keyId, CALLER);
  console.log(
    agree ? 'The money of the year is that of the ledger.' : 'The ledger says something else.',
  );
  return agree;
}
