/** Who is let in, under which limits, and in which order the checks are made. */
import type { TenantId } from '@counterfoil/core';
import { isApiKey, type KeyRecord, keyDigest, makeKey, maskKey } from '@counterfoil/engine';
import { describe, expect, it } from 'vitest';
import {
  API_KEY,
  type Bench,
  converse,
  type ErrorBody,
  HEADERS,
  head,
  startBench,
} from './listening-host.ts';

const VALID = { amount: 1 };

interface Attempt {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  readonly record?: Partial<KeyRecord>;
}

async function attempt(
  { url, keys }: Bench,
  { headers, body, record }: Attempt,
): Promise<Response> {
  const digest = keyDigest(API_KEY);
  const known = keys.get(digest);
  if (known !== undefined) keys.set(digest, { ...known, ...record });
  const all = { ...HEADERS, 'Content-Type': 'application/json', ...headers };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]);
  return fetch(`${url}/things`, {
    method: 'POST',
    headers: sent,
    body: JSON.stringify(body ?? VALID),
  });
}

/** In the order of the checks: each row has all the faults of the rows below that it can have. */
const refused: readonly (Attempt & { name: string; status: number; code: string })[] = [
  { name: 'no key', headers: { Authorization: undefined }, status: 401, code: 'api_key_missing' },
  {
    name: 'a Bearer prefix',
    headers: { Authorization: `Bearer ${API_KEY}` },
    status: 401,
    code: 'bearer_prefix',
  },
  { name: 'nonsense', headers: { Authorization: 'x' }, status: 401, code: 'api_key_invalid' },
  {
    name: 'an unknown key',
    headers: { Authorization: makeKey('api', 'live'), ClientId: '2' },
    status: 401,
    code: 'api_key_invalid',
  },
  {
    name: 'a key of another kind',
    record: { kind: 'tenant' },
    status: 401,
    code: 'api_key_invalid',
  },
  {
    name: 'a revoked key',
    record: { revokedAt: 1, expiresAt: 1 },
    headers: { ClientId: '2' },
    status: 401,
    code: 'api_key_revoked',
  },
  {
    name: 'an expired key',
    record: { expiresAt: 1 },
    headers: { ClientId: '2' },
    status: 401,
    code: 'api_key_expired',
  },
  {
    name: 'no ClientId',
    headers: { ClientId: undefined, UserEmail: undefined },
    status: 400,
    code: 'client_id_required',
  },
  {
    name: 'the ClientId of another tenant',
    headers: { ClientId: '2', UserEmail: undefined },
    record: { scopes: new Set() },
    status: 403,
    code: 'tenant_mismatch',
  },
  {
    name: 'a ClientId written otherwise',
    headers: { ClientId: '01' },
    status: 403,
    code: 'tenant_mismatch',
  },
  ...['1x', '1e0', '999'].map((ClientId) => ({
    name: `a ClientId ${ClientId}`,
    headers: { ClientId },
    status: 403,
    code: 'tenant_mismatch',
  })),
  {
    name: 'a scope that lacks',
    record: { scopes: new Set(['things:read']) },
    headers: { UserEmail: undefined },
    status: 403,
    code: 'insufficient_scope',
  },
  {
    name: 'no UserEmail',
    headers: { UserEmail: undefined },
    body: { parentCompanyId: 2 },
    status: 400,
    code: 'user_email_required',
  },
  {
    name: 'a UserEmail that is none',
    headers: { UserEmail: 'agent' },
    body: { parentCompanyId: 2 },
    status: 400,
    code: 'user_email_invalid',
  },
  {
    name: 'the parentCompanyId of another tenant',
    body: { parentCompanyId: 2, userEmail: 'other@example.com' },
    status: 403,
    code: 'tenant_mismatch',
  },
  {
    name: 'a parentCompanyId that is no number',
    body: { ...VALID, parentCompanyId: '2' },
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'the userEmail of another, and an invalid body',
    body: { userEmail: 'other@example.com' },
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'the userEmail of another',
    body: { ...VALID, parentCompanyId: 1, userEmail: 'other@example.com' },
    status: 400,
    code: 'user_email_mismatch',
  },
];

