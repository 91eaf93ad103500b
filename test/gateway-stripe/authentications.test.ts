/** Rebills that a bank wants the customer for: a mail leads to a page, where the cycle is paid once. */
import { Subscription, Tenant, type TransactionId } from '@counterfoil/core';
import { expect, it, vi } from 'vitest';
import { club } from './club.ts';
import { order, TENANT } from './shop.ts';

const PLANS = [{ name: 'Tea club', rebillAmount: '9.99', frequencyDays: 30 }];
const VISITOR = { ip: '192.0.2.7' };
const FIRST = 1_999n;
const REBILL = 999n;

function tokenIn(text: string): string {
  const [, token = ''] = /https:\/\/pay\.example\/mail\/authenticate\?token=(\S+)/.exec(text) ?? [];
  return token;
}

/** A club whose only member's bank has refused the second cycle without the member. */
async function refused({ listens = false } = {}) {
  const { dunning } = Tenant.DEFAULT_SETTINGS;
  const opened = await club({
    listens,
    env: { PUBLIC_URL: 'https://pay.example' },
    settings: { dunning: { ...dunning, mails: ['frozen'] } },
  });
  const { server, shop, host, advance } = opened;
  const submitted = order('pm_card_authenticationRequired', { plans: PLANS });
  const waiting = await shop.payments.submit(submitted);
  server.completeChallenge(server.paymentIntents()[0]?.id ?? '');
  await shop.payments.confirm(waiting.id);
  await advance(31);
  const { authentications, authenticationLinks } = host.engine;
  const id = waiting.payment.plans[0]?.subscriptionId ?? 0;
  const link = { tenantId: TENANT, subscriptionId: id, cycle: 2 };
  const token = tokenIn(authenticationLinks.urlOf(link) ?? '');
  return {
    ...opened,
    token,
    find: () => authentications.find(token),
    goOn: () => authentications.goOn(token, VISITOR),
    subscription: () => shop.subscriptions.get(id),
    id,
  };
}

it('are paid once the customer has acted, and the subscription goes on', async () => {
  const { server, goOn, find, subscription, advance } = await refused();
  const asked = await goOn();
  expect(asked.state).toBe('challenge');
  expect(server.takenMinor('gbp')).toBe(FIRST);
  server.completeChallenge(server.paymentIntents()[0]?.id ?? '');
  await Promise.all([goOn(), goOn(), goOn()]);
  expect((await find()).state).toBe('settled');
  expect(server.takenMinor('gbp')).toBe(FIRST + REBILL);
  expect(server.requests().filter(({ endpoint }) => endpoint.endsWith('/confirm'))).toHaveLength(2);
  const { frozenAt, rebillAt, renewals } = await subscription();
  expect([frozenAt, renewals, rebillAt === null]).toEqual([null, 1, false]);
  const [intent] = server.paymentIntents();
  expect(intent?.setup_future_usage).toBe('off_session');
  await advance(1);
  expect(server.takenMinor('gbp')).toBe(FIRST + REBILL);
});

it('wait where the customer is back without having acted', async () => {
  const { server, goOn } = await refused();
  await goOn();
  expect((await goOn()).state).toBe('challenge');
  expect(server.takenMinor('gbp')).toBe(FIRST);
});

it('stay unpaid where the customer fails, and can be tried again', async () => {
  const { server, goOn, find, subscription } = await refused();
  await goOn();
  server.failChallenge(server.paymentIntents()[0]?.id ?? '');
  expect(await goOn()).toMatchObject({ state: 'asked', wasDeclined: true });
  expect((await subscription()).freezeReason).toBe('authentication-required');
  await goOn();
  server.completeChallenge(server.paymentIntents()[0]?.id ?? '');
  await goOn();
  expect((await find()).state).toBe('settled');
  expect(server.takenMinor('gbp')).toBe(FIRST + REBILL);
});

