/** The OpenAPI document of the real host: sound, complete, and true of what the host answers. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TenantId } from '@counterfoil/core';
import { ALL_SCOPES } from '@counterfoil/engine';
import { compose, type Host, REFUSALS } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { ERRORS } from '@counterfoil/http-host/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOCUMENT_RULES } from './document-rules.ts';
import { Documented } from './documented.ts';
import { fileTypeOf, subjectOf, variableOf } from './example-subjects.ts';

const TENANT = 1 as TenantId;
const OPERATOR = { actor: 'operator@example.com' };
const USER_EMAIL = 'agent@example.com';
const MONTH = new Date().toISOString().slice(0, 'yyyy-mm'.length);
const REDOCLY = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url));
const LINT_MS = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: the document and the answers are looked into as a user would
type Json = any;

/** The sources of a folder, without their tests, as one text. */
function sourceOf(path: string): string {
  const root = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-contract-'));
let host: Host;
let url = '';
let key = '';
let document: Json;
let documented: Documented;

beforeAll(async () => {
  const memory = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:', LOG_LEVEL: 'silent' };
  host = await compose(readConfig({ PORT: '0', DATA_DIR: folder, ...memory }));
  url = await host.listen();
  const { tenants, merchantAccounts, commands, readSide } = host;
  await tenants.onboard(
    TENANT,
    { name: 'Tenant', settings: { requestsPerMinute: 1_000_000 } },
    OPERATOR,
  );
  const common = { tenantId: TENANT, at: commands.clock.now() };
  await tenants.define(
    { type: 'DefineCompany', ...common, companyId: 1, name: 'Company' },
    OPERATOR,
  );
  const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
  const account = {
    mid: '70',
    title: 'Main',
    companyId: 1,
    gatewayId: 1,
    descriptor: 'SHOP',
    defaultCurrency: 'GBP',
    currencies: [{ currency: 'GBP', gatewayCredentials }],
  };
  await merchantAccounts.openOnce(TENANT, 1, account, OPERATOR);
  const request = { kind: 'api', environment: 'live', label: '', scopes: ALL_SCOPES } as const;
  key = (await tenants.issueKey(TENANT, request, OPERATOR)).key;
  await readSide.caughtUp(TENANT);
  document = await (await fetch(`${url}/openapi.json`)).json();
  documented = new Documented(document);
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

describe('the document', () => {
  it(
    'satisfies the recommended rules of redocly',
    () => {
      const file = join(folder, 'openapi.json');
      writeFileSync(file, JSON.stringify(document));
      const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
      const { status, stdout, stderr } = spawnSync(
        REDOCLY,
        ['lint', file, '--extends', 'recommended', '--format', 'stylish'],
        { encoding: 'utf8', cwd: folder, env: { ...process.env, ...quiet } },
      );
      expect(stdout + stderr).toMatch(/is valid/);
      expect(stdout + stderr).not.toMatch(/\bwarnings?\b/);
      expect(status).toBe(0);
    },
    LINT_MS,
  );

  it.each(DOCUMENT_RULES)('keeps the rule: $name', ({ faults }) => {
    expect(faults(document)).toEqual([]);
  });

  it('carries the version of the packages', () => {
    const manifests = new URL('../../packages/', import.meta.url);
    const versions = readdirSync(manifests).map((name) => {
      const manifest = readFileSync(new URL(`${name}/package.json`, manifests), 'utf8');
      return JSON.parse(manifest).version;
    });
    expect(versions.length).toBeGreaterThan(5);
    expect(new Set(versions)).toEqual(new Set([document.info.version]));
  });

  it('has examples that it admits itself', () => {
    const bodies = documented.operations.filter(({ node }) => node.requestBody !== undefined);
    expect(bodies.length).toBeGreaterThan(10);
    for (const { path, method, node } of bodies) {
      const [type = ''] = Object.keys(node.requestBody.content);
      const media = ['requestBody', 'content', type];
      const place = ['paths', path, method.toLowerCase(), ...media, 'schema'];
      const { example } = node.requestBody.content[type];
      expect({ path, faults: documented.faultsAt(place, example) }).toEqual({ path, faults: [] });
    }
  });

  it('names every error code', () => {
    const missing = Object.keys(ERRORS).filter((code) => !(code in document['x-error-codes']));
    expect(missing).toEqual([]);
  });

  it('lists each code at the status that it has', () => {
    const rows = documented.operations.flatMap(({ id, node }) =>
      Object.entries<Json>(node.responses).flatMap(([status, { content }]) =>
        Object.keys(content?.['application/json']?.examples ?? {}).map((code) => ({
          id,
          code,
          status: Number(status),
        })),
      ),
    );
    expect(rows.length).toBeGreaterThan(100);
    const table = document['x-error-codes'];
    expect(rows.filter(({ code, status }) => table[code]?.status !== status)).toEqual([]);
  });

  it('explains no code that the sources never answer with', () => {
    const source = sourceOf('packages/http-host/src');
    const refused = [...source.matchAll(/\brefuse\(([^;]*?)[,)]/g)].flatMap(([, text = '']) =>
      [...text.matchAll(/'([a-z0-9_]+)'/g)].map(([, code]) => code),
    );
    // Refusals of the engine, and faults of the parser.
    const parsed = [...source.matchAll(/^ {2}[A-Z_]+: '([a-z_]+)',$/gm)].map(([, code]) => code);
    const mapped = [...Object.values(REFUSALS).map(({ code }) => code), ...parsed];
    const answered = new Set<string | undefined>([...refused, ...mapped]);
    const codes = Object.keys(ERRORS);
    expect(codes.filter((code) => !answered.has(code))).toEqual([]);
    expect(answered.has('not_found')).toBe(true);
    expect(answered.has('card_declined')).toBe(false);
  });

  it('says what a query means, with its bounds', () => {
    const schemas = new Map<string, Json>(
      document.paths['/v1/payments'].get.parameters.map(({ name, schema }: Json) => [name, schema]),
    );
    expect(schemas.get('limit')).toEqual({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 100,
      default: 10,
    });
    expect(schemas.get('sandbox')).toMatchObject({ type: 'boolean' });
    expect(schemas.get('orderIds')).toMatchObject({ type: 'array', items: { type: 'integer' } });
    expect(schemas.get('amounts')).toMatchObject({ type: 'array', items: { type: 'number' } });
    expect(schemas.get('transactionIds')).toMatchObject({ items: { format: 'uuid' } });
  });

  it('has the routes that are served, and no other', async () => {
    const methods = ['get', 'post', 'put', 'patch', 'delete', 'options'];
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      const listed = methods.filter((method) => item[method] !== undefined);
      const at = url + path.replaceAll(/\{[^}]+\}/g, '0195a000-0000-7000-8000-000000000001');
      const other = await fetch(at, { method: 'DELETE' });
      if (listed.includes('delete')) continue;
      expect({ path, status: other.status }).toEqual({ path, status: 405 });
      const allowed = (other.headers.get('allow') ?? '').toLowerCase().split(/,\s*/);
      const routes = allowed.filter((method) => method !== 'head' && method !== '').sort();
      expect({ path, routes }).toEqual({ path, routes: listed.sort() });
    }
    const served = await fetch(`${url}/v1/payments/one/more`);
    expect(served.status).toBe(404);
  });
});

const seen = new Set<string>();

/** Asks, and holds the answer to the document. */
async function ask(
  method: string,
  path: string,
  body?: Json,
  template = path,
  more: Json = {},
): Promise<Json> {
  const isText = typeof body === 'string';
  const headers = {
    Authorization: key,
    ClientId: '1',
    UserEmail: USER_EMAIL,
    ...(body !== undefined && { 'Content-Type': isText ? fileTypeOf(path) : 'application/json' }),
  };
  const text = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) };
  const answer = await fetch(url + path, { method, headers: { ...headers, ...more }, ...text });
  const name = template.split('?')[0] ?? '';
  const operation = documented.operations.find(
    (each) => each.method === method && each.path === name,
  );
  if (operation === undefined) throw new Error(`${method} ${name} is not in the document`);
  seen.add(`${method} ${name}`);
  const contentType = answer.headers.get('content-type') ?? '';
  const given: Json = contentType.includes('json') ? await answer.json() : await answer.text();
  const answered = { status: answer.status, contentType, body: given };
  expect(documented.faultsOfAnswer(operation, answered)).toEqual([]);
  if (answer.status === 201) {
    const made = await fetch(url + (answer.headers.get('location') ?? '/nowhere'), { headers });
    expect([made.status, await made.text()]).toEqual([
      200,
      expect.stringContaining(String((given.item ?? given.returnVal ?? given.lead ?? given).id)),
    ]);
  }
  return given;
}

