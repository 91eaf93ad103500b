/** The reference in a real browser: its chapters are found by their addresses, and nobody else is asked. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, openBrowser, openPage, watched } from '../examples/chromium.ts';
import { type Running, startHost } from './running-host.ts';

if (CHROMIUM === undefined) {
  process.stderr.write(
    'left out: the reference in a browser. There is no Chromium; set CHROMIUM.\n',
  );
}

let running: Running;
let browser: Browser;
let page: Page;
let errors: readonly string[];
const asked = new Set<string>();

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  running = await startHost();
  browser = await openBrowser();
  const opened = await openPage(browser, { viewport: { width: 1280, height: 800 } });
  ({ page, errors } = opened);
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
});
afterAll(async () => {
  await browser?.close();
  await running?.close();
});

describe.skipIf(CHROMIUM === undefined)('the reference', () => {
  it.each([
    ['#description/glossary', 'Glossary'],
    ['#description/money-that-goes-back', 'Money that goes back'],
    ['#error-not_found', 'Errors'],
  ])('opens at %s', async (hash, title) => {
    await page.goto('about:blank');
    await page.goto(`${running.url}/docs${hash}`);
    const heading = page.locator('h1, h2', { hasText: new RegExp(`^${title}$`) });
    await heading.waitFor();
    await page.waitForFunction(
      `[...document.querySelectorAll('h1, h2')].some((each) => {
        const { top } = each.getBoundingClientRect();
        return each.textContent.trim() === ${JSON.stringify(title)} && top >= 0 && top < innerHeight;
      })`,
    );
    expect(await watched(page.mainFrame(), 'violations')).toEqual([]);
    expect(errors).toEqual([]);
    expect([...asked]).toEqual([running.url]);
  });

  it('leads from a description to the glossary', async () => {
    await page.goto('about:blank');
    const operation = '#tag/settlements/POST/api/admin/settlements/payouts';
    await page.goto(`${running.url}/docs${operation}`);
    const link = page.locator('a[href$="#description/who-and-where"]').first();
    await link.scrollIntoViewIfNeeded();
    await link.click();
    await page.waitForFunction(
      `[...document.querySelectorAll('h2')].some((each) => {
        const { top } = each.getBoundingClientRect();
        return each.textContent.trim() === 'Who and where' && top >= 0 && top < innerHeight;
      })`,
    );
    expect(page.url()).toBe(`${running.url}/docs#description/who-and-where`);
    expect(errors).toEqual([]);
  });

  it('explains a term in its glossary', async () => {
    const term = page.locator('li', { hasText: /^RDR\./ });
    expect(await term.textContent()).toContain('the network refunds by rules');
  });
});
