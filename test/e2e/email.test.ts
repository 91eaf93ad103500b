/** The email service on the wire: keys, codes, places of faults, batches and repetitions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  CALLER,
  type Caller,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
  type TenantId,
} from './running-host.ts';

const [TENANT, OTHER] = [43, 44] as [TenantId, TenantId];
const EMAIL = {
  from: 'Shop <post@shop.example>',
  to: 'ann@example.com',
  subject: 'Hello',
  templateType: 'string',
  templateContent: '<p>Hello {{name}}</p>',
  templateData: { name: 'Ann' },
};

let running: Running;
let owner: Caller;
let key: string;
let otherKey: string;

beforeAll(async () => {
  running = await startHost();
  owner = await openTenant(running, TENANT);
  await openTenant(running, OTHER);
  await owner.post('/api/admin/senderdomains', { body: { domain: 'shop.example' } });
  [key, otherKey] = await Promise.all([tenantKey(TENANT), tenantKey(OTHER)]);
});
afterAll(async () => running.close());

async function tenantKey(tenantId: TenantId): Promise<string> {
  const request = { kind: 'tenant', environment: 'live', label: '', scopes: [] } as const;
  return (await running.host.tenants.issueKey(tenantId, request, CALLER)).key;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** With the key in its header, unless other headers are given. */
