/** Checkout sessions over HTTP: who may open and who may pay them, origins, and what pages are told. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  CARDS,
  type Caller,
  CHECKOUT,
  card,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const TENANT = 16;
const PATH = '/v1/checkout-sessions';
const PUBLIC = '/api/public/checkout-sessions';
const ORIGIN = 'https://shop.example';

let running: Running;
let owner: Caller;
let stranger: Caller;
let key: string;
let lines: string[];

beforeAll(async () => {
  lines = [];
  running = await startHost({ lines });
  owner = await openTenant(running, TENANT);
  stranger = await openTenant(running, TENANT + 1);
  key = (await keyOf(owner)).key;
});
afterAll(() => running.close());

async function keyOf(caller: Caller, more: Json = {}): Promise<Json> {
  const made = await caller.post('/api/admin/keys', {
    body: {
      kind: 'payment-publishable',
      applicationId: CHECKOUT,
      allowedOrigins: [ORIGIN],
      ...more,
    },
  });
  expect(made.status, made.text).toBe(201);
  return made.body.item;
}

async function opened(more: Json = {}): Promise<Json> {
  const made = await owner.post('/v1/checkout-sessions', {
    body: {
      amount: 19.99,
      currency: 'GBP',
      email: 'buyer@shop.example',
      applicationId: CHECKOUT,
      successUrl: `${ORIGIN}/thanks`,
      cancelUrl: `${ORIGIN}/cart`,
      ...more,
    },
  });
  expect(made.status, made.text).toBe(201);
  return made.body;
}

async function fromPage(path: string, body: Json, headers: Json = {}): Promise<Answer> {
  const response = await fetch(running.url + PUBLIC + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Origin: ORIGIN,
      'X-Service-Payment-Key': key,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}
const pay = ({ id, clientSecret }: Json, number: string = CARDS.approve, headers: Json = {}) =>
  fromPage(`/${id}/pay`, { clientSecret, card: card(number) }, headers);
const show = ({ id, clientSecret }: Json, headers: Json = {}) =>
  fromPage(`/${id}`, { clientSecret }, headers);

describe('a session', () => {
  it('is paid by a page, and its server reads so', async () => {
    const session = await opened({ partnerSession: 'visit-7' });
    const paid = await pay(session);
    expect(paid).toMatchObject({ status: 200, body: { status: 'complete', amount: 19.99 } });
    const { body } = await owner.get('/v1/checkout-sessions/{id}', { path: { id: session.id } });
    expect(body).toMatchObject({ status: 'complete', paymentId: paid.body.payment.id });
    const payment = await owner.get('/v1/payments/{id}', { path: { id: paid.body.payment.id } });
    expect(payment.body).toMatchObject({ amount: 19.99, status: 'Captured' });
  });

  it('says that a card was declined, and no more than a buyer may know', async () => {
    const session = await opened();
    const declined = await pay(session, CARDS.stolen);
    expect(declined).toMatchObject({
      status: 402,
      body: { status: 'open', attempt: 2, attemptsLeft: 9, payment: { declineReason: 'declined' } },
    });
    expect(declined.text).not.toContain('stolen');
    const funds = await pay(session, CARDS.insufficientFunds);
    expect(funds.body.payment.declineReason).toBe('insufficient_funds');
  });

  it('waits for the buyer to act, and for an answer that is lost', async () => {
    const session = await opened();
    const asked = await pay(session, CARDS.actionApprove);
    expect(asked).toMatchObject({
      status: 200,
      body: { payment: { nextAction: { type: '3ds' } } },
    });
    expectRefusal(await pay(session), 409, 'checkout_session_state');
    const { id, clientSecret } = session;
    const done = await fromPage(`/${id}/action`, { clientSecret, outcome: 'done' });
    expect(done).toMatchObject({ status: 200, body: { status: 'complete' } });
    const lost = await pay(await opened(), CARDS.timeoutApprove);
    expect(lost).toMatchObject({ status: 202, body: { status: 'processing' } });
  });

  it('shows a page nothing of the buyer', async () => {
    const shown = await show(await opened());
    expect(shown.status).toBe(200);
    expect(shown.text).not.toContain('buyer@');
  });

  it('takes neither a price nor anything else from a page', async () => {
    const { id, clientSecret } = await opened();
    const body = { clientSecret, card: card(), amount: 0.01 };
    expectRefusal(await fromPage(`/${id}/pay`, body), 400, 'invalid_request');
  });

  it('has a secret that only its making shows, and no log has', async () => {
    const sent = { 'Idempotency-Key': 'session-1', 'Content-Type': 'application/json' };
    const order = JSON.stringify({
      amount: 5,
      currency: 'GBP',
      email: 'key@shop.example',
      applicationId: CHECKOUT,
      successUrl: ORIGIN,
      cancelUrl: ORIGIN,
    });
    const first = await owner.wire.send('POST', PATH, order, sent);
    const again = await owner.wire.send('POST', PATH, order, sent);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    const read = await owner.get('/v1/checkout-sessions/{id}', { path: { id: first.body.id } });
    expect(read.body).not.toHaveProperty('clientSecret');
    expect(lines.join('')).not.toContain(first.body.clientSecret);
  });

  it('is unknown to another tenant, to a test key and without its secret', async () => {
    const session = await opened();
    expectRefusal(
      await stranger.get('/v1/checkout-sessions/{id}', { path: { id: session.id } }),
      404,
      'not_found',
    );
    const keys = [
      await keyOf(stranger),
      await keyOf(owner, { environment: 'test' }),
      await keyOf(owner, { applicationId: 1 }),
    ];
    for (const other of keys) {
      const headers = { 'X-Service-Payment-Key': other.key };
      expectRefusal(await show(session, headers), 404, 'not_found');
      expectRefusal(await pay(session, CARDS.approve, headers), 404, 'not_found');
    }
    const { clientSecret } = await opened();
    expectRefusal(await pay({ ...session, clientSecret }), 404, 'not_found');
  });

  it('has its requests counted', async () => {
    const session = await opened();
    const shown = await Promise.all(Array.from({ length: 31 }, () => show(session)));
    const refused = shown.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await show(await opened())).status).toBe(200);
  });
});

describe('a payment key', () => {
  it.each<[string, Json, number, string]>([
    ['that is absent', { 'X-Service-Payment-Key': '' }, 401, 'api_key_invalid'],
    ['that is none', { 'X-Service-Payment-Key': 'cf_pub_live_x' }, 401, 'api_key_invalid'],
    ['from another origin', { Origin: 'https://evil.example' }, 403, 'origin_not_allowed'],
    ['from another port', { Origin: `${ORIGIN}:8443` }, 403, 'origin_not_allowed'],
    ['from a file', { Origin: 'null' }, 403, 'origin_not_allowed'],
    ['of another tenant', { ClientId: '1' }, 403, 'tenant_mismatch'],
  ])('%s is refused', async (_, headers, status, code) => {
    expectRefusal(await show(await opened(), headers), status, code);
  });

  it('is admitted from a page of the host itself', async () => {
    expect((await show(await opened(), { Origin: running.url })).status).toBe(200);
  });

  it('reads and pays sessions, and opens nothing else', async () => {
    const answer = await fetch(running.url + PATH, {
      method: 'POST',
      headers: { Authorization: key, ClientId: String(TENANT), Origin: ORIGIN },
    });
    expect(answer.status).toBe(401);
    const lead = await fetch(`${running.url}/api/public/customer-leads`, {
      method: 'POST',
      headers: { 'X-Service-Lead-Key': key, Origin: ORIGIN },
    });
    expect(lead.status).toBe(401);
  });

  it('is refused at once when it is revoked', async () => {
    const session = await opened();
    const made = await keyOf(owner);
    const headers = { 'X-Service-Payment-Key': made.key };
    expect((await show(session, headers)).status).toBe(200);
    expect((await owner.delete('/api/admin/keys/{id}', { path: { id: made.id } })).status).toBe(
      200,
    );
    expectRefusal(await show(session, headers), 401, 'api_key_revoked');
  });

  it.each([
    ['without an application', { applicationId: undefined }, 400],
    ['without origins', { allowedOrigins: undefined }, 400],
    ['with scopes', { scopes: ['payments:write'] }, 400],
    ['with a path for an origin', { allowedOrigins: [`${ORIGIN}/`] }, 400],
    ['of another kind', { kind: 'api' }, 400],
    ['with an application that is not there', { applicationId: 999 }, 400],
  ])('%s is not made', async (_, more, status) => {
    const asked = { kind: 'payment-publishable', applicationId: 1, allowedOrigins: [ORIGIN] };
    const answer = await owner.post('/api/admin/keys', { body: { ...asked, ...more } as Json });
    expect(answer.status, answer.text).toBe(status);
  });
});

describe('CORS', () => {
  it('lets pages of known origins read answers, refusals too', async () => {
    const session = await opened();
    for (const answer of [await show(session), await show({ ...session, clientSecret: 'x' })]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
    }
    const other = await show(session, { Origin: 'https://evil.example' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answers preflights for known origins alone', async () => {
    const { id } = await opened();
    const ask = (origin: string) =>
      fetch(`${running.url}${PUBLIC}/${id}/pay`, {
        method: 'OPTIONS',
        headers: { Origin: origin },
      });
    const known = await ask(ORIGIN);
    expect(known.status).toBe(204);
    expect(known.headers.get('access-control-allow-headers')).toContain('X-Service-Payment-Key');
    expect((await ask('https://evil.example')).status).toBe(403);
  });
});
