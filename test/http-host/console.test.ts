/** The console over HTTP: who gets in, what forms are taken, and what roles allow. */
import { createHmac } from 'node:crypto';
import { consoleRoutes } from '@counterfoil/http-host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTenant, type Running, startHost, type TenantId } from '../e2e/running-host.ts';
import { openUser, PASSWORD, Visitor } from './console-visitor.ts';

const TENANT = 51;
const OWNER = 'owner@example.com';
const AGENT = 'agent@example.com';
const HOME = '/console/live/overview';
const SIGN_IN = '/console/sign-in';

let running: Running;
let owner: Visitor;
let agent: Visitor;

beforeAll(async () => {
  running = await startHost();
  await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  await openUser(running, TENANT, { email: AGENT, roleIds: ['agent'] });
  owner = await signedIn();
  agent = await signedIn(AGENT);
});
afterAll(() => running.close());

async function signedIn(email = OWNER): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(TENANT, email);
  return visitor;
}

/** With ids where the path has parameters. */
function addressOf(path: string): string {
  return path.replace('{environment}', 'live').replaceAll(/\{\w+\}/g, 'a');
}

const routes = (await consoleRoutes()).filter(({ path }) => !path.startsWith('/console/assets/'));
const forms = routes.filter(({ method }) => method === 'POST');
/** Without those that are the address of a page too, or of a record that is not there. */
const onlyForms = forms.filter(({ path }) => !pagePattern().test(path));
const pages = routes.filter(({ method, path }) => method === 'GET' && path.includes('{'));

function pagePattern(): RegExp {
  const ofPages = routes.filter(({ method }) => method === 'GET');
  return new RegExp(
    `^(${ofPages.map(({ path }) => path.replaceAll(/\{\w+\}/g, '[^/]+')).join('|')})$`,
  );
}

describe('forms', () => {
  /** As the page of the form would. */
  function send(
    { path, upload }: (typeof forms)[number],
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) {
    const address = addressOf(path);
    return upload === undefined
      ? owner.post(address, fields, headers)
      : owner.upload(address, fields, { headers });
  }

  it('are there', () => {
    expect(forms.length).toBeGreaterThan(4);
  });

  it.each(forms)('$path is refused without the token of the session', async (form) => {
    for (const token of ['', 'a'.repeat(43)]) {
      expect((await send(form, { token })).status).toBe(403);
    }
  });

  it.each(forms)('$path is refused with the token of another session', async (form) => {
    const token = await agent.token(HOME);
    expect((await send(form, { token })).status).toBe(403);
  });

  it.each(forms)('$path is refused from another origin', async (form) => {
    const token = await owner.token(HOME);
    for (const Origin of ['https://evil.example', 'null', '']) {
      const answer = await send(form, { token }, { Origin });
      expect(answer.status, Origin).toBe(403);
    }
  });
});

describe('pages', () => {
  it.each(pages)('$path leads to the sign-in without a session', async ({ path }) => {
    const { status, location } = await new Visitor(running.url).get(addressOf(path));
    expect(status).toBe(303);
    expect(location).toBe(`${SIGN_IN}?${new URLSearchParams({ next: addressOf(path) })}`);
  });

  it('allow scripts, styles and frames of nobody else, and are not kept', async () => {
    const { headers } = await owner.get(HOME);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('have no style and no script of their own', async () => {
    const { text } = await owner.get(HOME);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?! src="\/console\/assets\/)/);
  });

  it('are of live or sandbox data, and of nothing else', async () => {
    const visitor = owner;
    expect((await visitor.get('/console/test/overview')).text).toContain('class="sandbox"');
    expect((await visitor.get(HOME)).text).not.toContain('class="sandbox"');
    expect((await visitor.get('/console/prod/overview')).status).toBe(404);
  });

  it.each(['/console/live/nowhere', '/console/test/settings/nowhere/at/all', '/console/nowhere'])(
    '%s is no page, and the frame of the console says so',
    async (path) => {
      const { status, text, headers } = await owner.get(path);
      expect(status).toBe(404);
      expect(headers.get('content-type')).toContain('text/html');
      expect(text).toContain('There is no such page');
      expect(text).toContain('class="sections"');
      const stranger = await new Visitor(running.url).get(path);
      expect(stranger.status).toBe(404);
      expect(stranger.text).not.toContain('class="sections"');
    },
  );

  it.each(onlyForms)('$path takes forms only, and a page says so', async ({ path }) => {
    for (const visitor of [owner, new Visitor(running.url)]) {
      const { status, text, headers } = await visitor.get(addressOf(path));
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
      expect(headers.get('content-type')).toContain('text/html');
      expect(text).toContain('There is no page here');
    }
  });

  it('take no other method, and name those of their address', async () => {
    const methodsOf = async (path: string) => {
      const { status, headers } = await fetch(running.url + path, { method: 'PUT' });
      expect([status, headers.get('content-type')]).toEqual([405, 'text/html; charset=utf-8']);
      return headers.get('allow');
    };
    expect(await methodsOf(SIGN_IN)).toBe('POST, GET, HEAD');
    expect(await methodsOf(HOME)).toBe('GET, HEAD');
    expect(await methodsOf('/console/live/nowhere')).toBe('GET, HEAD');
  });

  it('have files that are cached by their hashes', async () => {
    const { text } = await owner.get(HOME);
    const files = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, file = '']) => file,
    );
    expect(files).toHaveLength(3);
    for (const file of files) {
      const { status, headers } = await owner.get(file);
      expect({ file, status }).toEqual({ file, status: 200 });
      expect(headers.get('cache-control')).toContain('immutable');
    }
  });
});

