/** Payments a second through the adapter of Stripe, beside the bare SDK doing the same calls of the same server. */
import { join } from 'node:path';
import type { TenantId } from '@counterfoil/core';
import { compose, type Host, readConfig } from '@counterfoil/http-host';
import Stripe from 'stripe';
import type { Row, Stage } from '../harness/stage.ts';
import { ServerProcess } from '../load/server-process.ts';

const PAYMENTS = 4_000;
const QUICK_PAYMENTS = 800;
const AT_ONCE = 64;
const CUSTOMERS = 5_000;
const STRIPE_GATEWAY = 10;
const SECOND_MS = 1_000;
const TENANT = 1 as TenantId;
const ACTOR = { actor: 'bench@example.test' };
const SERVER = join(import.meta.dirname, '..', '..', 'test', 'stripe-server', 'main.ts');
const SAYS_ALL = /^(\{.*\})$/m;
const CARD = 'pm_card_visa';
const RETURN_URL = 'https://shop.example/return';

const row: Row = {
  id: 'gateway',
  what: 'payments through the ledger and the adapter of Stripe on its protocol server, 64 at once',
  unit: 'payments/s',
  better: 'higher',
  reach: { 'bare-sdk': 0.5 },
  durability: 'WAL: synchronous=FULL before and after the charge; bare-sdk keeps nothing',
};

interface StripeAddress {
  readonly url: string;
  readonly restrictedKey: string;
}

export const gateway: Stage = {
  name: 'gateway',
  rows: [row],

  async prepare({ folder, quick, say }) {
    const count = quick ? QUICK_PAYMENTS : PAYMENTS;
    const server = await ServerProcess.start({ args: [SERVER], says: SAYS_ALL });
    const address: StripeAddress = JSON.parse(server.at);
    const host = await openHost(join(folder, 'host'), address);
    const client = clientOf(address);
    let rounds = 0;
    return {
      sides: {
        [row.id]: {
          own: async () => {
            rounds += 1;
            const round = rounds;
            const rate = await rateOf(count, (index) => pay(host, `${round}-${index}`, index));
            say('gateway: waiting for the projections');
            await host.readSide.caughtUp(TENANT);
            return rate;
          },
          peers: {
            'bare-sdk': () => {
              rounds += 1;
              const round = rounds;
              return rateOf(count, (index) => payBare(client, `${round}-${index}`));
            },
          },
        },
      },
      facts: {
        payments: `${count}, ${AT_ONCE} at once, three calls each`,
        server: 'the protocol server of the tests, in a process of its own, its data in memory',
      },
      async close() {
        await host.close();
        await server.stop();
      },
    };
  },
};

async function rateOf(count: number, act: (index: number) => Promise<void>): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const lane = async () => {
    while (next < count) {
      next += 1;
      await act(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return count / ((performance.now() - startedAt) / SECOND_MS);
}

async function openHost(folder: string, { url, restrictedKey }: StripeAddress): Promise<Host> {
  const GATEWAYS = '@counterfoil/gateway-stripe';
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'error', GATEWAYS });
  const host = await compose({ ...config, gatewayReturnUrl: RETURN_URL });
  await host.tenants.onboard(TENANT, { name: 'Bench' }, ACTOR);
  const company = { tenantId: TENANT, companyId: 1, name: 'Bench', at: new Date().toISOString() };
  await host.tenants.define({ type: 'DefineCompany', ...company }, ACTOR);
  const apiKey = JSON.stringify({ key: restrictedKey, apiBase: url });
  const gatewayCredentials = { apiKey, username: '', password: '', emailAddress: '' };
  const account = {
    mid: '7001',
    title: 'Stripe',
    companyId: 1,
    gatewayId: STRIPE_GATEWAY,
    descriptor: 'BENCH',
    defaultCurrency: 'GBP',
    currencies: [{ currency: 'GBP', gatewayCredentials }],
  };
  await host.merchantAccounts.openOnce(TENANT, 1, account, ACTOR);
  await host.readSide.caughtUp(TENANT);
  return host;
}

async function pay(host: Host, name: string, index: number): Promise<void> {
  const { payments } = host.engine.ledgers.as({ tenantId: TENANT, ...ACTOR });
  const { status } = await payments.submit({
    idempotencyKey: name,
    amount: '19.99',
    currency: 'GBP',
    email: `ann-${index % CUSTOMERS}@shop.example`,
    sandbox: true,
    gatewayToken: CARD,
  });
  if (status !== 'Captured') throw new Error(`a payment is ${status}`);
}

/** The calls of the adapter, with their parameters. */
async function payBare(client: Stripe, name: string): Promise<void> {
  const method = await client.paymentMethods.retrieve(CARD);
  const customer = await client.customers.create(
    { metadata: { payment_method: method.id } },
    { idempotencyKey: `${method.id}/customer` },
  );
  const { status } = await client.paymentIntents.create(
    {
      amount: 1_999,
      currency: 'gbp',
      confirm: true,
      allowed_payment_method_types: ['card'],
      customer: customer.id,
      payment_method: method.id,
      return_url: RETURN_URL,
      capture_method: 'automatic',
      confirmation_method: 'manual',
      setup_future_usage: 'on_session',
      statement_descriptor_suffix: 'BENCH',
      metadata: { key: name, payment: name, transaction: name, customer: name },
      expand: ['latest_charge'],
    },
    { idempotencyKey: name },
  );
  if (status !== 'succeeded') throw new Error(`an intent is ${status}`);
}

function clientOf({ url, restrictedKey }: StripeAddress): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(restrictedKey, {
    maxNetworkRetries: 0,
    telemetry: false,
    host: hostname,
    port: Number(port),
    protocol: 'http',
  });
}
