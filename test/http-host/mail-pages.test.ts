/** What readers of mails come to: unsubscribing, tracked links, and the kept mails in development. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MailServer } from '../e2e/mail-server.ts';
import { CALLER, type Json, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { verifyDkim } from '../engine/dkim.ts';

const TENANT = 41 as Parameters<Running['host']['tenants']['issueKey']>[0];
const HOSTILE = '<img src=x onerror=alert(1)>';
const LINK = 'https://shop.example/tea?a=1&b=2';
/** Not as a header takes it. */
const ODD_LINK = 'https://shop.example/thé\n/ü';

let running: Running;
let key: string;
let setTracking: (tracking: Json) => Promise<void>;

beforeAll(async () => {
  running = await startHost({ env: { PUBLIC_URL: 'https://pay.example' } });
  const caller = await openTenant(running, TENANT);
  const request = { kind: 'tenant', environment: 'live', label: '', scopes: [] } as const;
  key = (await running.host.tenants.issueKey(TENANT, request, CALLER)).key;
  await running.host.readSide.caughtUp(TENANT);
  await caller.post('/api/admin/senderdomains', { body: { domain: 'shop.example' } });
  setTracking = async (tracking) => {
    const body = JSON.stringify({ tracking });
    const type = { 'Content-Type': 'application/json' };
    const changed = await caller.wire.send('PATCH', '/api/admin/mailsettings', body, type);
    expect(changed.status, changed.text).toBe(200);
  };
  await setTracking({ opens: true, clicks: true });
});
afterAll(async () => running.close());

