/** Settings in the console: users, roles and domains, which several people change at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKOUT, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { hiddenFields, openUser, row, type ShownPage, Visitor } from './console-visitor.ts';

const TENANT = 63;
const OWNER = 'owner@example.com';
const SETTINGS = '/console/live/settings';

let running: Running;
let owner: Visitor;

beforeAll(async () => {
  running = await startHost();
  await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  owner = await signedIn(OWNER);
});
afterAll(() => running.close());

async function signedIn(email: string): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(TENANT, email);
  return visitor;
}

const ledger = () => running.host.engine.as({ tenantId: TENANT, actor: OWNER });

async function opened(email: string, roleIds: readonly string[]): Promise<string> {
  await openUser(running, TENANT, { email, roleIds });
  return idOf(email);
}

async function idOf(email: string): Promise<string> {
  const { items } = await ledger().users.list();
  return items.find((each) => each.email === email)?.id ?? '';
}

/** The values of the boxes of a name that are ticked. */
function ticked({ text }: ShownPage, name: string): string[] {
  const boxes = [...text.matchAll(/name="(\w+)" value="([^"]+)" checked/g)];
  return boxes.filter(([, of]) => of === name).map(([, , value = '']) => value);
}

describe('a user', () => {
  const USERS = `${SETTINGS}/users`;

  it('is not changed on a page that is out of date, but after what is new was seen', async () => {
    const id = await opened('ann@example.com', ['agent']);
    const page = `${USERS}/${id}`;
    const form = hiddenFields(await owner.get(page));
    await ledger().users.change(id, { roleIds: ['viewer'] });
    const refused = await owner.post(page, { ...form, name: 'Ann', roleIds: 'finance' });
    expect(refused.status).toBe(409);
    expect(refused.text).not.toContain('rowVersion is');
    const [, before, now, mine] = row(refused, 'Roles');
    expect([before, now, mine]).toEqual(['Agent', 'Viewer', 'Finance']);
    expect((await ledger().users.get(id)).roleIds).toEqual(['viewer']);
    expect(ticked(refused, 'roleIds')).toEqual(['finance']);
    const seen = { ...hiddenFields(refused), name: 'Ann', roleIds: 'finance' };
    expect((await owner.post(page, seen)).status).toBe(303);
    const { name, roleIds } = await ledger().users.get(id);
    expect([name, roleIds]).toEqual(['Ann', ['finance']]);
  });

  it('keeps the roles that somebody else gave, where only the name was changed', async () => {
    const email = 'bea@example.com';
    const id = await opened(email, ['agent']);
    const page = `${USERS}/${id}`;
    const form = { ...hiddenFields(await owner.get(page)), name: 'Bea', roleIds: 'agent' };
    await ledger().users.change(id, { roleIds: ['viewer'] });
    const refused = await owner.post(page, form);
    expect(row(refused, 'Roles')[3]).toBe('not changed');
    expect(ticked(refused, 'roleIds')).toEqual(['viewer']);
    const seen = { ...hiddenFields(refused), name: 'Bea', roleIds: 'viewer' };
    expect((await owner.post(page, seen)).status).toBe(303);
    // The same form once more does nothing.
    const again = await owner.post(page, seen);
    expect(again.status).toBe(303);
    const { name, roleIds } = await ledger().users.get(id);
    expect([name, roleIds]).toEqual(['Bea', ['viewer']]);
  });
});

describe('an owner', () => {
  it('is told what it means to take that role from themselves', async () => {
    const email = 'second@example.com';
    const id = await opened(email, ['owner', 'viewer']);
    const page = `${SETTINGS}/users/${id}`;
    const second = await signedIn(email);
    const form = { ...hiddenFields(await second.get(page)), name: email, roleIds: 'viewer' };
    const asked = await second.post(page, form);
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('To give the role back takes another owner.');
    expect((await ledger().users.get(id)).roleIds).toContain('owner');
    expect((await second.post(page, hiddenFields(asked))).status).toBe(303);
    expect((await ledger().users.get(id)).roleIds).toEqual(['viewer']);
  });

  it('takes it from others without that step', async () => {
    const id = await opened('third@example.com', ['owner']);
    const page = `${SETTINGS}/users/${id}`;
    const form = { ...hiddenFields(await owner.get(page)), name: 'Third', roleIds: 'viewer' };
    expect((await owner.post(page, form)).status).toBe(303);
  });
});