it('stay unpaid where the customer never comes back', async () => {
  const { server, goOn, find, subscription, advance } = await refused();
  await goOn();
  await advance(2);
  expect(await find()).toMatchObject({ state: 'asked', wasDeclined: true });
  expect((await subscription()).freezeReason).toBe('authentication-required');
  await advance(20);
  expect((await find()).state).toBe('expired');
  expect((await goOn()).state).toBe('expired');
  expect(server.takenMinor('gbp')).toBe(FIRST);
});

it('are left to a request that has begun them, and closed where that died', async () => {
  const { server, host, find, id, advance } = await refused();
  const { commands } = host;
  const named = { tenantId: TENANT, subscriptionId: id };
  const transactionId = '0192f000-0000-7000-8000-000000000001' as TransactionId;
  const begin = { type: 'BeginRebill', ...named, cycle: 2, attempt: 2, transactionId } as const;
  const at = commands.clock.now();
  const command = { ...begin, isCustomerPresent: true, at };
  await commands.execute(Subscription, command, { commandId: crypto.randomUUID() }, { actor: 'a' });
  await host.timed.runAll();
  expect((await find()).state).toBe('processing');
  await advance(1);
  expect((await find()).state).toBe('asked');
  expect(server.takenMinor('gbp')).toBe(FIRST);
});

it('are refused once the subscription has ended', async () => {
  const { server, shop, goOn, find, id } = await refused();
  await goOn();
  server.completeChallenge(server.paymentIntents()[0]?.id ?? '');
  await shop.subscriptions.unsubscribe(id);
  expect((await find()).state).toBe('ended');
  expect((await goOn()).state).toBe('ended');
  expect(server.takenMinor('gbp')).toBe(FIRST);
});

it('are refused once the customer is erased', async () => {
  const { server, shop, host, goOn, find } = await refused();
  const [payment] = (await shop.payments.list({ sandbox: true })).payments;
  await shop.customers.erase(payment?.customerId ?? 0, { sandbox: true });
  await host.timed.runAll();
  expect((await find()).state).toBe('ended');
  expect((await goOn()).state).toBe('ended');
  expect(server.takenMinor('gbp')).toBe(FIRST);
});

it('are asked for by no link that was made elsewhere', async () => {
  const { host, token } = await refused();
  const { authentications } = host.engine;
  const [content = '', mac = ''] = token.split('.');
  const other = Buffer.from(JSON.stringify([8, 1, 2, 4_102_444_800_000])).toString('base64url');
  for (const forged of ['', 'x', `${content}.`, `${other}.${mac}`, `${content}.${mac}.`]) {
    expect((await authentications.goOn(forged, VISITOR)).state).toBe('unknown');
  }
});

it('are told of in a mail that leads to a page, and to the bank from there', async () => {
  const { url, host, server, find, subscription } = await refused({ listens: true });
  expect((await subscription()).freezeReason).toBe('authentication-required');
  const mailed = async () => (await host.engine.mailViewer?.list())?.[0]?.content?.body?.text ?? '';
  await vi.waitUntil(async () => (await mailed()) !== '', { timeout: 10_000 });
  const text = await mailed();
  expect(text).toContain('The bank of your card wants you to confirm the payment of 9.99 GBP');
  const address = `${url}/mail/authenticate?${new URLSearchParams({ token: tokenIn(text) })}`;
  const page = await fetch(address);
  expect(page.headers.get('content-security-policy')).not.toContain('script-src');
  expect(await page.text()).toContain('9.99 GBP to Club for Tea club');
  const post = () => fetch(address, { method: 'POST', redirect: 'manual' });
  const begun = await post();
  expect(begun.status).toBe(303);
  const challenge = await fetch(new URL(begun.headers.get('location') ?? '', url));
  expect(challenge.headers.get('content-security-policy')).toContain(
    `frame-src 'self' https: ${server.url}; script-src 'self'`,
  );
  expect(await challenge.text()).toContain(`src="${server.url}/challenge/`);
  server.completeChallenge(server.paymentIntents()[0]?.id ?? '');
  await post();
  expect((await find()).state).toBe('settled');
  expect((await fetch(`${url}/mail/authenticate?token=x`)).status).toBe(404);
});