async function send({
  method = 'POST',
  path = '/api/email',
  body,
  headers = { 'X-Tenant-Key': key },
}: Sent): Promise<Answer> {
  const answer = await fetch(running.url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
}

let serial = 0;
function email(more: Json = {}): Json {
  serial += 1;
  return { ...EMAIL, subject: `Hello ${serial}`, ...more };
}

describe('the tenant key', () => {
  it('is taken from the body, from its header, or the same from both', async () => {
    for (const [body, headers] of [
      [email({ tenant_key: key }), {}],
      [email(), { 'X-Tenant-Key': key }],
      [email({ tenant_key: key }), { 'X-Tenant-Key': key }],
    ] as const) {
      const { status, text } = await send({ body, headers });
      expect(status, text).toBe(202);
    }
  });

  it('is refused where it is missing, unknown, another, in the query or no tenant key', async () => {
    const cases: readonly Sent[] = [
      { body: email(), headers: {} },
      { body: email({ tenant_key: 'nobody' }), headers: {} },
      { body: email({ tenant_key: otherKey }) },
      { body: email(), headers: {}, path: `/api/email?tenant_key=${key}` },
      { body: email(), headers: { 'X-Tenant-Key': owner.key } },
      { headers: {} },
    ];
    for (const each of cases) {
      const answer = await send(each);
      expectRefusal(answer, 401, 'invalid_tenant_key');
      expect(answer.body.error).toBe('Invalid Tenant Key');
    }
  });
});

describe('an email', () => {
  const REACT = { templateType: 'react', templateContent: undefined };
  it.each([
    [{ from: undefined }, '/from', 'from is required'],
    [{ to: 'ann' }, '/to', /^to must be an address/],
    [{ to: ['ann@example.com', 'bob'] }, '/to/1', /^to\[1\] must be an address/],
    [{ subject: 'a\r\nBcc: b@c.example' }, '/subject', /^subject must not .*line ends/],
    [{ templateType: 'html' }, '/templateType', 'templateType must be one of string, react'],
    [{ templateContent: undefined }, '/templateContent', /^templateContent is required with/],
    [
      { templateContent: 'a\n {{#if b}}' },
      '/templateContent',
      'templateContent is wrong at line 2, column 2: {{#if}} has no {{/if}}',
    ],
    [{ templatContent: 'a' }, '/templatContent', /did you mean templateContent/],
    [{ headers: { Bcc: 'b@c.example' } }, '/headers/Bcc', /^Bcc must begin with X-/],
    [{ headers: { 'X-A': 'a\nb' } }, '/headers/X-A', /^X-A must not contain line ends/],
    [{ listUnsubscribe: true }, '/listUnsubscribe', /PUBLIC_URL/],
    [
      { ...REACT, templateName: 'order-confirmation', templateData: { items: [{}] } },
      '/templateData/items/0/name',
      'name is required',
    ],
    [
      {
        ...REACT,
        templateName: 'generic',
        templateData: { heading: 'a', body: 'b', ctaText: 'c' },
      },
      '/templateData/ctaUrl',
      'ctaUrl goes with ctaText: both, or neither',
    ],
  ])('with %j is refused at %s', async (more, pointer, detail) => {
    const answer = await send({ body: email(more) });
    expectRefusal(answer, 400, 'invalid_request_format');
    expect(answer.body.error).toBe('Invalid Request Format');
    const found = answer.body.errors.find((each: Json) => each.pointer === pointer);
    const words = typeof detail === 'string' ? detail : expect.stringMatching(detail);
    expect(found?.detail, answer.text).toEqual(words);
  });

  it('is refused with the codes of the contract', async () => {
    const domain = await send({ body: email({ from: 'a@shop.example.com' }) });
    expectRefusal(domain, 403, 'unauthorized_domain');
    expect(domain.body.error).toBe('Unauthorized Domain');
    await send({ body: email({ idempotencyKey: 'one' }) });
    const conflict = await send({ body: email({ idempotencyKey: 'one' }) });
    expectRefusal(conflict, 409, 'idempotency_conflict');
    expect(conflict.body.error).toBe('Idempotency Conflict');
    expectRefusal(await send({ body: '{"from":' }), 400, 'invalid_request_format');
    expectRefusal(await send({ method: 'PUT', body: email() }), 405, 'method_not_allowed');
    const large = email({ templateContent: 'x'.repeat(1_100_000) });
    expectRefusal(await send({ body: large }), 413);
    const long = email({ templateContent: 'é'.repeat(131_073) });
    expectRefusal(await send({ body: long }), 400, 'invalid_request_format');
  });

  it('is accepted once, and found at its location', async () => {
    const body = email();
    const first = await send({ body });
    expect(first.status).toBe(202);
    expect(first.headers.get('location')).toBe(`/api/email/${first.body.id}`);
    expect(first.body).toMatchObject({ success: true, status: 'accepted', deduplicated: false });
    const again = await send({ body });
    expect(again.body).toMatchObject({ id: first.body.id, deduplicated: true });
    const path = `/api/email/${first.body.id}`;
    await expect
      .poll(async () => (await send({ method: 'GET', path })).body.email)
      .toMatchObject({ subject: body.subject, status: 'sent', kept: true, nextTryAt: null });
  });

  it('of another tenant is as one that does not exist', async () => {
    const { id } = (await send({ body: email() })).body;
    const headers = { 'X-Tenant-Key': otherKey };
    for (const each of [id, '0198c0de-0000-7000-8000-000000000000']) {
      const answer = await send({ method: 'GET', path: `/api/email/${each}`, headers });
      expectRefusal(answer, 404, 'not_found');
    }
  });
});

it('answers a batch with a result for each, in order', async () => {
  const one = email();
  const emails = [one, email({ from: 'a@elsewhere.example' }), one, { ...one, to: 'ann' }];
  const { status, body } = await send({ path: '/api/email/batch', body: { emails } });
  expect(status).toBe(200);
  const [first, domain, same, fault] = body.results;
  expect(first).toMatchObject({ success: true, status: 'accepted', deduplicated: false });
  expect(domain).toMatchObject({ success: false, code: 'unauthorized_domain' });
  expect(same).toMatchObject({ success: true, id: first.id, deduplicated: true });
  expect(fault).toMatchObject({ error: 'Invalid Request Format', errors: [{ pointer: '/to' }] });
  const many = { emails: Array.from({ length: 101 }, () => one) };
  expectRefusal(
    await send({ path: '/api/email/batch', body: many }),
    400,
    'invalid_request_format',
  );
});

it('replays the answer to an Idempotency-Key, and refuses another body under it', async () => {
  const headers = { 'X-Tenant-Key': key, 'Idempotency-Key': 'request-1' };
  const body = email();
  const first = await send({ body, headers });
  const again = await send({ body, headers });
  expect(again.body.id).toBe(first.body.id);
  expectRefusal(await send({ body: email(), headers }), 422, 'idempotency_key_reused');
});
