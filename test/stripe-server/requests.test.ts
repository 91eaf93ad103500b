/** What is of every request: keys, idempotency, unknown parameters, faults. */
import { describe, expect, it } from 'vitest';
import { clientOf, refusalOf, serverOfTest } from './stripe-clients.ts';

const DAY_MS = 86_400_000;
const PAYMENT = {
  amount: 1_099,
  currency: 'usd',
  payment_method: 'pm_card_visa',
  allowed_payment_method_types: ['card'],
  confirm: true,
};

async function start() {
  const server = await serverOfTest();
  const stripe = clientOf(server);
  const pay = (idempotencyKey: string, params: Partial<typeof PAYMENT> = {}) =>
    stripe.paymentIntents.create({ ...PAYMENT, ...params }, { idempotencyKey });
  return { server, stripe, pay };
}

describe('idempotency keys', () => {
  it('repeat the first answer', async () => {
    const { server, pay } = await start();
    const first = await pay('k');
    const second = await pay('k');
    expect(second.id).toBe(first.id);
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(second.lastResponse.requestId).toBe(first.lastResponse.requestId);
    expect(server.takenMinor('usd')).toBe(1_099n);
  });

  it('repeat a decline', async () => {
    const { server, pay } = await start();
    const token = 'pm_card_visa_chargeDeclined';
    const first = await refusalOf(pay('k', { payment_method: token }));
    const second = await refusalOf(pay('k', { payment_method: token }));
    expect(second.charge).toBe(first.charge);
    expect(server.charges()).toHaveLength(1);
  });

  it('refuse other parameters and another endpoint', async () => {
    const { stripe, pay } = await start();
    await pay('k');
    expect((await refusalOf(pay('k', { amount: 2_000 }))).type).toBe('StripeIdempotencyError');
    const other = await refusalOf(stripe.customers.create({}, { idempotencyKey: 'k' }));
    expect(other).toMatchObject({ statusCode: 400, type: 'StripeIdempotencyError' });
  });

  it('are free again where a parameter was refused', async () => {
    const { server, pay } = await start();
    expect((await refusalOf(pay('k', { amount: 10.5 }))).code).toBe('parameter_invalid_integer');
    expect((await pay('k')).status).toBe('succeeded');
    server.forgetMismatches();
  });

  it('are forgotten after 24 hours: the same request charges again', async () => {
    const { server, pay } = await start();
    const first = await pay('k');
    server.advance(DAY_MS - 1_000);
    expect((await pay('k')).id).toBe(first.id);
    server.advance(2_000);
    expect((await pay('k')).id).not.toBe(first.id);
    expect(server.takenMinor('usd')).toBe(2_198n);
  });

  it('are in use while the first request is under way', async () => {
    const { server, pay } = await start();
    const stalled = server.fail({ kind: 'stall' });
    const first = pay('k');
    await expect.poll(() => stalled.met).toBe(1);
    const refusal = await refusalOf(pay('k'));
    expect(refusal).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    stalled.release();
    expect((await pay('k')).id).toBe((await first).id);
  });
});

describe('faults', () => {
  // The SDK itself repeats a request once whose connection was closed.
  it.each([
    ['before', 0n],
    ['after', 1_099n],
  ] as const)('cut the connection %s the effect', async (when, taken) => {
    const { server, pay } = await start();
    const planned = server.fail({ kind: 'cut', when, times: 2 });
    expect((await refusalOf(pay('k'))).type).toBe('StripeConnectionError');
    expect(planned.met).toBe(2);
    expect(server.takenMinor('usd')).toBe(taken);
    expect((await pay('k')).status).toBe('succeeded');
    expect(server.takenMinor('usd')).toBe(1_099n);
  });

  it.each([
    ['before', 0n],
    ['after', 1_099n],
  ] as const)('answer 500 %s the effect, and again under the same key', async (when, taken) => {
    const { server, pay } = await start();
    server.fail({ kind: 'error', when });
    expect((await refusalOf(pay('k'))).statusCode).toBe(500);
    expect((await refusalOf(pay('k'))).statusCode).toBe(500);
    expect(server.takenMinor('usd')).toBe(taken);
  });

  it('answer 502 of a proxy, which keeps nothing', async () => {
    const { server, pay } = await start();
    server.fail({ kind: 'error', when: 'after', status: 502, kept: false });
    expect((await refusalOf(pay('k'))).statusCode).toBe(502);
    expect((await pay('k')).status).toBe('succeeded');
    expect(server.takenMinor('usd')).toBe(1_099n);
  });

  it('answer 429 for a while', async () => {
    const { server, pay } = await start();
    server.fail({ kind: 'rateLimit', seconds: 60 });
    expect((await refusalOf(pay('k'))).type).toBe('StripeRateLimitError');
    expect((await refusalOf(pay('k'))).type).toBe('StripeRateLimitError');
    server.advance(60_000);
    expect((await pay('k')).status).toBe('succeeded');
  });

  it('are of one endpoint, after so many calls', async () => {
    const { server, stripe, pay } = await start();
    server.fail({ kind: 'lockTimeout', on: 'POST /v1/refunds', skip: 1 });
    const paid = await pay('k');
    const refund = () => stripe.refunds.create({ payment_intent: paid.id, amount: 100 });
    await refund();
    expect((await refusalOf(refund())).code).toBe('lock_timeout');
    expect((await refund()).status).toBe('succeeded');
  });
});

