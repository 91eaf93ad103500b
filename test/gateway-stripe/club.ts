/** A host with a clock that is moved, at a protocol server of Stripe with the same clock. */
import { stripe } from '@counterfoil/gateway-stripe';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { onTestFinished } from 'vitest';
import { OPERATOR } from '../engine/shop.ts';
import { startStripeServer } from '../stripe-server/index.ts';
import { accountAt, TENANT } from './shop.ts';

const DAY_MS = 86_400_000;

/** Replaced by that of the endpoint: an account may have two. */
const OLD_SECRET = 'whsec_oldoldoldold';

/** Closed by the caller. With `listens` the host has an address, which the webhooks go to. */
export async function openClub({ listens = false }: { readonly listens?: boolean } = {}) {
  let now = () => new Date().toISOString();
  const server = await startStripeServer({ now: () => new Date(now()) });
  const memory = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:', PORT: '0' };
  const config = readConfig({ ...memory, LOG_LEVEL: 'silent', TEST_CLOCK: '1', NODE_ENV: 'test' });
  const host = await compose(config, { gateways: [stripe({ production: false })] });
  now = () => host.commands.clock.now();
  await host.tenants.onboard(TENANT, { name: 'Club' }, OPERATOR);
  const company = { tenantId: TENANT, companyId: 1, name: 'Club', at: now() } as const;
  await host.tenants.define({ type: 'DefineCompany', ...company }, OPERATOR);
  const url = listens ? await host.listen() : '';
  const eventsUrl = `${url}/v1/gateways/stripe/1/events?clientId=${TENANT}`;
  const secrets = listens ? [OLD_SECRET, server.addWebhookEndpoint({ url: eventsUrl }).secret] : [];
  const useKey = (key: string) => {
    const account = accountAt(
      JSON.stringify({ key, apiBase: server.url, signingSecrets: secrets }),
    );
    return host.merchantAccounts.define(TENANT, 1, account, OPERATOR);
  };
  await useKey(server.restrictedKey);
  return {
    server,
    host,
    url,
    eventsUrl,
    secrets,
    useKey,
    shop: host.engine.as({ tenantId: TENANT, actor: 'club' }),
    advance: (days: number) => host.testClock?.move({ byMs: days * DAY_MS }),
    async close() {
      await host.close();
      await server.close();
    },
  };
}

/** Ends with the test. */
export async function club() {
  const opened = await openClub();
  onTestFinished(() => opened.close());
  return opened;
}