describe('signing in', () => {
  it('leads to the page that was asked for, and nowhere else', async () => {
    for (const [next, expected] of [
      ['/console/test/account', '/console/test/account'],
      ['//evil.example/console/live/x', HOME],
      ['https://evil.example', HOME],
      ['/console/live/../../docs', HOME],
      ['/docs', HOME],
    ] as const) {
      const fields = { company: String(TENANT), email: OWNER, password: PASSWORD, next };
      const answer = await new Visitor(running.url).submit(SIGN_IN, SIGN_IN, fields);
      expect(answer.location).toBe(expected);
    }
  });

  it('sets a cookie for this host alone, that no script reads', async () => {
    const visitor = new Visitor(running.url);
    const fields = { company: String(TENANT), email: OWNER, password: PASSWORD };
    const { headers } = await visitor.submit(SIGN_IN, SIGN_IN, fields);
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^counterfoil-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it('says the same of a wrong password and of an unknown email', async () => {
    const texts = [];
    for (const email of [OWNER, 'unknown@example.com']) {
      const fields = { company: String(TENANT), email, password: 'wrong' };
      const { status, text } = await new Visitor(running.url).submit(SIGN_IN, SIGN_IN, fields);
      expect(status).toBe(400);
      texts.push(/role="alert"[\s\S]*?<\/div>/.exec(text)?.[0]);
    }
    expect(texts[0]).toContain('wrong');
    expect(texts[1]).toBe(texts[0]);
  });

  it('sets a cookie of https where the host is reached so', async () => {
    const secure = await startHost({ env: { PUBLIC_URL: 'https://pay.example' } });
    try {
      await openTenant(secure, TENANT);
      await openUser(secure, TENANT, { email: OWNER, roleIds: ['owner'] });
      const visitor = new Visitor(secure.url);
      const token = await visitor.token(SIGN_IN);
      const fields = { company: String(TENANT), email: OWNER, password: PASSWORD, token };
      const origin = { Origin: 'https://pay.example' };
      const { headers } = await visitor.post(SIGN_IN, fields, origin);
      const [cookie = ''] = headers.getSetCookie();
      expect(cookie).toMatch(
        /^__Host-counterfoil-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
    } finally {
      await secure.close();
    }
  });

  it('says when to try again after five failures in a row', async () => {
    const visitor = new Visitor(running.url);
    const fields = { company: String(TENANT), email: 'hasty@example.com', password: 'wrong' };
    for (let failures = 0; failures < 5; failures += 1) {
      expect((await visitor.submit(SIGN_IN, SIGN_IN, fields)).status).toBe(400);
    }
    const { status, text } = await visitor.submit(SIGN_IN, SIGN_IN, fields);
    expect(status).toBe(429);
    expect(text).toMatch(/try again <time datetime="[^"]+">\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  });

  it('ends with the session', async () => {
    const visitor = await signedIn();
    await visitor.submit(HOME, '/console/sign-out');
    expect(visitor.cookie('counterfoil-session')).toBeUndefined();
    expect((await visitor.get(HOME)).status).toBe(303);
    // From a page in another window.
    expect((await visitor.post('/console/sign-out', { token: 'a' })).location).toBe(SIGN_IN);
  });

  it('takes a second step with an authenticator app, and keeps no password for it', async () => {
    const email = 'careful@example.com';
    await openUser(running, TENANT, { email, roleIds: ['viewer'] });
    const visitor = new Visitor(running.url);
    await visitor.signIn(TENANT, email);
    const factor = '/console/live/account/second-factor';
    const { text: asked } = await visitor.get(factor);
    const field = (text: string, name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
    const [token, sealed, secret] = ['token', 'sealed', 'secret'].map((name) => field(asked, name));
    const shown = { token: token ?? '', sealed: sealed ?? '', secret: secret ?? '' };
    const given = { ...shown, password: PASSWORD };
    const guessed = { ...given, code: codeOf(secret ?? ''), password: 'a guess' };
    expect((await visitor.post(factor, guessed)).status).toBe(400);
    const wrong = await visitor.post(factor, { ...given, code: '000000' });
    expect(field(wrong.text, 'secret')).toBe(secret);
    const on = await visitor.post(factor, { ...given, code: codeOf(secret ?? '') });
    const codes = [...on.text.matchAll(/<li><code>([A-Z2-7]+)<\/code>/g)].map(([, each]) => each);
    expect(codes).toHaveLength(10);

    const other = new Visitor(running.url);
    const fields = { company: String(TENANT), email, password: PASSWORD };
    const step = await other.submit(SIGN_IN, SIGN_IN, fields);
    expect(step.text).not.toContain(PASSWORD);
    const second = {
      company: String(TENANT),
      email,
      token: field(step.text, 'token'),
      proof: field(step.text, 'proof'),
    };
    const forged = { ...second, proof: second.proof.replace(/^\d/, '9') };
    const recovery = codes[0] ?? '';
    expect((await other.post(SIGN_IN, { ...forged, code: recovery })).status).toBe(400);
    expect((await other.post(SIGN_IN, { ...second, code: recovery })).location).toBe(HOME);

    const account = '/console/live/account';
    const off = (password: string) =>
      visitor.submit(account, `${account}/remove-second-factor`, { password });
    const kept = await off('a guess');
    expect([kept.status, kept.text.includes('password or the code is wrong')]).toEqual([400, true]);
    expect((await off(PASSWORD)).location).toBe(account);
  });

  it('sets a password by a link, once', async () => {
    const { users } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const email = 'new@example.com';
    const { token: link } = await users.invite({ email, name: 'New', roleIds: [] });
    const visitor = new Visitor(running.url);
    const page = `/console/welcome?${new URLSearchParams({ token: link ?? '' })}`;
    const set = (password: string, repeated = password) =>
      visitor.submit(page, '/console/welcome', { link: link ?? '', password, repeated });
    expect((await set('short')).text).toContain('12 to 256 characters');
    expect((await set(PASSWORD, 'another')).text).toContain('differ');
    expect((await set(PASSWORD)).location).toBe(SIGN_IN);
    expect((await set(PASSWORD)).status).toBe(400);
    await visitor.signIn(TENANT, email);
  });
});

describe('the account', () => {
  it('lists the sessions, and ends one of them', async () => {
    const [one, other] = [await signedIn(AGENT), await signedIn(AGENT)];
    const { text } = await one.get('/console/live/account');
    const sessions = [...text.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id);
    const fields = { session: sessions[0] ?? '' };
    const ended = await one.submit(
      '/console/live/account',
      '/console/live/account/end-session',
      fields,
    );
    expect(ended.status).toBe(303);
    expect((await one.get('/console/live/account')).text).toContain('The session is ended.');
    expect((await one.get('/console/live/account')).text).not.toContain('The session is ended.');
    expect((await other.get(HOME)).status).toBe(303);
  });
});

describe('roles', () => {
  it('show and allow what they hold, and nothing else', async () => {
    const { text } = await agent.get(HOME);
    expect(text).not.toContain('/console/live/settings"');
    expect(text).not.toContain('/console/live/activity"');
    const refused = await agent.get('/console/live/settings/keys');
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('keys:read');
    expect((await agent.get('/console/live/activity.csv')).status).toBe(403);
    expect((await owner.get(HOME)).text).toContain('/console/live/settings"');
  });

  it('let a viewer read, and change nothing', async () => {
    const email = 'viewer@example.com';
    await openUser(running, TENANT, { email, roleIds: ['viewer'] });
    const viewer = await signedIn(email);
    const { text, status } = await viewer.get('/console/live/settings/keys');
    expect(status).toBe(200);
    expect(text).not.toContain('New key');
    const made = await viewer.submit(HOME, '/console/live/settings/new-key', KEY);
    expect(made.status).toBe(403);
  });

  it('are taken away at once', async () => {
    const email = 'former@example.com';
    await openUser(running, TENANT, { email, roleIds: ['owner'] });
    const former = await signedIn(email);
    expect((await former.get('/console/live/settings/users')).status).toBe(200);
    const { users } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const { items } = await users.list();
    await users.change(items.find((each) => each.email === email)?.id ?? '', { roleIds: [] });
    expect((await former.get('/console/live/settings/users')).status).toBe(403);
  });
});

const KEY = { label: 'shop', kind: 'api', environment: 'test', scopes: 'payments:read' };

describe('settings', () => {
  it('invite a user by a link that sets the password, once', async () => {
    const invite = '/console/live/settings/invite';
    const fields = { email: 'ben@example.com', name: 'Ben', roleIds: 'finance' };
    const { text } = await owner.submit(invite, invite, fields);
    const link = /data-copy="[^"]*(\/console\/welcome\?token=[\w-]+)"/.exec(text)?.[1] ?? '';
    const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
    const ben = new Visitor(running.url);
    const passwords = { link: token, password: PASSWORD, repeated: PASSWORD };
    expect((await ben.submit(link, '/console/welcome', passwords)).status).toBe(303);
    await ben.signIn(TENANT, 'ben@example.com');
    expect((await ben.get('/console/live/settings/users')).status).toBe(403);
  });

  it('show what was entered again where it is refused', async () => {
    const invite = '/console/live/settings/invite';
    const fields = { email: OWNER, name: '<b>Olga</b>', roleIds: 'agent' };
    const { status, text } = await owner.submit(invite, invite, fields);
    expect(status).toBe(409);
    expect(text).toContain('A user has this email');
    expect(text).toContain('value="&lt;b&gt;Olga&lt;/b&gt;"');
    expect(text).toMatch(/value="agent" checked/);
  });

  it('let a user sign in again, who has to accept the invitation first', async () => {
    const { users } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const statusOf = async (id: string, status: string) => {
      const page = `/console/live/settings/users/${id}`;
      await owner.submit(page, `${page}/status`, { status });
      return (await owner.get(page)).text;
    };
    const { id } = await users.invite({ email: 'late@example.com', name: 'Late', roleIds: [] });
    await statusOf(id, 'disabled');
    expect(await statusOf(id, 'active')).toContain('The user is invited again.');
    await openUser(running, TENANT, { email: 'back@example.com', roleIds: [] });
    const { items } = await users.list();
    const known = items.find(({ email }) => email === 'back@example.com')?.id ?? '';
    await statusOf(known, 'disabled');
    expect(await statusOf(known, 'active')).toContain('The user may sign in again.');
  });

  it('keep the last owner', async () => {
    const { users } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const { items } = await users.list();
    const { id = '' } = items.find(({ email }) => email === OWNER) ?? {};
    const page = `/console/live/settings/users/${id}`;
    const { text } = await owner.submit(page, `${page}/status`, { status: 'disabled' });
    expect(text).toMatch(/role="alert"[\s\S]*owner/);
  });

  it('make a key that works and is shown once, and revoke it', async () => {
    const made = await owner.submit(HOME, '/console/live/settings/new-key', KEY);
    const [, key = ''] = /data-copy="(cf_test_[^"]+)"/.exec(made.text) ?? [];
    const call = () =>
      fetch(`${running.url}/v1/payments`, {
        headers: { Authorization: key, ClientId: String(TENANT), UserEmail: OWNER },
      });
    await running.host.readSide.caughtUp(TENANT as TenantId);
    expect((await call()).status).toBe(200);
    const { text } = await owner.get('/console/live/settings/keys');
    expect(text).not.toContain(key);
    const [, page = ''] = /href="(\/console\/live\/settings\/keys\/[^"]+)">shop</.exec(text) ?? [];
    expect((await owner.submit(page, `${page}/revoke`)).status).toBe(303);
    expect((await call()).status).toBe(401);
  });
});

describe('activity', () => {
  it('names the user, the address and the request, also as a file', async () => {
    await owner.submit(HOME, '/console/live/settings/new-key', KEY);
    const { keys } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    expect((await keys.list()).items.length).toBeGreaterThan(0);
    const query = new URLSearchParams({ actor: OWNER, action: 'keys.create' });
    const { text } = await owner.get(`/console/live/activity?${query}`);
    expect(text).toContain('<code>keys.create</code>');
    const csv = await owner.get(`/console/live/activity.csv?${query}`);
    const [, row = ''] = csv.text.split('\r\n');
    expect(row).toContain(`${OWNER},`);
    expect(row).toContain('127.0.0.1');
    expect(csv.headers.get('content-disposition')).toContain('activity.csv');
  });

  it('says what is wrong with a filter', async () => {
    const { status, text } = await owner.get('/console/live/activity?dateFrom=yesterday');
    expect(status).toBe(400);
    expect(text).toContain('dateFrom');
  });
});

/** RFC 6238, as an authenticator app has it. */
function codeOf(secret: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret]
    .map((each) => alphabet.indexOf(each).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', bytes).update(step).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
