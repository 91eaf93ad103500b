/** Texts of mails in the console: seen, tried, changed and given back, of one company alone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { hiddenFields, openUser, row, Visitor } from './console-visitor.ts';

const TENANT = 61;
const OTHER = 62;
const OWNER = 'owner@example.com';
const VIEWER = 'viewer@example.com';
const PATH = '/console/live/settings/mail-texts';
const REFUND = `${PATH}/refunded`;
const MINE = { subject: 'Back: {{refunded}}', text: 'Dear {{firstName}},\r\n\r\nit is done.' };

let running: Running;
let owner: Visitor;

beforeAll(async () => {
  running = await startHost();
  for (const tenant of [TENANT, OTHER]) {
    await openTenant(running, tenant);
    await openUser(running, tenant, { email: OWNER, roleIds: ['owner'] });
  }
  await openUser(running, TENANT, { email: VIEWER, roleIds: ['viewer'] });
  owner = await signedIn(OWNER);
});
afterAll(() => running.close());

async function signedIn(email: string, tenant = TENANT): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(tenant, email);
  return visitor;
}

function textsOf(tenantId: number) {
  const { mailSettings } = running.host.engine.as({ tenantId, actor: OWNER });
  return mailSettings.get();
}

/** Sends a form of the page with its hidden fields. */
async function send(path: string, fields: Record<string, string>, visitor = owner) {
  const page = await visitor.get(path === PATH ? PATH : REFUND);
  return visitor.post(path, { ...hiddenFields(page), ...fields });
}

it('begin with what the built-in text says', async () => {
  expect((await owner.get(PATH)).text).not.toContain('Your own');
  const { text } = await owner.get(REFUND);
  expect(text).toContain('value="Your refund of {{amount}} from {{company}}"');
  expect(text).toContain('Hello{{#if firstName}} {{firstName}}{{/if}},');
  expect(text).toContain('data-copy="{{onYourStatementAs}}"');
});

it('are shown in a frame without rights, with sample values and before they are kept', async () => {
  const shown = `${REFUND}/preview`;
  const saved = await owner.get(shown);
  expect(saved.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  expect(saved.text).toContain('Your refund of 20.00 GBP from');
  const tried = await send(shown, { ...MINE, text: '<b>{{order}}</b>' });
  expect(tried.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  expect(tried.text).toContain('&lt;b&gt;1001&lt;/b&gt;');
  const wrong = await send(shown, { ...MINE, text: 'a {{<script>' });
  expect(wrong.status).toBe(200);
  expect(wrong.text).toMatch(/<p>text .*line 1, column 3/);
  expect((await send(shown, { subject: '', text: '' })).text).toContain('<p>subject must ');
  expect((await textsOf(TENANT)).texts).toEqual({});
});

it('are refused at the field where they cannot be rendered', async () => {
  const { status, text } = await send(REFUND, { ...MINE, text: 'once {{#if order}}' });
  expect(status).toBe(400);
  expect(text).toMatch(/<p class="problem" id="text-problem">[^<]*line 1, column 6/);
  expect(text).toContain('once {{#if order}}</textarea>');
});

it('are changed where nobody else has, for one company, and given back', async () => {
  const seen = hiddenFields(await owner.get(REFUND));
  expect(await send(REFUND, MINE)).toMatchObject({ status: 303, location: REFUND });
  const kept = { subject: MINE.subject, text: 'Dear {{firstName}},\n\nit is done.' };
  expect((await textsOf(TENANT)).texts).toEqual({ refunded: kept });
  expect((await textsOf(OTHER)).texts).toEqual({});
  expect((await owner.get(`${REFUND}/preview`)).text).toContain('<title>Back: 20.00 GBP</title>');

  const late = await owner.post(REFUND, { ...seen, ...MINE, subject: 'Late' });
  expect(late.status).toBe(409);
  expect(late.text).toContain('value="Late"');
  expect(late.text).not.toContain('rowVersion is');
  expect(row(late, 'Subject')).toEqual([
    'Subject',
    'Your refund of {{amount}} from {{company}}',
    MINE.subject,
    'Late',
  ]);
  const reset = await owner.post(`${REFUND}/reset`, seen);
  expect(reset.status).toBe(409);
  expect(reset.text).toContain('Somebody else has changed the text');
  const fields = { ...hiddenFields(late), ...MINE, subject: 'Late' };
  expect((await owner.post(REFUND, fields)).status).toBe(303);
  expect((await textsOf(TENANT)).texts.refunded?.subject).toBe('Late');

  expect((await send(`${REFUND}/reset`, {})).status).toBe(303);
  expect((await textsOf(TENANT)).texts).toEqual({});
});

it('are changed beside those of other mails', async () => {
  const seen = hiddenFields(await owner.get(REFUND));
  const { mailSettings } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
  await mailSettings.change({ texts: { frozen: { subject: 'Frozen', text: 'It is frozen.' } } });
  expect((await owner.post(REFUND, { ...seen, ...MINE })).status).toBe(303);
  expect(Object.keys((await textsOf(TENANT)).texts).toSorted()).toEqual(['frozen', 'refunded']);
  expect((await send(`${REFUND}/reset`, {})).status).toBe(303);
});

it('have one language, which is a language', async () => {
  expect((await send(PATH, { language: 'English' })).status).toBe(400);
  expect((await send(PATH, { language: 'de' })).status).toBe(303);
  expect((await textsOf(TENANT)).language).toBe('de');
  expect((await owner.get(`${REFUND}/preview`)).text).toContain('14. April 2026');
});

it('are read by those who may read mails, and changed by those who may change them', async () => {
  const viewer = await signedIn(VIEWER);
  const { status, text } = await viewer.get(REFUND);
  expect(status).toBe(200);
  expect(text).not.toContain('Use this text');
  expect((await viewer.get(`${REFUND}/preview`)).status).toBe(200);
  for (const path of [REFUND, `${REFUND}/reset`, PATH]) {
    expect((await send(path, { ...MINE, language: 'de' }, viewer)).status).toBe(403);
  }
  expect((await owner.get(`${PATH}/submitted`)).status).toBe(404);
});