async function api(path: string, body?: Json): Promise<Json> {
  const answer = await fetch(running.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Tenant-Key': key, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

/** Sends a mail, and answers it as it was kept. */
async function kept(more: Json = {}): Promise<{ id: string; eml: string }> {
  const email = {
    from: 'post@shop.example',
    to: 'ann@example.com',
    subject: HOSTILE,
    templateType: 'string',
    templateContent: `<p>{{name}} <a href="${LINK.replace('&', '&amp;')}">Tea</a> <a href="${ODD_LINK}">Thé</a> <a href="mailto:a@b.example">Mail</a></p>`,
    templateData: { name: HOSTILE },
    listUnsubscribe: true,
    ...more,
  };
  const { id } = await api('/api/email', email);
  await expect.poll(async () => (await api(`/api/email/${id}`)).email.status).toBe('sent');
  const source = await (await fetch(`${running.url}/mails/${id}/eml`)).text();
  // Quoted-printable, as nodemailer writes it.
  return { id, eml: source.replaceAll('=\r\n', '').replaceAll('=3D', '=') };
}

function local(url: string): string {
  expect(url).toMatch(/^https:\/\/pay\.example\/mail\//);
  return url.replace('https://pay.example', running.url);
}

it('signs the links to unsubscribe', async () => {
  const server = await MailServer.start();
  const env = {
    ...{ SMTP_URL: server.url, MAIL_FROM: 'post@shop.example' },
    PUBLIC_URL: 'https://pay.example',
  };
  const mailing = await startHost({ env });
  try {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const caller = await openTenant(mailing, TENANT);
    const dkim = { dkimSelector: 'one', dkimPrivateKey: privateKey };
    await caller.post('/api/admin/senderdomains', { body: { domain: 'shop.example', ...dkim } });
    const shop = mailing.host.engine.ledgers.as({ tenantId: TENANT, ...CALLER });
    await shop.mails.submit({ ...plain('Hello'), listUnsubscribe: true });
    await expect.poll(() => server.mails.length).toBe(1);
    const source = server.mails[0]?.source ?? '';
    const { isGenuine, signed } = verifyDkim(source, publicKey);
    expect(isGenuine).toBe(true);
    expect(signed).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']));
    expect(source).toMatch(/^List-Unsubscribe:/m);
  } finally {
    await mailing.close();
    await server.close();
  }
});

function clicksIn(eml: string): readonly string[] {
  const urls = eml.match(/https:\/\/pay\.example\/mail\/click\?token=[\w-]+/g) ?? [];
  return urls.map(local);
}

it('lets a reader unsubscribe, by the page and with one click', async () => {
  const { eml } = await kept();
  const header = eml.replaceAll(/\r\n[ \t]+/g, ' ');
  const url = local(/^List-Unsubscribe: <(\S+)>/m.exec(header)?.[1] ?? '');
  expect(header).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  const page = await fetch(url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain('ann@example.com');
  const before = await api('/api/email', plain('Before'));
  await expect.poll(async () => (await api(`/api/email/${before.id}`)).email.status).toBe('sent');
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const clicked = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(clicked.status, await clicked.text()).toBe(200);
  }
  const after = await api('/api/email', plain('After'));
  await expect
    .poll(async () => (await api(`/api/email/${after.id}`)).email.reason)
    .toBe('suppressed');
  const bad = url.slice(0, -4);
  expect((await fetch(bad, { method: 'POST' })).status).toBe(404);
});

function plain(subject: string) {
  const common = { from: 'post@shop.example', to: 'ann@example.com', subject };
  return { ...common, templateType: 'string' as const, templateContent: 'Hello' };
}

it('records opens and clicks, and leads only to links of the mail', async () => {
  const { id, eml } = await kept({ to: 'bob@example.com' });
  expect(eml).not.toContain(`href="${LINK}`);
  expect(eml).toContain('mailto:a@b.example');
  const open = local(/https:\/\/pay\.example\/mail\/open\?token=[\w-]+/.exec(eml)?.[0] ?? '');
  const [click = '', odd = ''] = clicksIn(eml);
  expect((await fetch(open)).headers.get('content-type')).toBe('image/gif');
  const led = await fetch(click, { redirect: 'manual' });
  expect([led.status, led.headers.get('location')]).toEqual([302, LINK]);
  const ledOdd = await fetch(odd, { redirect: 'manual' });
  expect(ledOdd.headers.get('location')).toBe('https://shop.example/th%C3%A9/%C3%BC');
  const { email } = await api(`/api/email/${id}`);
  const visits = email.history.slice(1).map((each: Json) => [each.outcome, each.reason]);
  expect(visits).toEqual([
    ['opened', ''],
    ['clicked', LINK],
    ['clicked', 'https://shop.example/th%C3%A9/%C3%BC'],
  ]);
  const [token = ''] = /token=[\w-]+/.exec(open) ?? [];
  for (const other of [token, 'token=x', `token=${encodeURIComponent(LINK)}`]) {
    const answer = await fetch(`${running.url}/mail/click?${other}`, { redirect: 'manual' });
    expect(answer.status, other).toBe(404);
  }
});

it('records none once the tenant has turned it off, and still leads to links', async () => {
  const { id, eml } = await kept({ to: 'dora@example.com' });
  await setTracking({ opens: true, clicks: false });
  const [click = ''] = clicksIn(eml);
  const led = await fetch(click, { redirect: 'manual' });
  await setTracking({ opens: true, clicks: true });
  expect(led.headers.get('location')).toBe(LINK);
  expect((await api(`/api/email/${id}`)).email.history).toHaveLength(1);
});

it('shows kept mails in development, with nothing of them run', async () => {
  const { id } = await kept({ to: 'cy@example.com' });
  const list = await (await fetch(`${running.url}/mails`)).text();
  expect(list).toContain(`/mails/${id}`);
  const page = await fetch(`${running.url}/mails/${id}`);
  const text = await page.text();
  expect(text).toContain(`<iframe sandbox title="The HTML part" src="/mails/${id}/html">`);
  for (const shown of [list, text]) expect(shown).not.toContain(HOSTILE);
  const frame = await fetch(`${running.url}/mails/${id}/html`);
  expect(frame.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  expect(await frame.text()).not.toContain(HOSTILE);
  // A page of another site, whose name is made to resolve to this machine.
  for (const path of ['', `/${id}`, `/${id}/html`, `/${id}/eml`]) {
    expect(await statusUnder('evil.example', `/mails${path}`), path).toBe(404);
  }
});

async function statusUnder(host: string, path: string): Promise<number | undefined> {
  const request = get(running.url + path, { headers: { Host: host } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

it('has no such pages in production', async () => {
  const env = {
    NODE_ENV: 'production',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const production = await startHost({ env });
  try {
    expect((await fetch(`${production.url}/mails`)).status).toBe(404);
  } finally {
    await production.close();
  }
});
