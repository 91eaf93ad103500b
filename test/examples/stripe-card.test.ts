/** The card form with the script of Stripe, in a real browser: the card goes to Stripe's own frame alone. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stripe } from '@counterfoil/gateway-stripe';
import { openShop, type Shop } from '@counterfoil/shop';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from '../e2e/api.ts';
import {
  Caller,
  issueKey,
  type Json,
  openTenant,
  type Running,
  startHost,
  type TenantId,
} from '../e2e/running-host.ts';
import { type StripeServer, startStripeServer } from '../stripe-server/index.ts';
import { CHROMIUM, faultsIn, openBrowser, openPage, watched } from './chromium.ts';

const TENANT = 22;
/** Of sandbox data: the keys are those of Stripe's test mode. */
const TEST = 'test' as const;
const DAY_MS = 86_400_000;
const VISA = '4242424242424242';
const DECLINED = '4000000000000002';
const AUTHENTICATES = '4000002760003184';

if (CHROMIUM === undefined) {
  process.stderr.write('left out: the card form of Stripe. There is no Chromium; set CHROMIUM.\n');
}

let server: StripeServer;
let running: Running;
let owner: Caller;
let shop: Shop;
let browser: Browser;

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  server = await startStripeServer();
  // Stripe sends browsers back to the address that the host has.
  running = await startHost({
    env: { PORT: String(await freePort()), TEST_CLOCK: '1' },
    gateways: [stripe({ production: false })],
  });
  const credentials = {
    key: server.restrictedKey,
    publishableKey: server.publishableKey,
    apiBase: server.url,
  };
  const apiKey = JSON.stringify(credentials);
  const gatewayCredentials = { apiKey, username: '', password: '', emailAddress: '' };
  const currencies = [{ currency: 'GBP', gatewayCredentials }];
  owner = await openTenant(running, TENANT, { account: { gatewayId: 10, currencies } });
  const port = await freePort();
  const terms = {
    environment: TEST,
    applicationId: 1,
    allowedOrigins: [`http://127.0.0.1:${port}`],
  };
  const lead = (await owner.post('/api/admin/leadkeys', { body: terms })).body.item;
  const payment = (
    await owner.post('/api/admin/keys', { body: { kind: 'payment-publishable', ...terms } })
  ).body.item;
  shop = await openShop({
    host: running.url,
    tenantId: TENANT,
    apiKey: await issueKey(running, TENANT, {
      environment: TEST,
      scopes: ['payments:write', 'payments:read'],
    }),
    leadKey: lead.publishableKey,
    paymentKey: payment.key,
    port,
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.close();
  await running?.close();
  await server?.close();
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Goes as far as the card form; the inner frame is Stripe's. */
async function atTheCard(page: Page, email: string) {
  await page.goto(shop.url);
  await page.fill('#email', email);
  await page.click('#who button');
  const form = await inner(page, '#card iframe');
  await form.waitForSelector('#pay:not([aria-disabled="true"])');
  return { form, card: await inner(form, '#gateway-card iframe') };
}

async function inner(outer: Page | Frame, selector: string): Promise<Frame> {
  const frame = await (await outer.waitForSelector(selector)).contentFrame();
  if (frame === null) throw new Error(`${selector} is no frame`);
  return frame;
}

async function typeCard(card: Frame, number: string): Promise<void> {
  await card.fill('#cardnumber', number);
  await card.fill('#exp-date', '12/34');
  await card.fill('#cvc', '123');
}

async function paymentsOf(email: string): Promise<Json[]> {
  await running.host.readSide.caughtUp(TENANT as TenantId);
  return (await owner.get('/v1/payments', { query: { sandbox: true, emails: [email] } })).body.data;
}

describe.skipIf(CHROMIUM === undefined)('a buyer', () => {
  it('pays with another card after a decline, and only Stripe sees either', async () => {
    const email = 'dora@shop.example';
    const { page, sent, errors, context } = await openPage(browser, {});
    const { form, card } = await atTheCard(page, email);
    await form.fill('#name', 'Dora Lang');
    await form.click('#pay');
    await form.waitForSelector('#gateway-error:not(:empty)');
    expect(await form.textContent('#gateway-error')).toBe('Your card is incomplete.');
    expect(await faultsIn(form)).toEqual([]);

    await typeCard(card, DECLINED);
    await form.click('#pay');
    await form.waitForSelector('#status[data-kind="error"]:not(:empty)');
    expect(await form.textContent('#status')).toBe('Your card was declined. Try another card.');
    expect(await card.inputValue('#cardnumber')).toBe('');

    await typeCard(card, VISA);
    const messages = await watched(page.mainFrame(), 'seenMessages');
    expect(await watched(form, 'violations')).toEqual([]);
    // Two at the same moment, before the form can take the first.
    await form.evaluate("const pay = document.getElementById('pay'); pay.click(); pay.click();");
    await page.waitForURL(/\/thanks\?order=/);

    const withCards = sent.filter(({ body }) => body.includes(VISA) || body.includes(DECLINED));
    expect(withCards.map(({ url }) => url)).toEqual(
      Array(2).fill(`${server.url}/v1/payment_methods`),
    );
    expect(messages.join('\n')).not.toMatch(/pm_|4000|4242/);
    expect(errors).toEqual([]);
    expect((await paymentsOf(email)).map(({ status }) => status).sort()).toEqual([
      'Captured',
      'Declined',
    ]);
    expect(server.takenMinor('gbp')).toBe(2_450n);
    await context.close();
  });

  it('is authenticated in the challenge of Stripe, once however often the browser returns', async () => {
    const email = 'ann@shop.example';
    const { page, errors, context } = await openPage(browser, {});
    const { form, card } = await atTheCard(page, email);
    await typeCard(card, AUTHENTICATES);
    await form.click('#pay');
    const bank = await inner(form, '#challenge-frame iframe');
    await bank.waitForSelector('#complete');
    expect(bank.url()).toContain(server.url);
    expect(await faultsIn(form)).toEqual([]);
    const [waiting] = await paymentsOf(email);
    expect(waiting.status).toBe('RequiresAction');

    const returned = page.waitForRequest((each) => each.url().endsWith('/action'));
    await bank.click('#complete');
    await page.waitForURL(/\/thanks\?order=/);
    const request = await returned;
    const { 'x-service-payment-key': key = '' } = request.headers();
    const headers = { 'Content-Type': 'application/json', 'X-Service-Payment-Key': key };
    const origin = { Origin: running.url };
    const again = { method: 'POST', headers: { ...headers, ...origin }, body: request.postData() };
    const { status } = (await (await fetch(request.url(), again)).json()) as Json;
    expect(status).toBe('complete');
    const confirmed = server.requests().filter(({ endpoint }) => endpoint.endsWith('/confirm'));
    expect(confirmed).toHaveLength(1);
    expect((await paymentsOf(email)).map(({ status }) => status)).toEqual(['Captured']);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('tries another card where the challenge was failed', async () => {
    const email = 'eve@shop.example';
    const { page, context } = await openPage(browser, {});
    const { form, card } = await atTheCard(page, email);
    await typeCard(card, AUTHENTICATES);
    await form.click('#pay');
    const bank = await inner(form, '#challenge-frame iframe');
    await bank.click('#fail');
    await form.waitForSelector('#status[data-kind="error"]:not(:empty)');
    await typeCard(card, VISA);
    await form.click('#pay');
    await page.waitForURL(/\/thanks\?order=/);
    expect((await paymentsOf(email)).map(({ status }) => status).sort()).toEqual([
      'Captured',
      'Declined',
    ]);
    await context.close();
  });

  it('authenticates a rebill on the page of a mailed link, which goes on by itself', async () => {
    const apiKey = await issueKey(running, TENANT, {
      environment: TEST,
      scopes: ['payments:write'],
    });
    const member = new Caller(running.url, TENANT, apiKey);
    const { body: joined } = await member.post('/v1/payments', {
      body: {
        amount: 24.5,
        currency: 'GBP',
        email: 'club@shop.example',
        gatewayToken: 'pm_card_authenticationRequired',
        subscription: { name: 'Tea club', rebillAmount: 9.99, frequency: 30 },
      },
    });
    server.completeChallenge(server.paymentIntents()[0]?.id ?? '');
    const confirmed = await member.post('/v1/payments/{id}/confirm', {
      path: { id: joined.id },
      body: {},
    });
    expect(confirmed.status, confirmed.text).toBe(200);
    await running.host.testClock?.move({ byMs: 31 * DAY_MS });
    const tenantId = TENANT as TenantId;
    const subscriptionId = present(confirmed.body.subscriptionId);
    const link = { tenantId, subscriptionId, cycle: 2 };

    const { page, errors, context } = await openPage(browser, {});
    await page.goto(running.host.engine.authenticationLinks.urlOf(link) ?? '');
    expect(await faultsIn(page.mainFrame())).toEqual([]);
    await page.click('button');
    const bank = await inner(page, 'iframe');
    await bank.click('#complete');
    await page.waitForSelector('h1:has-text("Thank you")');
    expect(server.paymentIntents()[0]).toMatchObject({ amount: 999, status: 'succeeded' });
    expect(errors).toEqual([]);
    await context.close();
  });
});
