/** The console in a real browser: every page without faults, and the ways of an owner through it. */
import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mail } from '../engine/mail-shop.ts';
import { CHROMIUM, faultsIn, openBrowser, openPage, watched } from '../examples/chromium.ts';
import { openUser, PASSWORD } from '../http-host/console-visitor.ts';
import { pagesOfLongWords } from './long-words.ts';
import {
  CARDS,
  type Caller,
  CHECKOUT,
  card,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const TENANT = 52;
const OWNER = 'owner@example.com';
const SECOND = 'second@example.com';
/** A folder to look at what the pages look like. */
const SCREENSHOTS = process.env['SCREENSHOTS'];
const WIDE = 1280;
const WIDTHS = [320, WIDE];

if (CHROMIUM === undefined) {
  process.stderr.write('left out: the console in a browser. There is no Chromium; set CHROMIUM.\n');
}

let running: Running;
let owner: Caller;
let browser: Browser;
let page: Page;
let errors: string[];

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  running = await startHost({ env: { CONSOLE_OPERATORS: `${TENANT}:${OWNER}` } });
  owner = await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  await openUser(running, TENANT, { email: SECOND, roleIds: ['owner'] });
  const { id } = await owner.paid();
  await owner.refund(id, { amount: 20 });
  await owner.pay({ card: card(CARDS.doNotHonour), email: 'declined@example.com' });
  await running.host.readSide.caughtUp(
    TENANT as Parameters<Running['host']['readSide']['caughtUp']>[0],
  );
  browser = await openBrowser();
  const opened = await openPage(browser, { viewport: { width: WIDE, height: 800 } });
  ({ page, errors } = opened);
});
afterAll(async () => {
  await browser?.close();
  await running?.close();
});

async function go(path: string): Promise<void> {
  await page.goto(`${running.url}${path}`);
}

/** A session of its own, of another agent. */
async function signedInElsewhere(options: BrowserContextOptions = {}) {
  const { page: other, context } = await openPage(browser, options);
  await other.goto(`${running.url}/console/sign-in`);
  await other.fill('#company', String(TENANT));
  await other.fill('#email', SECOND);
  await other.fill('#password', PASSWORD);
  await other.click('button[type=submit]');
  await other.waitForURL('**/overview');
  return { page: other, context };
}

/** Chromium lists a page as an error that says itself why it is refused. */
function forgive(status: number): void {
  const kept = errors.filter((error) => !error.includes(`status of ${status}`));
  errors.splice(0, errors.length, ...kept);
}

/** Paths that were looked at. */
const looked = new Set<string>();

/** How many pixels of a page are beyond its window. */
function beyond(): Promise<number> {
  return page.evaluate('document.scrollingElement.scrollWidth - innerWidth');
}

/** The names of tables that do not show whole without scrolling. */
function cutOff(selector: string): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('${selector}')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ ariaLabel }) => ariaLabel)`);
}

/** No fault of axe-core, no error, nothing that the policy refused, and nothing beyond the width. */
async function expectNoFaults(name: string): Promise<void> {
  looked.add(new URL(page.url()).pathname);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    expect({ name, width, beyond: await beyond() }).toEqual({ name, width, beyond: 0 });
    // Both widths and both schemes, at the price of two looks.
    await page.emulateMedia({ colorScheme: width === WIDE ? 'light' : 'dark' });
    expect({ name, width, faults: await faultsIn(page.mainFrame()) }).toEqual({
      ...{ name, width },
      faults: [],
    });
    if (SCREENSHOTS !== undefined) {
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}.png`, fullPage: true });
    }
  }
  expect(await watched(page.mainFrame(), 'violations'), name).toEqual([]);
  expect(errors, name).toEqual([]);
}

