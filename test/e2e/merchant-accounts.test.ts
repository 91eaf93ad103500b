/** Merchant accounts over HTTP: envelopes, versions and media types. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Caller,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const PATH = '/api/admin/merchantaccounts';
const MASK = '********';

let running: Running;
let admin: Caller;
let tenant = 200;

beforeAll(async () => {
  running = await startHost();
});
afterAll(async () => running.close());

beforeEach(async () => {
  tenant += 1;
  admin = await openTenant(running, tenant);
});

function account(more: Json = {}): Json {
  return {
    mid: '7002',
    title: 'Second',
    companyId: 5,
    gatewayId: 1,
    descriptor: 'SECOND',
    defaultCurrency: 'EUR',
    currencies: [{ currency: 'EUR', gatewayCredentials: { apiKey: 'sk-1' } }],
    ...more,
  };
}

/** The path of a new account. */
async function opened(more: Json = {}): Promise<string> {
  const { status, headers } = await admin.post(PATH, account(more));
  expect(status).toBe(201);
  return headers.get('location') ?? '';
}

function json(method: string, path: string, body: Json, headers: Json = {}): Promise<Answer> {
  const sent = { 'Content-Type': 'application/json', ...headers };
  return admin.send(method, path, JSON.stringify(body), sent);
}
const put = (path: string, body: Json, headers?: Json) => json('PUT', path, body, headers);
const patch = (path: string, body: Json, headers?: Json) => json('PATCH', path, body, headers);

describe('the envelopes', () => {
  it('are returnVal of what is changed, and the object alone of what is read', async () => {
    const { status, headers, body } = await admin.post(PATH, account());
    expect(status).toBe(201);
    expect(body).toMatchObject({
      success: true,
      message: 'Opened',
      returnVal: { mid: '7002', rowVersion: 1, parentCompanyId: tenant, company: 'Crockery Ltd' },
    });
    expect(headers.get('etag')).toBe('"1"');
    const path = headers.get('location') ?? '';
    expect(path).toBe(`${PATH}/${body.returnVal.id}`);
    const read = await admin.get(path);
    expect(read.body).toEqual(body.returnVal);
    const [held] = read.body.currencies;
    expect(held.gatewayCredentials).toMatchObject({ apiKey: MASK, password: '' });
  });

  it('page by cursor', async () => {
    for (let n = 0; n < 3; n += 1) await opened({ title: `Account ${n}` });
    const query = `${PATH}?currency=EUR&limit=2`;
    const first = await admin.get(`${PATH}?limit=3`);
    expect(first.body).toMatchObject({ success: true, count: 3, moreResults: true });
    const rest = await admin.get(`${PATH}?limit=3&cursor=${first.body.next}`);
    expect(rest.body).toMatchObject({ count: 1, moreResults: false, next: null });
    expect((await admin.get(query)).body.items).toHaveLength(2);
    expectRefusal(await admin.get(`${query}&cursor=nonsense`), 400, 'invalid_request');
  });
});

describe('PUT', () => {
  it('takes what was read, as it was read', async () => {
    const path = await opened({ maxPrice: 50 });
    const { body: read } = await admin.get(path);
    const { status, body, headers } = await put(path, read);
    expect([status, headers.get('etag')]).toEqual([200, '"1"']);
    expect(body).toEqual({ success: true, message: 'Changed', returnVal: read });
  });

  it.each<[string, Json, Json, number, string]>([
    ['no version', {}, {}, 400, 'invalid_request'],
    ['an old version', { rowVersion: 2 }, {}, 409, 'stale_row_version'],
    ['another ETag', {}, { 'If-Match': '"2"' }, 412, 'precondition_failed'],
    [
      'another ETag beside the version',
      { rowVersion: 1 },
      { 'If-Match': '"2"' },
      412,
      'precondition_failed',
    ],
    ['another id', { rowVersion: 1, id: 7 }, {}, 400, 'invalid_request'],
    ['another tenant', { rowVersion: 1, parentCompanyId: 7 }, {}, 403, 'tenant_mismatch'],
    ['an unknown member', { rowVersion: 1, colour: 'red' }, {}, 400, 'invalid_request'],
    ['no title', { rowVersion: 1, title: null }, {}, 400, 'invalid_request'],
  ])('refuses %s', async (_, more, headers, status, code) => {
    expectRefusal(await put(await opened(), account(more), headers), status, code);
  });

  it.each(['"1"', '*', '"7", "1"'])(
    'takes If-Match: %s in place of the version',
    async (ifMatch) => {
      const answer = await put(await opened(), account({ title: 'B' }), { 'If-Match': ifMatch });
      expect(answer.body.returnVal).toMatchObject({ title: 'B', rowVersion: 2 });
    },
  );
});

describe('PATCH', () => {
  const MERGE = { 'Content-Type': 'application/merge-patch+json' };

  it.each([MERGE, {}])('is a merge patch with %j', async (headers) => {
    const path = await opened({ maxPrice: 50, notes: 'first' });
    const { status, body } = await patch(path, { maxPrice: null, notes: 'B' }, headers);
    expect(status).toBe(200);
    expect(body.returnVal).toMatchObject({ maxPrice: null, notes: 'B', mid: '7002' });
  });

  it.each<[string, Json, Json, number, string]>([
    ['a required field of null', { title: null }, {}, 400, 'invalid_request'],
    ['a wrong type', { monthlyCap: '5' }, {}, 400, 'invalid_request'],
    ['an unknown member', { colour: null }, {}, 400, 'invalid_request'],
    ['too fine a fee', { chargebackFee: 0.005 }, {}, 400, 'amount_precision'],
    ['an old version', { rowVersion: 2 }, {}, 409, 'stale_row_version'],
    ['another ETag', {}, { 'If-Match': '"2"' }, 412, 'precondition_failed'],
    [
      'a JSON patch',
      [],
      { 'Content-Type': 'application/json-patch+json' },
      415,
      'unsupported_media_type',
    ],
  ])('refuses %s', async (_, body, headers, status, code) => {
    expectRefusal(await patch(await opened(), body, headers), status, code);
  });
});

it('opens one account under a key', async () => {
  const headers = { 'Idempotency-Key': 'second' };
  const answers = [
    await admin.post(PATH, account(), headers),
    await admin.post(PATH, account(), headers),
  ];
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true');
  expectRefusal(
    await admin.post(PATH, account({ title: 'B' }), headers),
    422,
    'idempotency_key_reused',
  );
});