describe('authentication', () => {
  it.each(refused)('$name: $status $code', async ({ status, code, ...how }) => {
    const response = await attempt(await startBench(), how);
    expect(response.status).toBe(status);
    expect(((await response.json()) as ErrorBody).code).toBe(code);
    expect(response.headers.has('www-authenticate')).toBe(status === 401);
    expect(response.headers.has('ratelimit')).toBe(status !== 401);
  });

  it.each([
    ['as it is', {}],
    ['with an expiry to come', { record: { expiresAt: Number.MAX_SAFE_INTEGER } }],
    [
      'with a body that says the same',
      { body: { ...VALID, parentCompanyId: 1, userEmail: 'Agent@Example.com' } },
    ],
  ] satisfies [string, Attempt][])('lets a key in %s', async (_name, how) => {
    expect((await attempt(await startBench(), how)).status).toBe(200);
  });

  it('needs no UserEmail where the endpoint does not', async () => {
    const { url } = await startBench();
    const { UserEmail: _, ...headers } = HEADERS;
    expect((await fetch(`${url}/things/1`, { headers })).status).toBe(200);
  });
});

describe('the requests of one connection', () => {
  it('are each let in by a key and a user of their own', async () => {
    const { port } = await startBench();
    const get = (headers = {}) => head('GET /things/1', headers);
    const answers = await converse(
      port,
      get(),
      get({ Authorization: makeKey('api', 'live') }),
      get(),
      get({ UserEmail: 'nobody' }),
      get({ Connection: 'close' }),
    );
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '401', '200', '400', '200']);
  });
});

describe('rate limits', () => {
  it('grants a tenant its requests, and says what is left', async () => {
    const bench = await startBench();
    const record = { rateLimitPerMinute: 2 };
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push(await attempt(bench, { record }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const [first, , last] = answers;
    expect(first?.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
    expect(first?.headers.get('ratelimit')).toMatch(/^"default";r=1;t=\d+$/);
    expect(last?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('counts each tenant and environment separately', async () => {
    const bench = await startBench();
    const record = { rateLimitPerMinute: 1 };
    expect((await attempt(bench, { record })).status).toBe(200);
    expect((await attempt(bench, { record: { environment: 'test' } })).status).toBe(200);
    const other = { record: { tenantId: 2 as TenantId }, headers: { ClientId: '2' } };
    expect((await attempt(bench, other)).status).toBe(200);
    expect((await attempt(bench, other)).status).toBe(429);
  });

  it('limits failed authentications, but not valid keys of that address', async () => {
    const bench = await startBench({ failuresPerMinute: 2 });
    const bad = { headers: { Authorization: 'x', 'X-Forwarded-For': '10.0.0.1' } };
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await attempt(bench, bad)).status);
    expect(statuses).toEqual([401, 401, 429]);
    const disguised = { headers: { Authorization: 'x', 'X-Forwarded-For': '10.0.0.2' } };
    expect((await attempt(bench, disguised)).status).toBe(429);
    expect((await attempt(bench, {})).status).toBe(200);
  });
});

describe('keys', () => {
  it.each([
    ['api', 'live', /^cf_live_[\w-]{43}$/],
    ['api', 'test', /^cf_test_[\w-]{43}$/],
    ['lead-publishable', 'live', /^cf_lead_pub_live_[\w-]{43}$/],
    ['lead-secret', 'test', /^cf_lead_sec_test_[\w-]{43}$/],
    ['tenant', 'live', /^cf_tenant_live_[\w-]{43}$/],
  ] as const)('of kind %s for %s', (kind, environment, form) => {
    const key = makeKey(kind, environment);
    expect(key).toMatch(form);
    expect(makeKey(kind, environment)).not.toBe(key);
    expect(isApiKey(key)).toBe(kind === 'api');
    expect(maskKey(key)).toBe(`${key.slice(0, -43)}…${key.slice(-4)}`);
    expect(keyDigest(key)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are not shown by a masked form that does not know them', () => {
    expect(maskKey('some secret')).toBe('…');
  });
});
