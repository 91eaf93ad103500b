/** Mails in the console: what is found, what became of a mail, and its preview without rights. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { mail } from '../engine/mail-shop.ts';
import { hiddenFields, openUser, Visitor } from './console-visitor.ts';

const TENANT = 55;
const OWNER = 'owner@example.com';
const AGENT = 'agent@example.com';
const LIST = '/console/live/mails';
const BODY = '<p>Hello <b>{{name}}</b></p><script>alert(1)</script>';

let running: Running;
let owner: Visitor;
let id: string;

beforeAll(async () => {
  running = await startHost();
  await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  await openUser(running, TENANT, { email: AGENT, roleIds: ['disputes'] });
  owner = new Visitor(running.url);
  await owner.signIn(TENANT, OWNER);
  await ledger().senderDomains.create({ domain: 'shop.example' });
  ({ id } = await ledger().mails.submit(mail({ templateContent: BODY })));
});
afterAll(() => running.close());

function ledger() {
  return running.host.engine.as({ tenantId: TENANT, actor: OWNER });
}

describe('the list', () => {
  it('is filtered by recipient, kind and state', async () => {
    await ledger().mails.submit(mail({ to: 'bob@example.com', subject: 'To Bob' }));
    const { text } = await owner.get(`${LIST}?to=bob%40example.com`);
    expect(text).toContain('To Bob');
    expect(text).not.toContain('Grüße');
    expect((await owner.get(`${LIST}?kind=refunded`)).text).toContain('No mail matches');
    expect((await owner.get(`${LIST}?status=failed`)).text).toContain('No mail matches');
  });

  it('goes from page to page, each mail once', async () => {
    const to = 'often@example.com';
    for (let count = 0; count < 27; count += 1) {
      await ledger().mails.submit(mail({ to, subject: `Number ${count}` }));
    }
    const first = await owner.get(`${LIST}?${new URLSearchParams({ to })}`);
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await owner.get(next);
    const subjects = [first, second].flatMap(({ text }) => text.match(/>Number \d+</g) ?? []);
    expect(new Set(subjects).size).toBe(27);
    expect(subjects).toHaveLength(27);
  });

  it('has no mails of the other data', async () => {
    const made = await ledger().mails.submit(mail({ subject: 'Of sandbox', sandbox: true }));
    expect((await owner.get(LIST)).text).not.toContain('Of sandbox');
    expect((await owner.get('/console/test/mails')).text).toContain('Of sandbox');
    expect((await owner.get(`${LIST}/${made.id}`)).status).toBe(404);
    expect((await owner.get(`${LIST}/${made.id}/html`)).status).toBe(404);
    expect((await owner.get(`/console/test/mails/${made.id}`)).status).toBe(200);
    expect((await owner.get(`/console/test/mails/${id}`)).status).toBe(404);
  });
});

describe('a mail', () => {
  it('is shown in a frame without rights, and as text', async () => {
    const { text, headers } = await owner.get(`${LIST}/${id}`);
    expect(text).toContain('Grüße');
    expect(text).toContain(`<iframe class="mail" sandbox src="${LIST}/${id}/html"`);
    expect(text).not.toContain('<script>alert');
    expect(headers.get('content-security-policy')).toContain("frame-src 'self'");
  });

  it('says in its frame what it says, and nothing else may happen there', async () => {
    const { text, headers } = await owner.get(`${LIST}/${id}/html`);
    expect(text).toContain('Hello <b>Änn &lt;3</b>');
    expect(headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is not found by an unknown id', async () => {
    const unknown = `${LIST}/00000000-0000-7000-8000-000000000000`;
    expect((await owner.get(unknown)).status).toBe(404);
    expect((await owner.get(`${unknown}/html`)).status).toBe(404);
  });

  it('is not shown to roles that do not allow it', async () => {
    const agent = new Visitor(running.url);
    await agent.signIn(TENANT, AGENT);
    for (const path of [LIST, `${LIST}/${id}`, `${LIST}/${id}/html`]) {
      const { status, text } = await agent.get(path);
      expect(status, path).toBe(403);
      expect(text).toContain('mails:read');
    }
  });
});

describe('sending again', () => {
  it('makes one mail, however often the form is sent', async () => {
    const page = await vi.waitFor(async () => {
      const shown = await owner.get(`${LIST}/${id}`);
      expect(shown.text).toContain('Send again');
      return shown;
    });
    expect(page.text).toContain('once more, as a new mail');
    const form = hiddenFields(page);
    const path = `${LIST}/${id}/resend`;
    const answers = await Promise.all([owner.post(path, form), owner.post(path, form)]);
    answers.push(await owner.post(path, form));
    for (const { status } of answers) expect(status).toBe(303);
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
    const { text } = await owner.get(answers[0]?.location ?? '');
    expect(text).toContain(`href="${LIST}/${id}">the mail before`);
  });

  it('is refused with the reason on the page, and not offered where it may not be', async () => {
    const { id: other } = await ledger().mails.submit(mail({ to: 'stopped@example.com' }));
    const page = await vi.waitFor(async () => {
      const shown = await owner.get(`${LIST}/${other}`);
      expect(shown.text).toContain('Send again');
      return shown;
    });
    await ledger().suppressions.create({ email: 'stopped@example.com' });
    const refused = await owner.post(`${LIST}/${other}/resend`, hiddenFields(page));
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('All its recipients are on the list of suppressions');
    await openUser(running, TENANT, { email: 'viewer@example.com', roleIds: ['viewer'] });
    const viewer = new Visitor(running.url);
    await viewer.signIn(TENANT, 'viewer@example.com');
    expect((await viewer.get(`${LIST}/${other}`)).text).not.toContain('Send again');
  });
});
