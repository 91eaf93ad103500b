/** A real browser, where the machine has one, and what it says of the pages that it shows. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Frame } from 'playwright-core';
import { PATIENCE_MS } from '../setup/patience-ms.ts';

const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** `CHROMIUM`, or one of the usual paths; undefined where there is none. */
export const CHROMIUM = [process.env['CHROMIUM'] ?? '', ...USUAL_PATHS].find(
  (path) => path !== '' && existsSync(path),
);

export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('there is no Chromium');
  // Within a container there is no other sandbox, and the pages are our own.
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

/** Keeps what pages and frames are told by messages, and what their policies refuse. */
const WATCH = `
  globalThis.seenMessages = [];
  globalThis.violations = [];
  addEventListener('message', ({ data }) => seenMessages.push(JSON.stringify(data)), true);
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    violations.push(violatedDirective + ' ' + blockedURI), true);
`;

export async function openPage(browser: Browser, options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  /** Requests with a body, by address. */
  const sent: { readonly url: string; readonly body: string }[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    const body = request.postData();
    if (body !== null) sent.push({ url: request.url(), body });
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    // What the host answers with 402 is a decline, which Chromium lists as an error.
    const isDecline = message.text().includes('402');
    if (message.type() === 'error' && !isDecline) errors.push(message.text());
  });
  return { context, page, sent, errors };
}

export function watched(frame: Frame, name: 'seenMessages' | 'violations'): Promise<string[]> {
  return frame.evaluate(`globalThis.${name}`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 AA is off in axe-core unless it is asked for. */
const OPTIONS = { iframes: false, rules: { 'target-size': { enabled: true } } };

/** What axe-core finds wrong in one frame, as `rule: targets`. */
export async function faultsIn(frame: Frame): Promise<string[]> {
  await frame.evaluate(AXE);
  return frame.evaluate(`axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(' ')))`);
}
