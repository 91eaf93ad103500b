/**
 * A host with a demo tenant, a month of real sales and an API key: `npx -y pnpm@12 start`. A
 * restart keeps data and key. `DEMO_SALES` names another file of sales.
 */
import { createClient } from '@counterfoil/client';
import { type Host, runHost } from '@counterfoil/http-host';
import {
  DEMO_EMAIL,
  DEMO_TENANT_ID,
  type DemoCredentials,
  demoKeys,
  writeDemoCredentials,
} from './demo-tenant.ts';
import { importBeside, isFirstStart } from './import-beside.ts';
import { importOnce, oneAtATime, readModelsCaughtUp } from './import-once.ts';

/** An invoice with a short cart. */
const SHOWN_ORDER_ID = 536368;
const SHOWN_DAY = '2010-12-01';

const operators = `${DEMO_TENANT_ID}:${DEMO_EMAIL}`;
// DEMO is refused in production.
const env = { CONSOLE_OPERATORS: operators, ...process.env, DEMO: 'true' };
const isStopped = isFirstStart(env) && (await importBeside(env));
if (!isStopped) await runHost(env, { begin: runDemo });

async function runDemo(host: Host): Promise<void> {
  const keys = await oneAtATime(host, async () => {
    await importOnce(host);
    return demoKeys(host);
  });
  await readModelsCaughtUp(host);
  const baseUrl = await host.listen();
  // Before the host becomes ready: its users then find the credentials too.
  const credentials = writeDemoCredentials(host, { baseUrl, ...keys });
  console.log(welcome(credentials, await shownTransaction(credentials)));
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