describe('keys', () => {
  it.each([
    ['sk_test_unknown', 401, undefined],
    ['', 401, undefined],
  ])('%j is refused', async (key, status, code) => {
    const { server } = await start();
    const answer = await fetch(`${server.url}/v1/account`, {
      headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(status);
    expect(code).toBeUndefined();
  });

  it('that was revoked is refused', async () => {
    const { server, stripe } = await start();
    server.revokeKey(server.secretKey);
    expect(await refusalOf(stripe.accounts.retrieveCurrent())).toMatchObject({
      statusCode: 401,
      code: 'api_key_expired',
    });
  });

  it('that is restricted may do what it is for', async () => {
    const { server } = await start();
    const key = server.issueKey({
      kind: 'restricted',
      permissions: { refunds: 'read', account: 'none' },
    });
    expect(key).toMatch(/^rk_test_/);
    const stripe = clientOf(server, key);
    expect((await stripe.refunds.list()).data).toEqual([]);
    const refused = [stripe.refunds.create({ charge: 'ch_1' }), stripe.accounts.retrieveCurrent()];
    for (const call of refused) expect((await refusalOf(call)).statusCode).toBe(403);
  });

  it('of live mode see other objects, and refuse test cards', async () => {
    const { server, pay } = await start();
    const paid = await pay('k');
    const live = clientOf(server, server.issueKey({ mode: 'live' }));
    expect((await refusalOf(live.paymentIntents.retrieve(paid.id))).code).toBe('resource_missing');
    const refusal = await refusalOf(live.paymentIntents.create(PAYMENT));
    expect(refusal.decline_code).toBe('live_mode_test_card');
  });

  it('act for a connected account, not for another one', async () => {
    const { server, stripe } = await start();
    const connected = server.createAccount({ platform: server.account });
    const options = { stripeAccount: connected };
    expect((await stripe.accounts.retrieveCurrent({}, options)).id).toBe(connected);
    const paid = await stripe.paymentIntents.create(PAYMENT, options);
    expect((await refusalOf(stripe.paymentIntents.retrieve(paid.id))).code).toBe(
      'resource_missing',
    );
    const stranger = { stripeAccount: server.createAccount() };
    expect((await refusalOf(stripe.accounts.retrieveCurrent({}, stranger))).code).toBe(
      'account_invalid',
    );
  });
});

describe('parameters', () => {
  it('that are unknown are refused by name', async () => {
    const { server } = await start();
    const answer = await fetch(`${server.url}/v1/customers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.secretKey}` },
      body: new URLSearchParams({ colour: 'red' }),
    });
    expect(await answer.json()).toMatchObject({
      error: { code: 'parameter_unknown', param: 'colour', type: 'invalid_request_error' },
    });
    // The document says so too.
    expect(server.mismatches().length).toBe(process.env['STRIPE_OPENAPI'] ? 1 : 0);
    server.forgetMismatches();
  });

  it('that are missing are named', async () => {
    const { server } = await start();
    const answer = await fetch(`${server.url}/v1/payment_intents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.secretKey}` },
      body: new URLSearchParams({ amount: '1000' }),
    });
    expect(await answer.json()).toMatchObject({
      error: { code: 'parameter_missing', param: 'currency' },
    });
    server.forgetMismatches();
  });

  it('name objects that are not there', async () => {
    const { stripe } = await start();
    expect(await refusalOf(stripe.paymentIntents.retrieve('pi_none'))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      param: 'intent',
    });
    const unknown = stripe.refunds.create({ payment_intent: 'pi_none' });
    expect((await refusalOf(unknown)).statusCode).toBe(400);
  });

  it('of another version of the API are refused', async () => {
    const { server } = await start();
    const old = clientOf(server, server.secretKey, {
      apiVersion: '2020-08-27' as '2026-10-28.endive',
    });
    expect((await refusalOf(old.accounts.retrieveCurrent())).message).toContain('version');
  });
});