describe.skipIf(CHROMIUM === undefined)('an owner', () => {
  it('signs in to the page that was asked for', async () => {
    await go('/console/test/account');
    await expectNoFaults('sign-in');
    await page.fill('#company', String(TENANT));
    await page.fill('#email', OWNER);
    await page.fill('#password', PASSWORD);
    await page.click('button[type=submit]');
    await page.waitForURL('**/console/test/account');
    expect(await page.textContent('.sandbox')).toContain('no money moves');
    await expectNoFaults('account');
    await go('/console/test/account/second-factor');
    await expectNoFaults('second-factor');
  });

  it('sees the sales of the day and of the hour', async () => {
    await go('/console/live/overview');
    const figures = await page.textContent('.figures');
    expect(figures).toMatch(/Captured\s+100\.00 GBP/);
    expect(figures).toMatch(/Refunded\s+20\.00 GBP/);
    expect(figures).toMatch(/Declined\s+1\s+of 2 payments/);
    await expectNoFaults('overview');
    await page.click('text=Two days');
    expect(await page.locator('.chart rect.captured').count()).toBe(1);
    await page.click('summary:has-text("The numbers")');
    await expectNoFaults('overview-by-hour');
  });

  it('looks at webhooks, and sends a test', async () => {
    await go('/console/test/webhooks');
    await expectNoFaults('webhooks-none');
    await page.click('text=New endpoint >> nth=0');
    await page.fill('#url', `${running.url}/nowhere`);
    await expectNoFaults('webhooks-new-endpoint');
    await page.click('button:has-text("Make the endpoint")');
    await expectNoFaults('webhooks-secret');
    await page.click('text=I have kept it');
    await expectNoFaults('webhooks-endpoint');
    await page.click('button:has-text("Send a test")');
    await expectNoFaults('webhooks-delivery');
    await page.click('.trail a >> nth=1');
    await page.click('.actions >> text=Settings');
    await expectNoFaults('webhooks-settings');
    await go('/console/test/webhooks/new-source');
    await expectNoFaults('webhooks-new-source');
    await go('/console/test/webhooks');
    await expectNoFaults('webhooks');
  });

  it('looks at a mail in a frame', async () => {
    const { senderDomains, mails } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    await senderDomains.create({ domain: 'mails.example' });
    const { id } = await mails.submit(
      mail({ from: 'post@mails.example', templateContent: '<p style="color:#006">Hello</p>' }),
    );
    await go('/console/live/mails');
    await expectNoFaults('mails');
    await page.click(`a[href$="${id}"]`);
    expect(await page.frameLocator('iframe').locator('p').textContent()).toBe('Hello');
    await page.click('summary:has-text("Send again")');
    await expectNoFaults('mail');
    await page.click('form button:has-text("Send again")');
    expect(await page.textContent('dt:has-text("Sends again") + dd')).toBe('the mail before');
  });

  it('looks at leads', async () => {
    const { leads } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const scans = [{ page: '/offer' }, { page: '/checkout' }];
    const email = 'ada@example.com';
    await leads.write({ sessionId: 'visit-1', applicationId: CHECKOUT, email, scans });
    await go('/console/live/leads');
    await page.click('td summary');
    await expectNoFaults('leads');
  });

  it('goes from the trial balance down to a payment', async () => {
    await go('/console/live/ledger');
    await expectNoFaults('ledger');
    await page.click('text=sales');
    await expectNoFaults('ledger-accounts');
    await page.click('tbody a');
    await expectNoFaults('ledger-statement');
    await page.click('text=Journal entries');
    await expectNoFaults('ledger-entries');
    await page.click('text=Order');
    await page.waitForURL('**/transactions/*');
  });

  it('goes from an account to its entries, and to the payment of one', async () => {
    await go('/console/live/ledger/accounts?account=sales&currency=GBP');
    await page.click('.actions >> text=Entries');
    await expectNoFaults('ledger-account');
    await page.click('text=Payment captured');
    await page.waitForURL('**/transactions/*');
  });

  it('goes from the overview to the payments without an answer', async () => {
    await owner.pay({ card: card(CARDS.timeoutNothing), email: 'unknown@example.com' });
    await go('/console/live/overview');
    await page.click('.needs >> text=Payments without an answer');
    await expectNoFaults('transactions-unanswered');
    await page.click('table a');
    await page.waitForURL('**/transactions/*');
  });

  it('sees how the host is doing', async () => {
    await go('/console/live/operations');
    expect(await page.textContent('h1')).toContain('Ready');
    await expectNoFaults('operations');
    await page.click('text=Parked streams >> nth=0');
    await page.waitForSelector('text=No stream is parked');
    await expectNoFaults('operations-parked');
    await page.click('text=Doctor >> nth=0');
    await expectNoFaults('operations-doctor');
  });

  it('rebuilds a read model, and sees the end of it without a reload', async () => {
    await go('/console/live/operations/read-models/ledger');
    await page.click('a:has-text("Rebuild")');
    await expectNoFaults('operations-rebuild');
    await page.click('button:has-text("Rebuild it")');
    await page.waitForSelector('text=It equals the build before.');
    await page.click('text=Count rows');
    await page.waitForSelector('text=Of build 2');
    await expectNoFaults('operations-read-model');
  });

  it('finds every page of the settings and the activity without faults', async () => {
    const { users, keys, senderDomains } = running.host.engine.as({
      tenantId: TENANT,
      actor: OWNER,
    });
    await senderDomains.create({ domain: 'shop.example' });
    const [user, key, domain] = await Promise.all(
      [users.list(), keys.list(), senderDomains.list()].map(
        async (page) => (await page).items[0]?.id,
      ),
    );
    for (const path of [
      ...['', '/users', `/users/${user}`, '/invite', '/roles', '/roles/agent', '/new-role'],
      ...['/keys', `/keys/${key}`, '/new-key', '/domains', `/domains/${domain}`, '/new-domain'],
    ]) {
      await go(`/console/live/settings${path}`);
      await expectNoFaults(
        `settings${path.replaceAll('/', '-').replace(/-[0-9a-f-]{36}$/, '-one')}`,
      );
    }
    await go('/console/live/activity');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('actor');
    await expectNoFaults('activity');
    await page.evaluate('globalThis.isSamePage = true');
    await page.fill('#action', 'users.invite');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/activity?*action=users.invite*');
    await page.waitForSelector('#records tbody tr:nth-child(3)', { state: 'detached' });
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
    expect(await page.textContent('#records time')).toMatch(/ago|now/);
    expect(await page.getAttribute('#records a[download]', 'href')).toContain(
      'action=users.invite',
    );
    await page.reload();
    expect(await page.locator('#records tbody tr').count()).toBe(2);
    await expectNoFaults('activity-filtered');
  });

  it('tries a text of a mail in the frame of its page, and keeps it', async () => {
    await go('/console/live/settings/mail-texts');
    await expectNoFaults('settings-mail-texts');
    await page.click('text=Refund >> nth=0');
    const shown = page.frameLocator('iframe.mail');
    await shown.locator('text=Hello Ada').waitFor();
    await page.fill('#text', 'Dear {{firstName}}, {{refunded}} is on its way.');
    await page.click('button:has-text("Preview")');
    await shown.locator('text=Dear Ada, 20.00 GBP is on its way.').waitFor();
    await expectNoFaults('settings-mail-text');
    await page.click('button:has-text("Use this text")');
    await page.waitForSelector('text=Your own');
    await shown.locator('text=Dear Ada').waitFor();
  });

  it('makes a key, copies it, and revokes it after being told what follows', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await go('/console/live/settings/new-key');
    await page.fill('#label', 'till');
    await page.check('input[value="payments:read"]');
    await page.click('button:has-text("Make the key")');
    await page.click('.copy button');
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^cf_live_/);
    await page.click('text=I have kept it');
    await page.click('text=till');
    await page.click('summary:has-text("Revoke the key")');
    expect(await page.textContent('.confirm[open]')).toContain('refused at once');
    await expectNoFaults('revoke');
    await page.click('form button:has-text("Revoke the key")');
    expect(await page.textContent('[role=status]')).toBe('The key till is revoked.');
    await expectNoFaults('keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.waitForURL('**/transactions#search');
    await page.waitForSelector('[data-search]:focus');
  });

  it('reads times in the own zone, and is told the keys', async () => {
    await go('/console/live/account');
    expect(await page.textContent('tbody time')).toMatch(/ago|now/);
    await page.click('[data-times]');
    expect(await page.textContent('tbody time')).toMatch(/20\d\d.*:\d\d:\d\d/);
    await page.reload();
    expect(await page.textContent('tbody time')).toMatch(/20\d\d.*:\d\d:\d\d/);
    await page.click('[data-times]');
    await page.keyboard.press('?');
    expect(await page.isVisible('#keys')).toBe(true);
    await expectNoFaults('keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.waitForURL('**/transactions');
  });

  it('searches a payment, refunds a part of it and reads that in its story', async () => {
    const { orderId } = await owner.paid({ email: 'ada@example.com' });
    const { savedSearches } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    await savedSearches.create({ name: 'p', search: { days: 7 } });
    await go('/console/live/transactions');
    await expectNoFaults('transactions');
    await page.keyboard.press('/');
    await page.keyboard.type(String(orderId));
    await page.keyboard.press('Enter');
    await page.click('.rows td:first-child a');
    await expectNoFaults('transaction');
    await page.click('.actions >> text=Refund');
    await page.fill('#amount', '12.50');
    await page.waitForSelector('#follows >> text=87.50 GBP can still be refunded');
    await expectNoFaults('transaction-refund');
    for (const none of ['', '5'.repeat(40)]) {
      await page.fill('#amount', none);
      await page.waitForSelector('#follows >> text=Enter an amount in GBP');
      await page.fill('#amount', '12.50');
      await page.waitForSelector('#follows >> text=87.50 GBP can still be refunded');
    }
    await page.click('text=Review');
    expect(await page.textContent('.consequences')).toContain('12.50 GBP goes back');
    await expectNoFaults('transaction-refund-review');
    await page.click('button:has-text("Refund 12.50 GBP")');
    expect(await page.textContent('.notice')).toContain('12.50 GBP refunded');
    expect(await page.textContent('.story > li:first-child')).toContain('12.50 GBP refunded');
    await expectNoFaults('transaction-refunded');
  });

  it('is told what another agent did at the same time, and nothing is done twice', async () => {
    const { id } = await owner.paid({ email: 'both@example.com' });
    const refund = `${running.url}/console/live/transactions/${id}/refund`;
    const other = await signedInElsewhere();
    for (const each of [page, other.page]) {
      await each.goto(refund);
      await each.fill('#amount', '60');
      await each.click('text=Review');
    }
    await other.page.click('button:has-text("Refund 60.00 GBP")');
    expect(await other.page.textContent('.notice')).toContain('60.00 GBP refunded');
    await page.click('button:has-text("Refund 60.00 GBP")');
    expect(await page.textContent('h1')).toBe('The payment has changed');
    expect(await page.textContent('.story')).toContain(`asked for by ${SECOND}`);
    expect(await page.textContent('.sums')).toMatch(/Left to refund\s*40\.00 GBP/);
    forgive(409);
    await expectNoFaults('transaction-changed');
    await other.context.close();
  });

  it('searches, reads and refunds a payment without scripts', async () => {
    const { orderId } = await owner.paid({ email: 'plain@example.com' });
    const { page: plain, context } = await signedInElsewhere({ javaScriptEnabled: false });
    await plain.goto(`${running.url}/console/live/transactions`);
    await plain.fill('#q', String(orderId));
    await plain.click('button:has-text("Search")');
    await plain.click('.rows td:first-child a');
    expect(await plain.textContent('.story')).toContain('100.00 GBP captured');
    expect(await plain.textContent('.t-account caption')).toContain('Acquirer receivable');
    await plain.click('.actions >> text=Refund');
    await plain.check('input[value=part]');
    await plain.fill('#amount', '7.50');
    await plain.click('text=Review');
    expect(await plain.textContent('.consequences')).toContain('92.50 GBP can still be refunded');
    await plain.click('button:has-text("Refund 7.50 GBP")');
    expect(await plain.textContent('.notice')).toContain('7.50 GBP refunded');
    await context.close();
  });

  it('types a quantity, which chooses the items, and reads what is left', async () => {
    const { id } = (await owner.ordered()) as { readonly id: string };
    await go(`/console/live/transactions/${id}/refund`);
    expect(await page.isChecked('input[value=all]')).toBe(true);
    await page.fill('input[name=quantity-501]', '1');
    expect(await page.isChecked('#part')).toBe(true);
    await page.waitForSelector('#follows >> text=1 of variant 501');
    await expectNoFaults('transaction-refund-items');
  });

  it('finds a customer by an email, and is told what erasing does', async () => {
    await owner.paid({ email: 'grace@example.com' });
    await go('/console/test/customers');
    await expectNoFaults('customers-none');
    await go('/console/live/customers');
    expect(await page.textContent('.rows td:nth-child(3)')).toBe('grace@example.com');
    await expectNoFaults('customers');
    await page.keyboard.press('/');
    await page.keyboard.type('grace@example.com');
    await page.keyboard.press('Enter');
    await page.click('.rows td:first-child a');
    await expectNoFaults('customer');
    await page.fill('#lastName', 'Hopper');
    await page.click('button:has-text("Save")');
    expect(await page.textContent('h1')).toContain('Hopper');
    await page.click('text=Erase');
    expect(await page.textContent('.consequences')).toContain('Nothing brings them back');
    await expectNoFaults('customer-erase');
  });

  it('sees the charges of a subscription on a calendar, and freezes it', async () => {
    const subscription = { name: 'Tea club', rebillAmount: 10, interval: 'month' };
    const paid = await owner.paid({ email: 'member@example.com', subscription });
    await go('/console/live/subscriptions?status=frozen');
    await expectNoFaults('subscriptions-none');
    await page.selectOption('#status', 'active');
    await page.click('button:has-text("Filter")');
    expect(await page.textContent('.rows td:first-child a')).toBe('Tea club');
    await expectNoFaults('subscriptions-list');
    await go(`/console/live/subscriptions?q=${paid.customerId}`);
    await expectNoFaults('subscriptions');
    await page.click('.rows td:first-child a');
    expect(await page.locator('.month .due').count()).toBe(12);
    await expectNoFaults('subscription');
    await page.click('text=Change the plan');
    await page.fill('#rebillAmount', '12');
    await page.click('text=Review');
    expect(await page.textContent('.consequences')).toContain('12.00 GBP instead of 10.00 GBP');
    await expectNoFaults('subscription-plan-review');
    await go(`/console/live/subscriptions/${paid.subscriptionId}`);
    await page.click('.actions >> text=Freeze');
    await page.fill('#note', 'On holiday');
    await expectNoFaults('subscription-freeze');
    await page.click('button:has-text("Freeze")');
    expect(await page.textContent('h1')).toContain('Frozen');
  });

  it('represents a chargeback with a file', async () => {
    const { id: transactionId } = await owner.paid({ email: 'disputed@example.com' });
    const { disputes } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    await disputes.reportChargeback({
      provider: 'acquirer',
      reference: 'cb-1',
      amount: '100.00',
      currency: 'GBP',
      reasonCode: '13.1',
      transactionId,
    });
    await go('/console/live/disputes');
    await expectNoFaults('disputes');
    await page.click('.rows td:first-child a');
    const buffer = Buffer.from('Delivered on 3 March');
    await page.setInputFiles('#file', { name: 'receipt.txt', mimeType: 'text/plain', buffer });
    await page.click('text=Keep the file');
    expect(await page.textContent('.notice')).toBe('receipt.txt is kept.');
    await expectNoFaults('dispute');
    await page.click('.actions >> text=Represent');
    await page.fill('#trackingNumber', 'AB 12');
    await expectNoFaults('dispute-represent');
    await page.click('text=Hand in the evidence');
    expect(await page.textContent('h1')).toContain('Chargeback in review');
  });

  it('reads a merchant account, and prints its statement', async () => {
    await go('/console/live/merchant-accounts');
    await page.click('text=New account');
    await expectNoFaults('merchant-account-new');
    await go('/console/live/merchant-accounts');
    await page.click('.rows td:first-child a');
    expect(await page.textContent('#rates')).toBe('Dispute rate');
    await expectNoFaults('merchant-account');
    await page.click('a.term:has-text("RDR")');
    expect(await page.textContent('dt:target')).toBe('RDR');
    await expectNoFaults('glossary');
    await page.goBack();
    await page.click('.actions >> text=Change');
    await page.fill('#psp', 'Acme');
    await expectNoFaults('merchant-account-change');
    await page.click('button:has-text("Save")');
    expect(await page.textContent('.notice')).toBe('The account is changed.');
    await page.click('text=Replace');
    await page.fill('#apiKey-GBP', 'sk_live_1');
    await expectNoFaults('merchant-account-credentials');
    await page.click('button:has-text("Save")');
    expect(await page.textContent('dd:has-text("API key")')).toBe('API key');
    await page.click('.actions >> text=Statement');
    expect(await page.isVisible('button:has-text("Print")')).toBe(true);
    await page.emulateMedia({ media: 'print' });
    expect(await page.isVisible('.tenant')).toBe(true);
    expect(await page.isVisible('.sections')).toBe(false);
    expect(await page.isVisible('button:has-text("Print")')).toBe(false);
    expect(await page.isVisible('form >> text=Show')).toBe(false);
    expect(await page.isVisible('table >> text=Captured')).toBe(true);
    await page.emulateMedia({ media: 'screen' });
  });

  it('finds what is left of the navigation without faults, and long words within their pages', async () => {
    await page.setViewportSize({ width: WIDE, height: 800 });
    await go('/console/live/overview');
    expect(await page.locator('.flow .scroll').count()).toBe(4);
    expect(await cutOff('.flow .scroll')).toEqual([]);
    const links = page.locator('.sections a');
    const paths = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(paths.length).toBeGreaterThan(12);
    for (const path of [...paths, '/console/live/settlements/imports', '/console/live/glossary']) {
      if (path === null || looked.has(path)) continue;
      await go(path);
      await expectNoFaults(`section${path.replaceAll('/', '-')}`);
    }
    await page.setViewportSize({ width: 320, height: 800 });
    for (const path of await pagesOfLongWords(running, { caller: owner, owner: OWNER })) {
      await go(`/console/live${path}`);
      expect({ path, beyond: await beyond() }).toEqual({ path, beyond: 0 });
    }
    await go('/console/live/nowhere');
    expect(await page.textContent('h1')).toBe('There is no such page');
    forgive(404);
    await expectNoFaults('nowhere');
  });
});
