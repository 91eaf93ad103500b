/**
 * A host with a demo tenant, a month of real sales and an API key: `npx -y pnpm@12 start`. A
 * restart keeps data and key. `DEMO_SALES` names another file of sales.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@counterfoil/client';
import { holderFor, Lease, Refused, SHARED_LEASE_TTL_MS } from '@counterfoil/engine';
import { hostDatabaseUrlOf } from '@counterfoil/engine/storage';
import { type Host, runHost } from '@counterfoil/http-host';
import {
  authorizeDemoDomain,
  DEMO_EMAIL,
  DEMO_TENANT_ID,
  type DemoCredentials,
  type DemoImport,
  demoKeys,
  hasDemoDomain,
  importDemoSales,
  onboardDemoTenant,
  planSales,
  writeDemoCredentials,
} from './demo-tenant.ts';
import { renderReport } from './online-retail/report.ts';
import { withProgressBar } from './progress-bar.ts';

/** An invoice with a short cart. */
const SHOWN_ORDER_ID = 536368;
const SHOWN_DAY = '2010-12-01';
/** Each of a few seconds; read models that take longer are not being built. */
const MAX_WAITS = 60;
/** How often a host checks whether another one has finished the import. */
const LOOK_PAUSE_MS = 200;

const operators = `${DEMO_TENANT_ID}:${DEMO_EMAIL}`;
// DEMO is refused in production.
await runHost({ CONSOLE_OPERATORS: operators, ...process.env, DEMO: 'true' }, { begin: runDemo });

async function runDemo(host: Host): Promise<void> {
  const { imported, keys } = await oneAtATime(host, async () => ({
    imported: await importOnce(host),
    keys: await demoKeys(host),
  }));
  if (imported?.news) console.log(`\n${renderReport(imported.report)}`);
  await readModelsCaughtUp(host);
  const baseUrl = await host.listen();
  // Before the host becomes ready: its users then find the credentials too.
  const credentials = writeDemoCredentials(host, { baseUrl, ...keys });
  console.log(welcome(credentials, await shownTransaction(credentials)));
}

/** Undefined where an earlier start has done all of it. */
async function importOnce(host: Host): Promise<DemoImport | undefined> {
  await onboardDemoTenant(host);
  await readModelsCaughtUp(host);
  if (await hasDemoDomain(host)) return undefined;
  const imported = await withProgressBar('Importing a month of real sales', async (onProgress) =>
    importDemoSales(host, onProgress, await planSales(process.env['DEMO_SALES'])),
  );
  // Last: where it is, the import is complete.
  await authorizeDemoDomain(host);
  return imported;
}

/**
 * Of hosts that start on one database together, the first imports; the others find the import
 * complete. After a crash the next one continues it.
 */
async function oneAtATime<Result>(host: Host, work: () => Promise<Result>): Promise<Result> {
  const { config, leases } = host;
  if (hostDatabaseUrlOf(config) === undefined) return work();
  const wanted = { name: 'demo', holder: holderFor(config), ttlMs: SHARED_LEASE_TTL_MS };
  for (let looks = 1; ; looks += 1) {
    const lease = await Lease.take(leases, wanted);
    if (lease !== undefined) return work().finally(() => lease.release());
    if (looks === 1) console.log('Waiting for another host that imports the sales…');
    await sleep(LOOK_PAUSE_MS);
  }
}

/** Rebuilding lost read models may take longer than a request would wait. */
async function readModelsCaughtUp(host: Host): Promise<void> {
  for (let waited = 1; ; waited += 1) {
    try {
      return await host.readSide.caughtUp(DEMO_TENANT_ID);
    } catch (error) {
      const isBehind = error instanceof Refused && error.code === 'ReadModelsBehind';
      if (!isBehind || waited === MAX_WAITS) throw error;
      if (waited === 1) console.log('Waiting for the read models to catch up with the log…');
    }
  }
}

/** Finds a real record through the API. */
async function shownTransaction(credentials: DemoCredentials): Promise<string> {
  const { baseUrl, clientId, apiKey, userEmail } = credentials;
  const client = createClient({ baseUrl, clientId, apiKey, userEmail });
  const { data } = await client.POST('/api/transactions/search', {
    body: { orderIds: [SHOWN_ORDER_ID] },
  });
  return data?.transactions.at(-1)?.transactionId ?? '';
}

function welcome(credentials: DemoCredentials, id: string): string {
  const { baseUrl, clientId, apiKey, userEmail } = credentials;
  const { consoleUrl, consoleEmail, consolePassword } = credentials;
  const headers = [
    `-H 'Authorization: ${apiKey}'`,
    `-H 'ClientId: ${clientId}'`,
    `-H 'UserEmail: ${userEmail}'`,
    "-H 'Content-Type: application/json'",
  ].join(' \\\n    ');
  const curl = (path: string, body: object) =>
    `  curl -sS ${baseUrl}${path} \\\n    ${headers} \\\n    -d '${JSON.stringify(body)}'\n`;
  const claims = { parentCompanyId: Number(clientId), userEmail };
  return [
    `Counterfoil listens on ${baseUrl} (reference: ${baseUrl}/docs)`,
    'The credentials below are in demo-credentials.json of the data folder as well.',
    '',
    `The console: ${consoleUrl}`,
    `  company ${clientId}, ${consoleEmail}, password ${consolePassword}`,
    '',
    'One transaction in detail:',
    curl('/customerapi/detail', { ...claims, id, getSearchData: true, getAddressData: true }),
    'A search:',
    curl('/api/transactions/search', { dateFrom: SHOWN_DAY, dateTo: SHOWN_DAY, limit: 3 }),
    'A refund of the whole:',
    curl('/customerapi/refund', { ...claims, messageId: id, amount: 0 }),
  ].join('\n');
}
