/** Merchant accounts over HTTP: envelopes, versions and media types. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { present } from './api.ts';
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
  const { status, headers } = await admin.post('/api/admin/merchantaccounts', {
    body: account(more),
  });
  expect(status).toBe(201);
  return headers.get('location') ?? '';
}

function json(method: string, path: string, body: Json, headers: Json = {}): Promise<Answer> {
  const sent = { 'Content-Type': 'application/json', ...headers };
  return admin.wire.send(method, path, JSON.stringify(body), sent);
}
const put = (path: string, body: Json, headers?: Json) => json('PUT', path, body, headers);
const patch = (path: string, body: Json, headers?: Json) => json('PATCH', path, body, headers);

describe('the envelopes', () => {
  it('are returnVal of what is changed, and the object alone of what is read', async () => {
    const { status, headers, body } = await admin.post('/api/admin/merchantaccounts', {
      body: account(),
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      success: true,
      message: 'Opened',
      returnVal: { mid: '7002', rowVersion: 1, parentCompanyId: tenant, company: 'Crockery Ltd' },
    });
    expect(headers.get('etag')).toMatch(/^"1(-gzip)?"$/);
    const { id } = body.returnVal;
    expect(headers.get('location')).toBe(`${PATH}/${id}`);
    const read = await admin.get('/api/admin/merchantaccounts/{id}', { path: { id } });
    expect(read.body).toEqual(body.returnVal);
    const [held] = read.body.currencies;
    expect(held?.gatewayCredentials).toMatchObject({ apiKey: MASK, password: '' });
  });

  it('page by cursor', async () => {
    for (let n = 0; n < 3; n += 1) await opened({ title: `Account ${n}` });
    const first = await admin.get('/api/admin/merchantaccounts', { query: { limit: 3 } });
    expect(first.body).toMatchObject({ success: true, count: 3, moreResults: true });
    const rest = await admin.get('/api/admin/merchantaccounts', {
      query: { limit: 3, cursor: present(first.body.next) },
    });
    expect(rest.body).toMatchObject({ count: 1, moreResults: false, next: null });
    const query = { currency: 'EUR', limit: 2 };
    const inEuros = await admin.get('/api/admin/merchantaccounts', { query });
    expect(inEuros.body.items).toHaveLength(2);
    expectRefusal(
      await admin.get('/api/admin/merchantaccounts', { query: { cursor: 'nonsense' } }),
      400,
      'invalid_request',
    );
  });
});

describe('PUT', () => {
  it('takes what was read, as it was read', async () => {
    const path = await opened({ maxPrice: 50 });
    const { body: read } = await admin.wire.get(path);
    const { status, body, headers } = await put(path, read);
    expect(status).toBe(200);
    expect(headers.get('etag')).toMatch(/^"1(-gzip)?"$/);
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

  it('takes the ETag that was read, of a compressed answer too', async () => {
    const path = await opened();
    const { headers } = await admin.wire.get(path);
    const ifMatch = { 'If-Match': headers.get('etag') };
    const changed = await put(path, account({ title: 'B' }), ifMatch);
    expect(changed.body.returnVal).toMatchObject({ title: 'B', rowVersion: 2 });
    expectRefusal(await put(path, account(), ifMatch), 412, 'precondition_failed');
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
    await admin.post('/api/admin/merchantaccounts', { body: account(), headers }),
    await admin.post('/api/admin/merchantaccounts', { body: account(), headers }),
  ];
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true');
  expectRefusal(
    await admin.post('/api/admin/merchantaccounts', { body: account({ title: 'B' }), headers }),
    422,
    'idempotency_key_reused',
  );
});

describe('a batch', () => {
  const BATCH = `${PATH}/batch`;
  const HEADER = 'mid,title,companyId,gatewayId,descriptor,defaultCurrency,currencies,apiKey';
  const row = (n: number, more = '') =>
    `70${n},Account ${n},5,1,SHOP ${n},EUR,EUR;USD,sk-${n}${more}`;
  const csv = (lines: readonly string[], { query = '', headers = {} as Json } = {}) =>
    admin.wire.send('POST', BATCH + query, [HEADER, ...lines].join('\n'), {
      'Content-Type': 'text/csv; charset=utf-8',
      ...headers,
    });
  const titles = async () =>
    (await admin.get('/api/admin/merchantaccounts')).body.items
      .map(({ title }: Json) => title)
      .slice(1);

  it('opens each line by itself, and says what is wrong with the others', async () => {
    const wrong = row(2).replace(',5,1,', ',9,1,');
    const { status, body } = await csv([
      row(1),
      wrong,
      row(3).replace('SHOP', 'x'.repeat(30)),
      row(4),
    ]);
    expect([status, body.success, body.message]).toEqual([200, false, 'Opened 2 of 4']);
    expect(
      body.results.map(({ line, code, errors }: Json) => [line, code, errors[0]?.pointer]),
    ).toEqual([
      [1, null, undefined],
      [2, 'reference_unknown', '/companyId'],
      [3, 'invalid_request', '/descriptor'],
      [4, null, undefined],
    ]);
    expect(await titles()).toEqual(['Account 1', 'Account 4']);
    const { body: one } = await admin.get('/api/admin/merchantaccounts/{id}', {
      path: { id: body.results[3].id },
    });
    expect(one).toMatchObject({ title: 'Account 4', currencies: [{}, { currency: 'USD' }] });
  });

  it('opens nothing where a line is refused, if that is asked', async () => {
    const { body } = await csv([row(1), row(2).replace('EUR,EUR', 'EUR,XXX')], {
      query: '?atomic=true',
    });
    expect(body).toMatchObject({
      success: false,
      opened: 0,
      results: [{ code: 'not_attempted' }, { code: 'currency_unknown' }],
    });
    expect(await titles()).toEqual([]);
    const all = await csv([row(1), row(2)], { query: '?atomic=true' });
    expect(all.body).toMatchObject({ success: true, opened: 2 });
  });

  it('opens each line once under a key, also after answers are forgotten', async () => {
    const headers = { 'Idempotency-Key': 'batch-1' };
    const first = await csv([row(1), row(2)], { headers });
    expect((await csv([row(1), row(2)], { headers })).body).toEqual(first.body);
    const { ledgers } = running.host.engine;
    const face = ledgers.as({ tenantId: tenant, actor: 'x' }).merchantAccounts;
    const lines = [account(), account({ title: 'Third' })];
    const opened = await face.batch({ lines, idempotencyKey: 'batch-2' });
    const again = await face.batch({ lines, idempotencyKey: 'batch-2' });
    expect(again.map((each) => each.account?.merchantAccountId)).toEqual(
      opened.map((each) => each.account?.merchantAccountId),
    );
    expect(await titles()).toHaveLength(4);
  });

  it.each(['application/x-ndjson', 'application/jsonl'])('takes JSON lines as %s', async (type) => {
    const lines = [
      JSON.stringify(account()),
      '{"mid":',
      JSON.stringify({ ...account(), colour: 1 }),
    ];
    const { body } = await admin.wire.send('POST', BATCH, lines.join('\n'), {
      'Content-Type': type,
    });
    expect(body.results).toMatchObject([
      { success: true },
      { code: 'invalid_request', errors: [{ pointer: '' }] },
      { code: 'invalid_request', errors: [{ pointer: '/colour' }] },
    ]);
  });

  it.each<[string, string, Json, number, string]>([
    ['another media type', 'mid', { 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
    [
      'an unknown column',
      'mid,colour\n7,red',
      { 'Content-Type': 'text/csv' },
      400,
      'invalid_request',
    ],
    ['no line', HEADER, { 'Content-Type': 'text/csv' }, 400, 'invalid_request'],
    [
      'too many lines',
      '{}\n'.repeat(1_001),
      { 'Content-Type': 'application/jsonl' },
      400,
      'invalid_request',
    ],
    [
      'another tenant',
      '{"parentCompanyId":7}',
      { 'Content-Type': 'application/jsonl' },
      403,
      'tenant_mismatch',
    ],
    [
      'another tenant in CSV',
      'mid,parentCompanyId\n1,7',
      { 'Content-Type': 'text/csv' },
      403,
      'tenant_mismatch',
    ],
  ])('refuses %s', async (_, text, headers, status, code) => {
    expectRefusal(await admin.wire.send('POST', BATCH, text, headers), status, code);
  });
});
