/** POST /api/mitigation/chargebacks and /alerts over HTTP: by key, and signed. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryOf } from './api.ts';
import {
  type Answer,
  type Caller,
  callerWith,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
  USER_EMAIL,
} from './running-host.ts';

const NOW = '2026-03-09T12:00:00.000Z';
const SECONDS = Date.parse(NOW) / 1_000;
const TENANT = 13;

let running: Running;
let caller: Caller;
let secret: string;
let references = 0;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => NOW } });
  caller = await openTenant(running, TENANT);
  await openTenant(running, TENANT + 1);
  const { disputes } = running.host.engine.as({ tenantId: TENANT, actor: USER_EMAIL });
  ({ secret } = await disputes.setProviderSecret({ provider: 'acme' }));
});
afterAll(() => running.close());

async function reportOf(more: Json = {}): Promise<Json> {
  const { id } = await caller.paid({ amount: 10 });
  references += 1;
  return { reference: `r-${references}`, amount: 10, currency: 'GBP', transactionId: id, ...more };
}

const report = (body: Json, query = 'provider=acme') =>
  caller.post('/api/mitigation/chargebacks', { query: queryOf(query), body });

interface Signing {
  readonly key?: string;
  readonly timestamp?: number;
  readonly query?: string;
  readonly sent?: string;
  readonly before?: string;
}

async function signed(body: Json, options: Signing = {}): Promise<Answer> {
  const { key = secret, timestamp = SECONDS, query = `clientId=${TENANT}&provider=acme` } = options;
  const text = JSON.stringify(body);
  const hmac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'));
  const signature = hmac.update(`msg_1.${timestamp}.${text}`).digest('base64');
  const answer = await fetch(`${running.url}/api/mitigation/chargebacks?${query}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `${options.before ?? ''}v1,${signature}`,
    },
    body: options.sent ?? text,
  });
  const answered = await answer.text();
  const { status, headers } = answer;
  return { status, headers, text: answered, body: JSON.parse(answered) };
}

describe('a report by key', () => {
  it('is answered with the dispute and its payment', async () => {
    const body = await reportOf();
    expect(await report(body)).toMatchObject({
      status: 200,
      body: {
        success: true,
        status: 'matched',
        transactionId: body.transactionId,
        disputeStatus: 'ChargebackOpen',
      },
    });
    const { childTransactions, chargedBack } = await caller.transaction(body.transactionId);
    expect(chargedBack).toBe(true);
    expect(childTransactions).toMatchObject([{ applicationID: 20, status: 'ChargebackOpen' }]);
  });

  it('without a payment is kept, and answered with 202', async () => {
    const body = await reportOf({ transactionId: undefined, arn: 'unknown' });
    const answer = await report(body);
    expect(answer).toMatchObject({ status: 202, body: { status: 'unmatched' } });
    expect(answer.body.transactionId).toBeNull();
  });

  it.each([
    ['no reference to a payment', { transactionId: undefined }, 'invalid_request'],
    ['too many decimals', { amount: 1.999 }, 'amount_precision'],
    ['nothing', { amount: 0 }, 'amount_not_positive'],
    ['a currency that is none', { currency: 'XQX' }, 'currency_unknown'],
    ['an unknown member', { kind: 'fraud' }, 'invalid_request'],
    ['a year before 0', { openedAt: '0000-01-01T00:00:00+23:59' }, 'invalid_request'],
    ['a year after 9999', { respondBy: '9999-12-31T23:59:59-23:59' }, 'invalid_request'],
  ])('of %s is refused', async (_, wrong, code) => {
    expectRefusal(await report(await reportOf(wrong)), 400, code);
  });

  it('of another amount under the same reference is a conflict', async () => {
    const body = await reportOf();
    await report(body);
    expectRefusal(await report({ ...body, amount: 9 }), 409, 'duplicate');
  });

  it('names its provider', async () => {
    expectRefusal(await report(await reportOf(), ''), 400, 'invalid_request');
    expectRefusal(await report(await reportOf(), 'provider=Acme%20Ltd'), 400, 'invalid_request');
  });

  it('needs the scope, and its own tenant', async () => {
    const reader = await callerWith(running, TENANT, { scopes: ['mitigation:read'] });
    const asked = await reader.post('/api/mitigation/chargebacks', {
      query: { provider: 'a' },
      body: await reportOf(),
    });
    expectRefusal(asked, 403, 'insufficient_scope');
    const other = `provider=acme&clientId=${TENANT + 1}`;
    expectRefusal(await report(await reportOf(), other), 403, 'tenant_mismatch');
  });

  it('of an alert has its type and source', async () => {
    const alert = await reportOf({ type: 'AutoResolved', source: 'RDR' });
    const { status, body } = await caller.post('/api/mitigation/alerts', {
      query: { provider: 'acme' },
      body: alert,
    });
    expect([status, body.disputeStatus]).toEqual([200, 'AlertResolved']);
    expect(await caller.transaction(alert.transactionId)).toMatchObject({
      hasAlert: true,
      chargedBack: false,
      refundSourceName: 'RDR',
    });
  });
});

describe('a signed report', () => {
  it('needs no key', async () => {
    const body = await reportOf();
    expect(await signed(body)).toMatchObject({ status: 200, body: { status: 'matched' } });
    // The same as by key.
    expect(await report(body)).toMatchObject({ status: 200 });
    const { childTransactions } = await caller.transaction(body.transactionId);
    expect(childTransactions).toHaveLength(1);
  });

  it('may carry several signatures', async () => {
    expect(await signed(await reportOf(), { before: 'v1,AAAA v1a,BBBB ' })).toMatchObject({
      status: 200,
    });
  });

  it.each<[string, Signing]>([
    ['with another secret', { key: `whsec_${Buffer.alloc(32).toString('base64')}` }],
    ['that was changed', { sent: '{"reference":"x"}' }],
    ['from six minutes ago', { timestamp: SECONDS - 360 }],
    ['from six minutes ahead', { timestamp: SECONDS + 360 }],
    ['of another tenant', { query: `clientId=${TENANT + 1}&provider=acme` }],
    ['of a tenant that does not exist', { query: 'clientId=999&provider=acme' }],
    ['of an unknown provider', { query: `clientId=${TENANT}&provider=other` }],
    ['without a tenant', { query: 'provider=acme' }],
  ])('%s is refused', async (_, wrong) => {
    expectRefusal(await signed(await reportOf(), wrong), 401, 'signature_invalid');
  });

  it('is good under the secret before for a day, and no more once the provider is removed', async () => {
    const { disputes } = running.host.engine.as({ tenantId: TENANT, actor: USER_EMAIL });
    const first = await disputes.setProviderSecret({ provider: 'old' });
    const second = await disputes.setProviderSecret({ provider: 'old' });
    const query = `clientId=${TENANT}&provider=old`;
    for (const { secret: key } of [first, second]) {
      expect(await signed(await reportOf(), { key, query })).toMatchObject({ status: 200 });
    }
    const { items } = (
      await caller.get('/api/admin/webhookendpoints', { query: { direction: 'in' } })
    ).body;
    expect(items.map(({ source }: Json) => source)).toContain('old');
    await disputes.removeProvider('old');
    const refused = await signed(await reportOf(), { key: second.secret, query });
    expectRefusal(refused, 401, 'signature_invalid');
  });
});
