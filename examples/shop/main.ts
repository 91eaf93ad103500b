/**
 * A shop that sells a teapot, and a host beside it: `npx -y pnpm@12 example:shop`. Everything is in memory,
 * and no money moves: pay with 4242 4242 4242 4242, or with one of the other cards of the sandbox.
 */
import type { TenantId } from '@counterfoil/core';
import { type Host, runHost } from '@counterfoil/http-host';
import { openShop } from './shop.ts';

const TENANT_ID = 1 as TenantId;
const CALLER = { actor: 'owner@shop.example' };
const CHECKOUT = 1;
const PORT = Number(process.env['SHOP_PORT'] ?? 8090);

const env = { EVENT_STORE_URL: 'memory:', DATA_DIR: './data/shop', ...process.env };
await runHost(env, { begin });

async function begin(host: Host): Promise<void> {
  await onboard(host);
  const origin = `http://127.0.0.1:${PORT}`;
  const { tenants } = host;
  const own = { environment: 'live', label: 'Shop', applicationId: CHECKOUT } as const;
  const allowedOrigins = [origin];
  const lead = await tenants.issueLeadKey(TENANT_ID, { ...own, allowedOrigins }, CALLER);
  const payment = await tenants.issueKey(
    TENANT_ID,
    { ...own, kind: 'payment-publishable', scopes: [], allowedOrigins },
    CALLER,
  );
  const api = await tenants.issueKey(
    TENANT_ID,
    { kind: 'api', environment: 'live', label: '', scopes: ['payments:write', 'payments:read'] },
    CALLER,
  );
  const mail = await tenants.issueKey(
    TENANT_ID,
    { kind: 'tenant', environment: 'live', label: 'Receipts', scopes: [] },
    CALLER,
  );
  const ledger = host.engine.ledgers.as({ tenantId: TENANT_ID, ...CALLER });
  await ledger.senderDomains.create({ domain: 'teapots.example' });
  const { signingSecret } = await ledger.webhookEndpoints.create({
    direction: 'out',
    url: `${origin}/webhooks`,
    eventTypes: ['customer_lead.paid'],
  });
  const url = await host.listen();
  const shop = await openShop({
    host: url,
    tenantId: TENANT_ID,
    apiKey: api.key,
    leadKey: lead.publishableKey,
    paymentKey: payment.key,
    tenantKey: mail.key,
    webhookSecret: () => signingSecret,
    port: PORT,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void shop.close());
  }
  console.log(`Counterfoil listens on ${url}`);
  console.log(`The shop is at ${shop.url}`);
}

/** A tenant with one company and one account, of the sandbox. */
async function onboard({ tenants, merchantAccounts, commands }: Host): Promise<void> {
  const at = commands.clock.now();
  await tenants.onboard(TENANT_ID, { name: 'Teapots' }, CALLER);
  await tenants.define(
    { type: 'DefineCompany', tenantId: TENANT_ID, companyId: 1, name: 'Teapots Ltd', at },
    CALLER,
  );
  const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
  const account = { mid: '700000000001', title: 'Teapots', companyId: 1, gatewayId: 1 };
  const currencies = [{ currency: 'GBP', gatewayCredentials }];
  const settings = { ...account, descriptor: 'TEAPOTS', defaultCurrency: 'GBP', currencies };
  await merchantAccounts.openOnce(TENANT_ID, 1, settings, CALLER);
}