const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };

async function pay(changes: Json = {}): Promise<Json> {
  return ask('POST', '/v1/payments', {
    amount: 10,
    currency: 'GBP',
    email: 'ada@example.com',
    card,
    ...changes,
  });
}

describe('the answers', () => {
  const claims = { parentCompanyId: 1, userEmail: USER_EMAIL };

  it('are as the document says, from the payment to the books', async () => {
    const items = [{ StorefrontVariantId: 1, StorefrontProductId: 1, Quantity: 2, UnitPrice: 5 }];
    const addresses = [{ address: '1 High Street', city: 'London', countryCode: 'GB' }];
    const session = { id: 'visit', ip: '10.0.0.1' };
    const order = await pay({ applicationId: 2, items, addresses, session });
    const held = await pay({ capture: false });
    const declined = await pay({ card: { ...card, number: '4000000000000002' } });
    expect(declined.status).toBe('Declined');
    await pay({ card: { ...card, number: '4000000000040818' } });
    await pay({ card: { ...card, number: '4000000000003220' } });
    await ask('POST', '/v1/card/submit', { amount: 1, currency: 'GBP', email: 'a@b.co', card });

    const of = (id: string, what: string) => [
      `/v1/payments/${id}${what}`,
      `/v1/payments/{id}${what}`,
    ];
    const post = ([path, template]: string[], body: Json) =>
      ask('POST', path ?? '', body, template);
    await post(of(held.id, '/capture'), { amount: 4 });
    await post(of(held.id, '/refund'), { amount: 1 });
    await post(of(held.id, '/refund'), { amount: 9 });
    await post(of((await pay()).id, '/void'), {});
    await post(of(held.id, '/confirm'), {});
    const refundItems = [{ StorefrontVariantId: 1, Quantity: 1, Amount: 5 }];
    const refund = { ...claims, messageId: order.id, amount: 5, refundItems };
    await ask('POST', '/customerapi/refund', refund);
    const [one, template] = of(order.id, '');
    await ask('GET', one ?? '', undefined, template);
    await ask('GET', '/v1/payments?limit=2');

    const flags = { getSearchData: true, getAddressData: true, getSubscription: true };
    const detail = { ...claims, ...flags, getSessionData: true };
    const full = await ask('POST', '/customerapi/detail', { ...detail, id: order.id });
    expect(full).toMatchObject({ cart: [{}], transaction: { childTransactions: [{}] } });
    await ask('POST', '/customerapi/detail', { ...detail, id: full.transaction.messageID });
    const found = await ask('POST', '/api/transactions/search', { limit: 100 });
    expect(found.count).toBeGreaterThan(8);
    const single = await ask('POST', '/api/transactions/search', { limit: 1 });
    expect(single.message).toBe('1 transaction');
    await ask('POST', '/customerapi/search', {});
    await ask('POST', '/api/mitigation/transactions', { includeUpdated: true });
    await ask('POST', '/api/mitigation/search', { orderId: full.transaction.orderId });
    await ask('POST', '/api/mitigation/search', { lastName: 'Lovelace' });
    const disputed = { amount: 4, currency: 'GBP', transactionId: held.id };
    for (const [what, more] of [
      ['chargebacks', { reference: 'c-1' }],
      ['chargebacks', { reference: 'c-2', transactionId: '0195a000-0000-7000-8000-000000000001' }],
      ['chargebacks', { reference: 'c-1', amount: 3 }],
      ['alerts', { reference: 'a-1', type: 'CustomerDispute', source: 'CDRN' }],
    ] as const) {
      const path = `/api/mitigation/${what}`;
      await ask('POST', `${path}?provider=acme`, { ...disputed, ...more }, path);
    }
    const queue = await ask('GET', '/api/admin/disputes?kind=alert&limit=1');
    const dispute = `/api/admin/disputes/${queue.items[0].disputeId}`;
    const ofDispute = (what: string) => `/api/admin/disputes/{id}${what}`;
    await ask('GET', dispute, undefined, ofDispute(''));
    await ask('POST', `${dispute}/decline`, { note: 'ours' }, ofDispute('/decline'));
    for (const what of ['accept', 'represent', 'refund']) {
      await ask('POST', `${dispute}/${what}`, {}, ofDispute(`/${what}`));
    }
    const matched = { transactionId: held.id };
    await ask('POST', `${dispute}/match`, matched, ofDispute('/match'));
    const nothing = '/evidence?name=x';
    await ask('POST', `${dispute}${nothing}`, undefined, ofDispute('/evidence'));
    const digest = `/evidence/${'ab'.repeat(32)}`;
    await ask('GET', `${dispute}${digest}`, undefined, ofDispute('/evidence/{digest}'));
    await ask('GET', '/api/ledger/trial-balance');
    await ask('GET', '/api/ledger/accounts?limit=3');
    await ask('GET', `/api/ledger/statements?merchantAccountId=1&month=${MONTH}`);
    await ask('GET', `/api/ledger/dispute-rates?from=${MONTH}&to=${MONTH}`);
    const importing = '/api/admin/settlements?merchantAccountId=1';
    const line = 'a,capture,nobody,1.00,GBP,2026-02-01\nb,sale\n';
    const columns = 'reference,kind,arn,amount,currency,settledDate';
    const imported = await ask('POST', importing, `${columns}\n${line}`);
    expect(imported.item.differences).toMatchObject({ 'missing-here': 1, unreadable: 1 });
    await ask('POST', '/api/admin/settlements/payouts?merchantAccountId=1');
    await ask('GET', '/api/transactions/unanswered?limit=2');
    for (const what of ['events', 'entries', 'emails', 'webhooks']) {
      const path = `/api/transactions/${order.id}/${what}`;
      await ask('GET', path, undefined, `/api/transactions/{id}/${what}`);
    }
    const posted = '/api/ledger/entries?account=sales&currency=GBP';
    const { nextCursor } = await ask('GET', `${posted}&limit=1`);
    expect(nextCursor).not.toBeNull();
    await ask('GET', `${posted}&limit=1&cursor=${nextCursor}`);
    await ask('GET', `${posted}&from=2026-02-01&to=2026-01-01`);
    await ask('GET', '/api/admin/settlements?limit=2');
    const differing = await ask('GET', '/api/admin/settlements/unmatched?limit=1');
    expect(differing).toMatchObject({ count: 1, moreResults: true });
    const { id: settlementId } = imported.item;
    const settlement = '/api/admin/settlements/{id}';
    await ask('GET', `/api/admin/settlements/${settlementId}`, undefined, settlement);
    for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json', '/docs', '/']) {
      await ask('GET', path);
    }
    for (const file of ['scalar.js', 'none.js']) {
      await ask('GET', `/docs/${file}`, undefined, '/docs/{file}');
    }
  });

  it('are as the document says about customers', async () => {
    const contact = { email: 'grace@example.com', addresses: [{ city: 'London' }] };
    const { id } = await ask('POST', '/customers', contact);
    const [one, template] = [`/customers/${id}`, '/customers/{id}'];
    const method = await ask(
      'POST',
      `${one}/payment-methods`,
      { card, default: true },
      `${template}/payment-methods`,
    );
    const read = await ask('GET', one, undefined, template);
    expect(read.paymentMethods).toMatchObject([{ id: method.id, isDefault: true }]);
    await ask('PUT', one, { ...read, phone: '1' }, template);
    await ask('PUT', one, read, template);
    await ask('POST', '/customers', contact);
    const { customers } = await ask('GET', '/customers?limit=1', undefined, '/customers');
    expect(customers).toMatchObject([{ id, paymentMethods: [{ id: method.id }] }]);
    await ask('GET', '/customers?cursor=x', undefined, '/customers');
    const removal = [
      `${one}/payment-methods/${method.id}`,
      `${template}/payment-methods/{methodId}`,
    ];
    for (let twice = 0; twice < 2; twice += 1) {
      await ask('DELETE', removal[0] ?? '', undefined, removal[1]);
    }
    await ask('DELETE', one, undefined, template);
    expect(await ask('GET', one, undefined, template)).toMatchObject({ email: '', erased: true });
    await ask('PUT', one, read, template);
  });

  it('are as the document says about subscriptions', async () => {
    const subscription = { name: 'Tea club', rebillAmount: 5, frequency: 30, trialDays: 7 };
    const payment = await pay({ email: 'member@example.com', subscription });
    const [one, template] = [
      `/v1/subscriptions/${payment.subscriptionId}`,
      '/v1/subscriptions/{id}',
    ];
    expect(await ask('GET', one, undefined, template)).toMatchObject({ trialDays: 7 });
    const schedule = await ask('GET', `${one}/schedule?count=2`, undefined, `${template}/schedule`);
    expect(schedule).toMatchObject({ charges: [{}, {}], ifDeclined: [{}, {}, {}, {}, {}] });
    const list = `/customers/${payment.customerId}/subscriptions`;
    const ofCustomer = '/customers/{id}/subscriptions';
    const found = await ask('GET', `${list}?limit=1`, undefined, ofCustomer);
    expect(found.subscriptions).toMatchObject([{ subscription: 'Tea club' }]);
    await ask('GET', `${list}?cursor=x`, undefined, ofCustomer);
    const all = '/v1/subscriptions';
    const active = await ask('GET', `${all}?status=active&limit=1`, undefined, all);
    expect(active.subscriptions).toMatchObject([{ subscription: 'Tea club' }]);
    await ask('GET', `${all}?status=paused`, undefined, all);
    const detail = { ...claims, id: payment.id, getSubscription: true };
    const { subscriptions } = found;
    expect(await ask('POST', '/customerapi/detail', detail)).toMatchObject({ subscriptions });
    const report = await ask('GET', '/api/ledger/recurring');
    expect(report.currencies).toMatchObject([{ totals: { joined: 1, activeAtEnd: 1 } }]);
    await ask('GET', '/api/ledger/recurring?from=2026-02&to=2026-01');
    await ask('GET', `/api/ledger/sales?unit=month&from=${MONTH}-01&to=${MONTH}-01`);
    await ask('GET', '/api/ledger/sales?unit=hour&from=2026-01-01&to=2026-12-31');
  });

  it('are as the document says about changes of a subscription', async () => {
    const email = 'changing@example.com';
    const subscription = { name: 'Coffee club', rebillAmount: 5, frequency: 7 };
    const { subscriptionId } = await pay({ email, subscription });
    const change = (what: string, body?: Json) =>
      ask(
        'POST',
        `/v1/subscriptions/${subscriptionId}/${what}`,
        body,
        `/v1/subscriptions/{id}/${what}`,
      );
    expect(await change('freeze', { note: 'on holiday' })).toMatchObject({ freezeReason: 'admin' });
    expect(await change('unfreeze')).toMatchObject({ frozen: false });
    expect(await change('plan', { rebillAmount: 6 })).toMatchObject({ rebillAmount: 6 });
    await change('card', { card: { ...card, number: '5555555555554444' } });
    await change('card', {});
    const ended = await ask('POST', '/customerapi/unsubscribe', { ...claims, email });
    expect(ended).toMatchObject({ unsubscribes: 1 });
    await ask('POST', '/customerapi/unsubscribe', { ...claims, email, orderIds: '1' });
    expect(await change('unsubscribe')).toMatchObject({ active: false });
    await change('freeze');
  });

  it('are as the document says about merchant accounts', async () => {
    const path = '/api/admin/merchantaccounts';
    const template = `${path}/{id}`;
    const { example } = document.paths[path].post.requestBody.content['application/json'];
    const { returnVal } = await ask('POST', path, example);
    const one = `${path}/${returnVal.id}`;
    const read = await ask('GET', one, undefined, template);
    expect(read).toEqual(returnVal);
    expect(await ask('PUT', one, read, template)).toMatchObject({ returnVal: read });
    const changed = await ask('PATCH', one, { monthlyCap: 1, maxPrice: null }, template);
    expect(changed.returnVal).toMatchObject({ monthlyCap: 1, maxPrice: null, rowVersion: 2 });
    await ask('PUT', one, read, template);
    await ask('PATCH', one, { title: null }, template);
    await ask('GET', `${path}/1`, undefined, template);
    await ask('GET', `${path}/2`, undefined, template);
    expect(await ask('GET', `${path}?limit=1`)).toMatchObject({ count: 1, moreResults: true });
    const many = await ask('POST', `${path}/batch`, [example, { mid: 'x' }]);
    expect(many).toMatchObject({ count: 2, opened: 1, success: false });
  });

  it('are as the document says when they refuse', async () => {
    await pay({ amount: -1 });
    await ask('POST', '/customerapi/detail', {
      ...claims,
      id: '0195a000-0000-7000-8000-000000000001',
    });
    await ask('POST', '/customerapi/refund', { ...claims, parentCompanyId: 2, messageId: 'x' });
    await ask('GET', '/api/ledger/accounts?cursor=nonsense');
    await ask('GET', '/api/ledger/statements?merchantAccountId=1&month=2026-13');
    await ask('GET', '/api/ledger/dispute-rates?from=2026-05&to=2026-04');
    await ask('POST', '/api/admin/settlements?merchantAccountId=1', 'amount');
    await ask('POST', '/api/admin/settlements?merchantAccountId=99', 'amount');
    await ask('POST', '/api/admin/settlements?merchantAccountId=1', { amount: 1 });
    await ask('GET', '/v1/payments?limit=0');
  });

  it('are as the document says about leads', async () => {
    const { item } = await ask('POST', '/api/admin/leadkeys', {
      applicationId: 1,
      allowedOrigins: ['https://shop.example'],
    });
    const lead = { email: 'lead@example.com', session_id: 'visit-1' };
    const server = { Authorization: `Bearer ${item.secretKey}` };
    const path = '/api/public/customer-leads';
    for (const status of ['new', 'new']) {
      expect((await ask('POST', path, lead, path, server)).lead).toMatchObject({ status });
    }
    await ask('POST', path, {}, path, server);
    await ask('OPTIONS', path, undefined, path, { Origin: 'https://shop.example' });
    await ask('OPTIONS', path);
    const { example } =
      document.paths['/api/webhooks/transactions'].post.requestBody.content['application/json'];
    const { transaction } = example.data;
    const data = { transaction: { ...transaction, partnerSession: 'visit-1' } };
    const message = { ...example, data };
    await ask('POST', '/api/webhooks/transactions?source=acme-pay', message);
    const events = '/v1/gateways/{gateway}/{merchantAccountId}/events';
    const event = document.paths[events].post.requestBody.content['application/json'].example;
    await ask('POST', '/v1/gateways/stripe/1/events', event, events);
    const { items } = await ask('GET', '/api/admin/leads?sessionId=visit-1');
    expect(items).toMatchObject([{ status: 'paid', transaction: { id: transaction.id } }]);
  });

  it('are as the document says about checkout sessions', async () => {
    const origin = 'https://shop.example';
    const forPages = { kind: 'payment-publishable', applicationId: 1, allowedOrigins: [origin] };
    const { item } = await ask('POST', '/api/admin/keys', forPages);
    const page = { 'X-Service-Payment-Key': item.key, Origin: origin };
    const path = '/v1/checkout-sessions';
    const { example } = document.paths[path].post.requestBody.content['application/json'];
    const { id, clientSecret } = await ask('POST', path, example);
    await ask('GET', `${path}/${id}`, undefined, `${path}/{id}`);
    const steps: [string, Json][] = [
      ['', {}],
      ['/pay', { card: { ...card, number: '4000000000000002' } }],
      ['/pay', { card: { ...card, number: '4000000000003220' } }],
      ['/pay', { card }],
      ['/action', { outcome: 'done' }],
      ['/pay', { card: {} }],
    ];
    for (const [step, more] of steps) {
      const template = `/api/public/checkout-sessions/{id}${step}`;
      const one = template.replace('{id}', id);
      await ask('POST', one, { clientSecret, ...more }, template, page);
      await ask('OPTIONS', one, undefined, template, page);
    }
    await ask('GET', '/widget/v1.json');
    for (const file of ['v1.js', 'none.js']) {
      await ask('GET', `/widget/${file}`, undefined, '/widget/{file}');
    }
    const frame = '/widget/pages/frame';
    await ask('GET', `${frame}?${new URLSearchParams({ key: item.key, origin })}`);
    await ask('GET', `${frame}?${new URLSearchParams({ key: item.key, origin: 'x' })}`);
    await ask('GET', '/widget/pages/challenge');
    const { status } = await ask('GET', `${path}/${id}`, undefined, `${path}/{id}`);
    expect(status).toBe('complete');
  });

  it('are as the document says about emails', async () => {
    const { item } = await ask('POST', '/api/admin/keys', { kind: 'tenant' });
    const header = { 'X-Tenant-Key': item.key };
    const exampleBody = (path: string) =>
      document.paths[path].post.requestBody.content['application/json'].example;
    const email = exampleBody('/api/email');
    await ask('POST', '/api/email', email, '/api/email', header);
    const domain = email.from.replace(/^.*@|>$/g, '');
    await ask('POST', '/api/admin/senderdomains', { domain });
    const { id } = await ask('POST', '/api/email', email, '/api/email', header);
    await ask('POST', '/api/email', { ...email, tenant_key: 'x' }, '/api/email');
    await ask('POST', '/api/email', { ...email, subject: 'a\nb' }, '/api/email', header);
    const keyed = { ...email, idempotencyKey: 'a' };
    await ask('POST', '/api/email', keyed, '/api/email', header);
    await ask('POST', '/api/email', { ...keyed, subject: 'b' }, '/api/email', header);
    const batch = exampleBody('/api/email/batch');
    const emails = [...batch.emails, { ...email, from: 'a@elsewhere.example' }, {}];
    const { results } = await ask('POST', '/api/email/batch', { emails }, undefined, header);
    expect(results.map(({ code }: Json) => code)).toEqual([
      undefined,
      'unauthorized_domain',
      'invalid_request_format',
    ]);
    await ask('POST', '/api/email/preview', email, undefined, header);
    const path = '/api/email/{id}';
    expect((await ask('GET', `/api/email/${id}`, undefined, path, header)).email.id).toBe(id);
    await ask('GET', `/api/email/${item.id}`, undefined, path, header);
    expect(
      (await ask('GET', '/api/email?kind=submitted', undefined, '/api/email', header)).count,
    ).toBe(3);
    // Refused until the email has ended.
    await ask('POST', `/api/email/${item.id}/resend`, undefined, `${path}/resend`, header);
    await ask('POST', `/api/email/${id}/resend`, undefined, `${path}/resend`, header);
  });

  it('are as the document says about administration, for each example', async () => {
    const send = (method: string, path: string, body?: Json) =>
      ask(method, path, body, path.replace(/\/[^/]*\d[^/]*/, '/{id}'));
    const { paths } = document;
    // Settlements and disputes are asked for above, with files.
    const admin = documented.operations.filter(({ path }) =>
      /^\/api\/admin\/(?!settlements|disputes)/.test(path),
    );
    for (const [serial, operation] of admin.entries()) {
      const subject = await subjectOf(operation, { send, serial, paths });
      const { method, path, node } = operation;
      const at = path.replace(/\/\{\w+\}/g, (place, index) => {
        const id = subject[variableOf(path.slice(0, index))];
        return id === undefined ? place : `/${id}`;
      });
      const given = await ask(
        method,
        at,
        node.requestBody?.content['application/json'].example,
        path,
      );
      // A merchant account is the answer itself.
      expect(given.success ?? true, `${operation.id}: ${JSON.stringify(given)}`).toBe(true);
    }
  });

  it('were asked of every operation', () => {
    const operations = documented.operations.map(({ method, path }) => `${method} ${path}`);
    expect([...seen].sort()).toEqual(operations.sort());
  });
});
