/** In a real browser: a buyer from the visit over lead, card, decline and 3-D Secure to webhook and receipt, and a reader of the reference. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openShop, type Shop } from '@counterfoil/shop';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../e2e/api.ts';
import { MailServer } from '../e2e/mail-server.ts';
import {
  CARDS,
  type Caller,
  issueKey,
  type Json,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { CHROMIUM, faultsIn, openBrowser, openPage, watched } from './chromium.ts';

const TENANT = 21;
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** A folder to look at what the pages look like. */
const SCREENSHOTS = process.env['SCREENSHOTS'];

if (CHROMIUM === undefined) {
  process.stderr.write('left out: the shop in a browser. There is no Chromium; set CHROMIUM.\n');
}

let running: Running;
let owner: Caller;
let mailServer: MailServer;
let shop: Shop;
let evil: Shop;
let browser: Browser;
let keys: { readonly leadKey: string; readonly paymentKey: string };

async function made<Item>(asked: Promise<Answer<{ readonly item: Item }>>): Promise<Item> {
  const { status, text, body } = await asked;
  expect(status, text).toBe(201);
  return body.item;
}

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  mailServer = await MailServer.start();
  running = await startHost({
    env: {
      SMTP_URL: `smtp://localhost:${mailServer.port}`,
      MAIL_FROM: 'ledger@counterfoil.example',
    },
  });
  owner = await openTenant(running, TENANT);
  const port = await freePort();
  const terms = { applicationId: 1, allowedOrigins: [`http://127.0.0.1:${port}`] };
  const lead = await made(owner.post('/api/admin/leadkeys', { body: terms }));
  const payment = await made(
    owner.post('/api/admin/keys', { body: { kind: 'payment-publishable', ...terms } }),
  );
  keys = { leadKey: lead.publishableKey, paymentKey: payment.key };
  await made(owner.post('/api/admin/senderdomains', { body: { domain: 'teapots.example' } }));
  const { key: tenantKey } = await made(
    owner.post('/api/admin/keys', { body: { kind: 'tenant' } }),
  );
  let webhookSecret: string | undefined;
  const options = {
    host: running.url,
    tenantId: TENANT,
    apiKey: await issueKey(running, TENANT, { scopes: ['payments:write', 'payments:read'] }),
    ...keys,
    tenantKey,
    webhookSecret: () => webhookSecret,
  };
  shop = await openShop({ ...options, port });
  evil = await openShop(options);
  ({ signingSecret: webhookSecret } = await made(
    owner.post('/api/admin/webhookendpoints', {
      body: { url: `${shop.url}/webhooks`, eventTypes: ['customer_lead.paid'] },
    }),
  ));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([shop?.close(), evil?.close()]);
  await running?.close();
  await mailServer?.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function look(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
}

/** The frame of the card form, once it shows a price. */
async function cardFrame(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('#card iframe');
  const frame = await element.contentFrame();
  if (frame === null) throw new Error('the element is no frame');
  await frame.waitForSelector('#pay:not([aria-disabled="true"])');
  return frame;
}

const statusIn = (frame: Frame) => frame.textContent('#status');

async function expectNoFaults(page: Page, frame: Frame): Promise<void> {
  expect(await faultsIn(page.mainFrame())).toEqual([]);
  expect(await faultsIn(frame)).toEqual([]);
}

/** Payments of a buyer. */
async function paymentsOf(email: string): Promise<Json[]> {
  await running.host.readSide.caughtUp(
    TENANT as Parameters<typeof running.host.readSide.caughtUp>[0],
  );
  return (await owner.get('/v1/payments', { query: { emails: [email] } })).body.data;
}