describe('the settings', () => {
  it('are refused to those whose roles allow none of them', async () => {
    const email = 'none@example.com';
    const { id } = await ledger().users.createRole({ name: 'Leads', scopes: ['leads:read'] });
    await opened(email, [id]);
    const { status, text } = await (await signedIn(email)).get(SETTINGS);
    expect([status, text.includes('Your roles allow none of the settings')]).toEqual([403, true]);
  });
});

describe('a role', () => {
  it('is not changed on a page that is out of date, but after what is new was seen', async () => {
    const { users } = ledger();
    const { id } = await users.createRole({ name: 'Desk', scopes: ['leads:read'] });
    const page = `${SETTINGS}/roles/${id}`;
    const form = hiddenFields(await owner.get(page));
    await users.replaceRole(id, { name: 'Desk', scopes: ['mails:read'] });
    const mine = { name: 'Desk', scopes: 'disputes:read' };
    const refused = await owner.post(page, { ...form, ...mine });
    expect(refused.status).toBe(409);
    expect(row(refused, 'Permissions').slice(1)).toEqual([
      'leads:read',
      'mails:read',
      'disputes:read',
    ]);
    expect((await users.getRole(id)).scopes).toEqual(['mails:read']);
    expect((await owner.post(page, { ...hiddenFields(refused), ...mine })).status).toBe(303);
    expect((await users.getRole(id)).scopes).toEqual(['disputes:read']);
  });
});

describe('the name of a role', () => {
  it('that another has is refused at its field', async () => {
    const { id } = await ledger().users.createRole({ name: 'Night shift', scopes: [] });
    const form = { name: ' night SHIFT', scopes: 'leads:read' };
    const page = `${SETTINGS}/new-role`;
    const { status, text } = await owner.submit(page, page, form);
    expect(status).toBe(409);
    expect(text).toMatch(/id="name"[^>]*value=" night SHIFT"[^>]*aria-invalid="true"/);
    expect(text).toContain('Another role has this name');
    const same = `${SETTINGS}/roles/${id}`;
    const kept = { ...hiddenFields(await owner.get(same)), name: 'Night Shift' };
    expect((await owner.post(same, kept)).status).toBe(303);
  });
});

describe('a domain', () => {
  it('is not changed on a page that is out of date, but after what is new was seen', async () => {
    const { senderDomains } = ledger();
    const { id } = await senderDomains.create({ domain: 'shop.example' });
    const page = `${SETTINGS}/domains/${id}`;
    const form = hiddenFields(await owner.get(page));
    await senderDomains.change(id, { status: 'disabled' });
    const mine = { status: 'authorized', includeSubdomains: 'yes' };
    const refused = await owner.post(page, { ...form, ...mine });
    expect(refused.status).toBe(409);
    expect(row(refused, 'State').slice(1)).toEqual(['Authorized', 'Disabled', 'not changed']);
    expect(refused.text).toMatch(/value="disabled" selected/);
    const seen = { ...hiddenFields(refused), ...mine, status: 'disabled' };
    expect((await owner.post(page, seen)).status).toBe(303);
    const { status, includeSubdomains } = await senderDomains.get(id);
    expect([status, includeSubdomains]).toEqual(['disabled', true]);
  });
});

describe('a key for pages', () => {
  const NEW = `${SETTINGS}/new-key`;
  const given = {
    label: 'Checkout pages',
    kind: 'payment-publishable',
    environment: 'test',
    applicationId: String(CHECKOUT),
    allowedOrigins: 'https://shop.example\r\nhttps://pay.shop.example',
  };

  it('is made with its application and where the pages are, and shown once', async () => {
    const made = await owner.submit(NEW, NEW, given);
    const [, key = ''] = /data-copy="(cf[^"]+)"/.exec(made.text) ?? [];
    const { items } = await ledger().keys.list();
    const found = items.find(({ label }) => label === given.label);
    expect(found).toMatchObject({
      kind: 'payment-publishable',
      environment: 'test',
      applicationId: CHECKOUT,
      allowedOrigins: ['https://shop.example', 'https://pay.shop.example'],
      scopes: [],
    });
    expect(key.endsWith(found?.hint.slice(-4) ?? 'none')).toBe(true);
    const page = await owner.get(`${SETTINGS}/keys/${found?.id}`);
    expect(page.text).toContain('https://shop.example, https://pay.shop.example');
    expect(page.text).toContain('<dt>Application</dt>');
    expect(page.text).not.toContain(key);
  });

  it('is refused at the fields that it needs', async () => {
    const needless = { applicationId: '', allowedOrigins: '' };
    const { status, text } = await owner.submit(NEW, NEW, { ...given, ...needless });
    expect(status).toBe(400);
    expect(text).toContain('href="#applicationId"');
    expect(text).toContain('id="allowedOrigins-problem"');
    expect(text).toContain('value="payment-publishable" selected');
  });

  it('leaves what it needs out of keys of another kind', async () => {
    const made = await owner.submit(NEW, NEW, { ...given, label: 'Program', kind: 'api' });
    expect(made.status).toBe(200);
    const { items } = await ledger().keys.list();
    expect(items.find(({ label }) => label === 'Program')).toMatchObject({
      kind: 'api',
      applicationId: null,
      allowedOrigins: [],
    });
  });
});

