/** The console in a real browser: every page without faults, and the ways of an owner through it. */
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, faultsIn, openBrowser, openPage, watched } from '../examples/chromium.ts';
import { openUser, PASSWORD } from '../http-host/console-visitor.ts';
import { CARDS, type Caller, card, openTenant, type Running, startHost } from './running-host.ts';

const TENANT = 52;
const OWNER = 'owner@example.com';
/** A folder to look at what the pages look like. */
const SCREENSHOTS = process.env['SCREENSHOTS'];
const WIDTHS = [1280, 360];

if (CHROMIUM === undefined) {
  process.stderr.write('left out: the console in a browser. There is no Chromium; set CHROMIUM.\n');
}

let running: Running;
let owner: Caller;
let browser: Browser;
let page: Page;
let errors: readonly string[];

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  running = await startHost();
  owner = await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  const { id } = await owner.paid();
  await owner.refund(id, { amount: 20 });
  await owner.pay({ card: card(CARDS.doNotHonour), email: 'declined@example.com' });
  await running.host.readSide.caughtUp(
    TENANT as Parameters<Running['host']['readSide']['caughtUp']>[0],
  );
  browser = await openBrowser();
  const opened = await openPage(browser, { viewport: { width: 1280, height: 800 } });
  ({ page, errors } = opened);
});
afterAll(async () => {
  await browser?.close();
  await running?.close();
});

async function go(path: string): Promise<void> {
  await page.goto(`${running.url}${path}`);
}

/** No fault of axe-core, no error, nothing that the policy refused, and nothing beyond the width. */
async function expectNoFaults(name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect({ name, width, beyond }).toEqual({ name, width, beyond: 0 });
    expect(await faultsIn(page.mainFrame()), name).toEqual([]);
    if (SCREENSHOTS !== undefined) {
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}.png`, fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
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

  it('reads times in the own zone, and is told the keys', async () => {
    await go('/console/live/account');
    expect(await page.textContent('tbody time')).toMatch(/ago|now/);
    await page.keyboard.press('?');
    expect(await page.isVisible('#keys')).toBe(true);
    await expectNoFaults('keys');
  });
});