describe.skipIf(CHROMIUM === undefined)('a buyer', () => {
  it('comes by keyboard alone from the visit over a decline and 3-D Secure to the thanks', async () => {
    const email = 'dora@shop.example';
    const { page, sent, errors, context } = await openPage(browser, { viewport: DESKTOP });
    await page.goto(`${shop.url}/?partnerSession=visit-7f3a`);
    await look(page, 'desktop-1-shop');
    const { keyboard } = page;
    await page.focus('#email');
    await keyboard.type(email);
    await keyboard.press('Tab');
    await keyboard.type('Dora');
    await keyboard.press('Enter');
    const frame = await cardFrame(page);
    expect(await frame.textContent('#pay')).toBe('Pay £24.50');

    // From the heading, where the page has put the focus, into the frame.
    await keyboard.press('Tab');
    expect(await frame.evaluate('document.activeElement.id')).toBe('number');
    await keyboard.type('4242424242424241');
    await keyboard.press('Tab');
    expect(await frame.textContent('#number-error')).toContain('not a card number');
    expect(await frame.getAttribute('#number', 'aria-invalid')).toBe('true');
    await keyboard.type('1');
    await keyboard.press('Enter');
    expect(await frame.textContent('#cvv-error')).toBe('Enter the security code');
    expect(await frame.evaluate('document.activeElement.id')).toBe('number');
    await look(page, 'desktop-2-errors');
    await expectNoFaults(page, frame);

    const typeCard = async (number: string) => {
      await frame.focus('#number');
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type(number);
      await keyboard.press('Tab');
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type('1234');
      await keyboard.press('Tab');
      await keyboard.type('737');
    };
    await typeCard(CARDS.doNotHonour);
    expect(await frame.inputValue('#number')).toBe('4000 0000 0000 0002');
    expect(await frame.textContent('#network')).toBe('NetworkA');
    expect(await frame.inputValue('#expiry')).toBe('12 / 34');
    await look(page, 'desktop-3-filled');
    await keyboard.press('Enter');
    await frame.waitForSelector('#status[data-kind="error"]:not(:empty)');
    expect(await statusIn(frame)).toBe('Your card was declined. Try another card.');
    expect(await frame.evaluate('document.activeElement.id')).toBe('number');
    await look(page, 'desktop-4-declined');
    await expectNoFaults(page, frame);

    await typeCard(CARDS.actionApprove);
    await keyboard.press('Enter');
    const challenge = await frame.waitForSelector('#challenge-frame iframe');
    const bank = await challenge.contentFrame();
    await bank?.waitForSelector('#authenticate');
    await look(page, 'desktop-5-challenge');
    await expectNoFaults(page, frame);
    expect(await faultsIn(bank as Frame)).toEqual([]);
    expect(await watched(frame, 'violations')).toEqual([]);
    const messages = await watched(page.mainFrame(), 'seenMessages');
    await bank?.focus('#authenticate');
    await keyboard.press('Enter');
    await page.waitForURL(/\/thanks\?order=/);
    expect(await page.textContent('h1')).toBe('Thank you');
    await look(page, 'desktop-6-thanks');

    // Cards went from the frame to the host, and nowhere else.
    const numbers = [CARDS.doNotHonour, CARDS.actionApprove];
    const withCards = sent.filter(({ body }) => numbers.some((number) => body.includes(number)));
    expect(withCards).toHaveLength(2);
    expect(withCards.every(({ url }) => url.startsWith(`${running.url}/api/public/`))).toBe(true);
    expect(messages.filter((each) => each.includes('declined'))).toHaveLength(1);
    expect(messages.join('\n').replaceAll(/[\s-]/g, '')).not.toMatch(/4000000000000002|"cvv"|737"/);
    expect(errors).toEqual([]);
    await context.close();

    const [lead] = (await owner.get('/api/admin/leads', { query: { sessionId: 'visit-7f3a' } }))
      .body.items;
    expect(lead).toMatchObject({ email, first_name: 'Dora', status: 'paid' });
    const payments = await paymentsOf(email);
    expect(payments.map(({ status }) => status).sort()).toEqual(['Captured', 'Declined']);
    await vi.waitUntil(() => shop.received.length > 0, { timeout: 10_000 });
    expect(shop.received).toMatchObject([
      { type: 'customer_lead.paid', data: { lead: { session_id: 'visit-7f3a' } } },
    ]);

    await vi.waitUntil(() => mailServer.mails.length > 0, { timeout: 10_000 });
    const [receipt] = mailServer.mails;
    expect(receipt?.to).toEqual([email]);
    expect(receipt?.parsed.from?.value[0]?.address).toBe('orders@teapots.example');
    expect(receipt?.parsed.text).toContain('£24.50');
    expect(receipt?.parsed.text).toContain('Dora');
  });

  it('on a phone, in the dark, pays once with two clicks', async () => {
    const email = 'phone@shop.example';
    const { page, errors, context } = await openPage(browser, {
      viewport: PHONE,
      isMobile: true,
      hasTouch: true,
      colorScheme: 'dark',
    });
    await page.goto(shop.url);
    await page.evaluate("document.documentElement.dir = 'rtl'");
    await page.fill('#email', email);
    await page.click('#who button');
    const frame = await cardFrame(page);
    expect(await frame.evaluate('document.documentElement.dir')).toBe('rtl');
    expect(await frame.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await frame.fill('#number', CARDS.approve);
    await frame.fill('#expiry', '1234');
    await frame.fill('#cvv', '737');
    await look(page, 'phone-1-card');
    await expectNoFaults(page, frame);
    // Two at the same moment, before the form can take the first.
    await frame.evaluate("const pay = document.getElementById('pay'); pay.click(); pay.click();");
    await page.waitForURL(/\/thanks\?order=/);
    await look(page, 'phone-2-thanks');
    expect(errors).toEqual([]);
    await context.close();
    expect((await paymentsOf(email)).map(({ status }) => status)).toEqual(['Captured']);
  });

  it('gets no card form on a page of another origin', async () => {
    const { page, context } = await openPage(browser, { viewport: DESKTOP });
    await page.goto(evil.url);
    await page.fill('#email', 'eve@shop.example');
    await page.click('#who button');
    await page.waitForSelector('#problem:not(:empty)');
    expect(await page.isHidden('#payment')).toBe(true);
    // It may say that it is the shop; the browser knows that it is not.
    const address = new URL('/widget/pages/frame', running.url);
    address.searchParams.set('key', keys.paymentKey);
    address.searchParams.set('origin', shop.url);
    const shown = page.waitForResponse((each) => each.url() === address.href);
    await page.evaluate(`
      const frame = document.createElement('iframe');
      frame.id = 'stolen';
      frame.src = ${JSON.stringify(address.href)};
      document.body.append(frame);
    `);
    expect((await shown).headers()['content-security-policy']).toContain(
      `frame-ancestors ${shop.url}`,
    );
    const element = await page.waitForSelector('#stolen');
    const frame = await element.contentFrame();
    await vi.waitUntil(() => frame?.url().startsWith('chrome-error:'));
    await context.close();
  });
});

describe.skipIf(CHROMIUM === undefined)('a reader of the reference', () => {
  it('searches it, and sends a request from it', async () => {
    const { page, errors, context } = await openPage(browser, { viewport: DESKTOP });
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(running.url)) elsewhere.push(request.url());
    });
    await page.goto(`${running.url}/docs#tag/operations/GET/livez`);
    await page.getByRole('button', { name: 'Test Request (get /livez)' }).click();
    const answered = page.waitForResponse(`${running.url}/livez`);
    await page.getByRole('button', { name: /^Send/ }).first().click();
    expect((await answered).status()).toBe(200);
    await page.keyboard.press('Escape');
    await page
      .getByRole('button', { name: /Search/ })
      .first()
      .click();
    await page.getByRole('dialog').locator('input').fill('void payment');
    await page.getByRole('option', { name: /Void a payment/ }).click();
    await page.getByText('"$BASE_URL/v1/payments/$PAYMENT_ID/void"').first().waitFor();
    await look(page, 'desktop-5-reference');
    expect(await watched(page.mainFrame(), 'violations')).toEqual([]);
    expect(errors).toEqual([]);
    expect(elsewhere.filter((url) => !url.startsWith('data:'))).toEqual([]);
    await context.close();
  });
});
