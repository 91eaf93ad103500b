/** A host with a clock that is moved, at a protocol server of Stripe with the same clock. */
import { stripe } from '@counterfoil/gateway-stripe';
import { compose, type Host } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { onTestFinished } from 'vitest';
import { OPERATOR } from '../engine/shop.ts';
import { startStripeServer } from '../stripe-server/index.ts';
import { accountAt, TENANT } from './shop.ts';

const DAY_MS = 86_400_000;

/** Replaced by that of the endpoint: an account may have two. */
const OLD_SECRET = 'whsec_oldoldoldold';

interface ClubOptions {
  /** The host has an address, which the webhooks go to. */
  readonly listens?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: TenantSettings;
}
type TenantSettings = NonNullable<Parameters<Host['tenants']['onboard']>[1]['settings']>;

/** Closed by the caller. */
export async function openClub({ listens = false, env = {}, settings }: ClubOptions = {}) {
  let now = () => new Date().toISOString();
  const server = await startStripeServer({ now: () => new Date(now()) });
  const memory = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:', PORT: '0' };
  const quiet = { LOG_LEVEL: 'silent', TEST_CLOCK: '1', NODE_ENV: 'test' };
  const config = readConfig({ ...memory, ...quiet, ...env });
  const host = await compose(config, { gateways: [stripe({ production: false })] });
  now = () => host.commands.clock.now();
  await host.tenants.onboard(TENANT, { name: 'Club', ...(settings && { settings }) }, OPERATOR);
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
    host,
    url,
    server,
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
export async function club(options: ClubOptions = {}) {
  const opened = await openClub(options);
  onTestFinished(() => opened.close());
  return opened;
}
