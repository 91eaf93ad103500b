/**
 * The host with a custom gateway, projection and endpoint: `npx -y pnpm@12 example:host`. Pounds go
 * to that gateway, dollars to the sandbox. Everything is in memory, unless EVENT_STORE_URL is set.
 */
import type { TenantId } from '@counterfoil/core';
import { ALL_SCOPES } from '@counterfoil/engine';
import { sandbox } from '@counterfoil/engine/gateways';
import { type Host, runHost } from '@counterfoil/http-host';
import { salesPerDay } from '../embed/sales-per-day.ts';
import { onboard } from '../onboard.ts';
import { MemoryGateway } from './memory-gateway.ts';
import { SALES_SCOPE, salesEndpoint } from './sales.ts';

const TENANT_ID = 1 as TenantId;
const SANDBOX = { gatewayId: 1, currency: 'USD' };
const OWN = { gatewayId: 2, currency: 'GBP' };
const CALLER = { actor: 'owner@shop.example' };

const env = { EVENT_STORE_URL: 'memory:', DATA_DIR: './data/own-host', ...process.env };
await runHost(env, {
  gateways: [sandbox(), new MemoryGateway(OWN.gatewayId)],
  projections: [salesPerDay],
  endpoints: (engine) => [salesEndpoint(engine)],
  begin,
});

async function begin(host: Host): Promise<void> {
  await onboard(host, TENANT_ID, [SANDBOX, OWN]);
  const { key } = await host.tenants.issueKey(
    TENANT_ID,
    { kind: 'api', environment: 'live', label: '', scopes: [...ALL_SCOPES, SALES_SCOPE] },
    CALLER,
  );
  const url = await host.listen();
  console.log(`Counterfoil listens on ${url}`);
  const headers = `-H 'Authorization: ${key}' -H 'ClientId: ${TENANT_ID}'`;
  console.log(`  curl -sS ${url}/shop/sales?currency=${OWN.currency} ${headers}`);
}