describe('a lead key', () => {
  const NEW = `${SETTINGS}/new-lead-key`;
  const KEYS = `${SETTINGS}/keys`;
  const terms = { label: 'Landing pages', applicationId: String(CHECKOUT), environment: 'test' };
  const written = (headers: Record<string, string>) =>
    fetch(`${running.url}/api/public/customer-leads`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ email: 'ada@example.com', session_id: 'visit-1' }),
    });
  const fromServer = (key: string) => written({ Authorization: `Bearer ${key}` });
  const fromPage = (key: string) =>
    written({ Origin: 'https://shop.example', 'X-Service-Lead-Key': key });
  const shownKeys = ({ text }: ShownPage) =>
    [...text.matchAll(/data-copy="(cf[^"]+)"/g)].map(([, key = '']) => key);

  it('that was made elsewhere is listed, with its page', async () => {
    const { id, secretHint } = await ledger().keys.createLeadKey({
      label: 'Elsewhere',
      applicationId: CHECKOUT,
    });
    const list = await owner.get(KEYS);
    expect(list.text).toContain(`href="${SETTINGS}/lead-keys/${id}">Elsewhere`);
    expect(row(list, 'Elsewhere')).toContain(secretHint);
    expect((await owner.get(`${SETTINGS}/lead-keys/${id}`)).status).toBe(200);
  });

  it('is made, with both keys shown once, replaced, changed and revoked', async () => {
    const made = await owner.submit(NEW, NEW, {
      ...terms,
      allowedOrigins: 'https://shop.example\r\n',
    });
    const keys = shownKeys(made);
    expect(keys).toHaveLength(2);
    const [publishable = '', secret = ''] = keys;
    const list = await owner.get(KEYS);
    for (const key of keys) expect(list.text).not.toContain(key);
    const [, page = ''] = /href="([^"]+)">Landing pages</.exec(list.text) ?? [];
    const form = hiddenFields(await owner.get(page));
    const id = page.split('/').at(-1) ?? '';
    expect((await fromPage(publishable)).status).toBeLessThan(300);
    expect((await fromServer(secret)).status).toBeLessThan(300);
    await ledger().keys.changeLeadKey(id, { label: 'Theirs' });
    const mine = { label: 'Mine', allowedOrigins: '' };
    const refused = await owner.post(page, { ...form, ...mine });
    expect(row(refused, 'What it is for').slice(1)).toEqual(['Landing pages', 'Theirs', 'Mine']);
    expect((await owner.post(page, { ...hiddenFields(refused), ...mine })).status).toBe(303);
    expect((await ledger().keys.getLeadKey(id)).allowedOrigins).toEqual([]);
    const replaced = await owner.submit(page, `${page}/rotate`, { overlapDays: '0' });
    const [, another = ''] = shownKeys(replaced);
    expect((await fromServer(secret)).status).toBe(401);
    expect((await fromServer(another)).status).toBeLessThan(300);
    expect((await owner.submit(page, `${page}/revoke`)).status).toBe(303);
    expect((await fromServer(another)).status).toBe(401);
    expect((await owner.get(page)).text).not.toContain(`${page}/rotate`);
  });

  it('is refused at its field where it cannot be', async () => {
    const { status, text } = await owner.submit(NEW, NEW, { ...terms, allowedOrigins: 'shop' });
    expect(status).toBe(400);
    expect(text).toContain('id="allowedOrigins-problem"');
    expect(text).toContain('value="Landing pages"');
  });

  it('is seen by those who may read keys, and made by those who may write them', async () => {
    const email = 'keys@example.com';
    await opened(email, ['viewer']);
    const viewer = await signedIn(email);
    const list = await viewer.get(KEYS);
    expect(list.text).toContain('Elsewhere');
    expect(list.text).not.toContain(NEW);
    expect((await viewer.get(NEW)).status).toBe(403);
    const [, page = ''] = /href="([^"]+)">Elsewhere</.exec(list.text) ?? [];
    expect((await viewer.get(page)).text).not.toContain(`${page}/revoke`);
    expect((await viewer.submit(page, `${page}/revoke`)).status).toBe(403);
  });
});
