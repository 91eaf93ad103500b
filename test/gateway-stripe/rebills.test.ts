/** Rebills at Stripe: off-session, with the customer and the payment method of the first charge. */
import { TenantId } from '@counterfoil/core';
import { stripe } from '@counterfoil/gateway-stripe';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { expect, it, onTestFinished } from 'vitest';
import { OPERATOR } from '../engine/shop.ts';
import { startStripeServer } from '../stripe-server/index.ts';
import { accountAt, order, TENANT } from './shop.ts';

const DAY_MS = 86_400_000;
const PLANS = [{ name: 'Club', rebillAmount: '9.99', frequencyDays: 30 }];

/** A host whose clock is that of the server too. */
async function club() {
  let now = () => new Date().toISOString();
  const server = await startStripeServer({ now: () => new Date(now()) });
  onTestFinished(() => server.close());
  const memory = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:' };
  const config = readConfig({ ...memory, LOG_LEVEL: 'silent', TEST_CLOCK: '1', NODE_ENV: 'test' });
  const host = await compose(config, { gateways: [stripe({ production: false })] });
  onTestFinished(() => host.close());
  now = () => host.commands.clock.now();
  await host.tenants.onboard(TENANT, { name: 'Club' }, OPERATOR);
  const company = { tenantId: TENANT, companyId: 1, name: 'Club', at: now() } as const;
  await host.tenants.define({ type: 'DefineCompany', ...company }, OPERATOR);
  const key = JSON.stringify({ key: server.restrictedKey, apiBase: server.url });
  await host.merchantAccounts.openOnce(TENANT, 1, accountAt(key), OPERATOR);
  const shop = host.engine.as({ tenantId: TenantId.parse(TENANT), actor: 'club' });
  const advance = (days: number) => host.testClock?.move({ byMs: days * DAY_MS });
  return { server, shop, advance };
}

it('charges a year of cycles, each once, without the customer', async () => {
  const { server, shop, advance } = await club();
  const first = await shop.payments.submit(order('pm_card_visa', { plans: PLANS }));
  expect(first.status).toBe('Captured');
  await advance(365);
  const cycles = Math.floor(365 / 30);
  expect(server.takenMinor('gbp')).toBe(1_999n + BigInt(cycles) * 999n);
  const intents = server.paymentIntents();
  expect(intents).toHaveLength(1 + cycles);
  expect(new Set(intents.map(({ customer }) => customer)).size).toBe(1);
  expect(new Set(intents.map(({ payment_method: method }) => method)).size).toBe(1);
  expect(intents.at(-1)?.setup_future_usage).toBe('off_session');
});

it('freezes what the bank wants the customer for', async () => {
  const { server, shop, advance } = await club();
  const waiting = await shop.payments.submit(
    order('pm_card_authenticationRequired', { plans: PLANS }),
  );
  server.completeChallenge(server.paymentIntents()[0]?.id ?? '');
  expect((await shop.payments.confirm(waiting.id)).status).toBe('Captured');
  await advance(40);
  const [rebill] = server.paymentIntents();
  expect(rebill?.last_payment_error?.code).toBe('authentication_required');
  expect(server.paymentIntents()).toHaveLength(2);
  expect(server.takenMinor('gbp')).toBe(1_999n);
});

it('charges a cycle once, whose answer was lost', async () => {
  const { server, shop, advance } = await club();
  await shop.payments.submit(order('pm_card_visa', { plans: PLANS }));
  server.fail({ kind: 'cut', when: 'after', on: 'POST /v1/payment_intents' });
  await advance(31);
  expect(server.takenMinor('gbp')).toBe(1_999n + 999n);
  expect(server.paymentIntents()).toHaveLength(2);
  const page = await shop.payments.list({ sandbox: true });
  expect(page.payments.map(({ status }) => status)).toEqual(['Captured', 'Captured']);
});
