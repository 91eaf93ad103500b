/**
 * The host with a gateway and an endpoint of one's own: `npx -y pnpm@12 example:host`. Pounds go to
 * that gateway, dollars to the sandbox. It keeps nothing, unless EVENT_STORE_URL says otherwise.
 */
import type { TenantId } from '@counterfoil/core';
import { ALL_SCOPES } from '@counterfoil/engine';
import { sandbox } from '@counterfoil/engine/gateways';
import { type Host, runHost } from '@counterfoil/http-host';
import { MemoryGateway } from './memory-gateway.ts';
import { TAKINGS_SCOPE, takingsEndpoint } from './takings.ts';

const TENANT_ID = 1 as TenantId;
const COMPANY_ID = 1;
const SANDBOX = { id: 1, currency: 'USD' };
const OWN = { id: 2, currency: 'GBP' };
const CALLER = { actor: 'owner@shop.example' };

const env = { EVENT_STORE_URL: 'memory:', DATA_DIR: './data/own-host', ...process.env };
await runHost(env, {
  gateways: [sandbox(), new MemoryGateway(OWN.id)],
  endpoints: (engine) => [takingsEndpoint(engine)],
  begin,
});

async function begin(host: Host): Promise<void> {
  await onboard(host);
  const { key } = await host.tenants.issueKey(
    TENANT_ID,
    { kind: 'api', environment: 'live', label: '', scopes: [...ALL_SCOPES, TAKINGS_SCOPE] },
    CALLER,
  );
  const url = await host.listen();
  console.log(`Counterfoil listens on ${url}`);
  const headers = `-H 'Authorization: ${key}' -H 'ClientId: ${TENANT_ID}'`;
  console.log(`  curl -sS ${url}/shop/takings ${headers}`);
}

async function onboard({ tenants, engine }: Host): Promise<void> {
  const tenantId = TENANT_ID;
  const at = engine.clock.now();
  await tenants.onboard(tenantId, { name: 'Shop' }, CALLER);
  await tenants.define(
    { type: 'DefineCompany', tenantId, companyId: COMPANY_ID, name: 'Shop Ltd', at },
    CALLER,
  );
  const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
  for (const { id, currency } of [SANDBOX, OWN]) {
    await tenants.openMerchantAccount(
      tenantId,
      id,
      {
        mid: `70000000000${id}`,
        title: `Shop ${currency}`,
        companyId: COMPANY_ID,
        gatewayId: id,
        descriptor: 'SHOP',
        defaultCurrency: currency,
        currencies: [{ currency, gatewayCredentials }],
        mcc: '5947',
      },
      CALLER,
    );
  }
}
