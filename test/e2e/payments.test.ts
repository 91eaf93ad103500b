/** The card API over HTTP: submit, capture, void, read and list. */
import { luhnCheckDigit } from '@counterfoil/engine/gateways';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from './api.ts';
import {
  CALLER,
  CARDS,
  type Caller,
  CHECKOUT,
  CVV,
  card,
  ECOMMERCE,
  eventually,
  expectRefusal,
  type Json,
  openAccount,
  openTenant,
  type Running,
  SHOP,
  startHost,
  type TenantId,
  USER_EMAIL,
} from './running-host.ts';

const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

let now = Date.parse('2026-01-10T12:00:00.000Z');
const lines: string[] = [];
let running: Running;
let caller: Caller;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() }, lines });
  caller = await openTenant(running, 11);
});
afterAll(async () => running.close());

describe('the outcomes of the sandbox', () => {
  it.each([
    ['approve', 201, 'Captured', 50, true],
    ['insufficientFunds', 402, 'Declined', 70, false],
    ['doNotHonour', 402, 'Declined', 70, false],
    ['stolen', 402, 'Declined', 70, false],
    ['expired', 402, 'Declined', 70, false],
    ['processingError', 402, 'Failed', 71, false],
    ['actionApprove', 201, 'RequiresAction', 30, false],
    ['actionDecline', 201, 'RequiresAction', 30, false],
    ['slow', 201, 'Captured', 50, true],
    ['refundFails', 201, 'Captured', 50, true],
    ['chargeback', 201, 'Captured', 50, true],
    ['alert', 201, 'Captured', 50, true],
  ] as const)('%s is %d %s', async (name, httpStatus, status, statusId, success) => {
    const { status: answered, body } = await caller.pay({ card: card(CARDS[name]) });
    expect(answered).toBe(httpStatus);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status,
      statusId,
      success,
      amount: 100,
      currency: 'GBP',
      capturedAmount: success ? 100 : 0,
      refundedAmount: 0,
      attempts: [expect.objectContaining({ attempt: 1 })],
    });
    expect(Object.hasOwn(body, 'nextAction')).toBe(true);
    const read = await caller.get('/v1/payments/{id}', { path: { id: body.id } });
    expect(read.status).toBe(200);
    if (!['chargeback', 'alert'].includes(name)) expect(read.body).toEqual(body);
    expect(await caller.transaction(body.id)).toMatchObject({
      status,
      statusID: statusId,
      success,
    });
  });

  it.each([
    ['actionApprove', 200, 'Captured', 50],
    ['actionDecline', 402, 'Declined', 70],
  ] as const)('%s asks for an action, and ends when it is done', async (name, code, status, id) => {
    const { body } = await caller.pay({ card: card(CARDS[name]) });
    expect(body.nextAction).toMatchObject({
      type: expect.any(String),
      url: expect.stringMatching(/^https:/),
    });
    const done = await caller.post('/v1/payments/{id}/confirm', {
      path: { id: body.id },
      body: {},
    });
    expect(done.status).toBe(code);
    expect(done.body).toMatchObject({ id: body.id, status, statusId: id, nextAction: null });
  });

  it.each([
    ['timeoutApprove', 'Captured', 50],
    ['timeoutDecline', 'Declined', 70],
    ['timeoutNothing', 'Failed', 71],
  ] as const)('%s is unknown until the gateway was asked', async (name, status, statusId) => {
    const { body } = await caller.pay({ card: card(CARDS[name]) });
    expect(body).toMatchObject({ status: 'Unknown', statusId: 74, success: false });
    expect(await caller.transaction(body.id)).toMatchObject({ statusID: 74, refundable: false });
    expectRefusal(await caller.refund(body.id), 400);
    const settled = await eventually(
      () => {
        now += 86_400_000;
        return caller.get('/v1/payments/{id}', { path: { id: body.id } });
      },
      (answer) => answer.body.statusId !== 74,
    );
    expect(settled.body).toMatchObject({ status, statusId });
    expect((await caller.transaction(body.id)).statusID).toBe(statusId);
  });
});

describe('a refund without an answer', () => {
  const REFUND_TIMEOUT = '4000000000007726';

  it('is pending, holds its amount, and is found done when the gateway is asked', async () => {
    const other = await openTenant(running, 61);
    const { id } = await other.paid({ card: card(REFUND_TIMEOUT) });
    const key = { 'Idempotency-Key': 'late' };
    const first = await other.refund(id, { amount: 60 }, key);
    const { refundId } = first.body;
    expect(first.body).toMatchObject({ success: true, status: 'RefundPending', statusID: 90 });
    const { id: another } = await other.paid();
    const reused = await other.refund(another, { amount: 60 }, key);
    expectRefusal(reused, 422, 'idempotency_key_reused');
    expect(await other.transaction(refundId)).toMatchObject({
      status: 'RefundPending',
      statusID: 90,
      success: false,
      completed: null,
    });
    expect(await other.transaction(id)).toMatchObject({ refunded: false, refundable: true });
    expectRefusal(await other.refund(id, { amount: 41 }), 400, 'refund_exceeds_refundable');
    expect(await other.balances()).not.toHaveProperty('refunds');
    const done = await eventually(
      () => {
        now += 10_000;
        return other.transaction(refundId);
      },
      ({ statusID }) => statusID !== 90,
    );
    expect(done).toMatchObject({ status: 'Refunded', statusID: 91, success: true });
    expect(await other.balances()).toMatchObject({ refunds: 60, 'acquirer-receivable': 140 });
    // A repetition gets the current state, which is then stored.
    const again = await other.refund(id, { amount: 60 }, key);
    expect(again.body).toMatchObject({ refundId, status: 'Refunded', statusID: 91 });
    expect(again.headers.has('idempotency-replayed')).toBe(false);
    const replayed = await other.refund(id, { amount: 60 }, key);
    expect([replayed.text, replayed.headers.has('idempotency-replayed')]).toEqual([
      again.text,
      true,
    ]);
  });
});

describe('a payment', () => {
  it('answers a decline with the object that reads give', async () => {
    const { status, body } = await caller.pay({ card: card(CARDS.stolen) });
    expect(status).toBe(402);
    const approved = await caller.paid();
    expect(Object.keys(body)).toEqual(Object.keys(approved));
    expect((await caller.get('/v1/payments/{id}', { path: { id: body.id } })).body).toEqual(body);
  });

  it('beyond the exact numbers is refused', async () => {
    const fine = await caller.pay({ currency: 'KWD', amount: 9_999_999_999_999 });
    expectRefusal(fine, 400, 'invalid_request');
    expect(fine.body.errors).toMatchObject([
      { pointer: '/amount', detail: 'At most 999999999999.999 KWD' },
    ]);
    const large = await caller.pay({ currency: 'GBP', amount: 90_071_992_547_409.5 });
    expectRefusal(large, 400, 'invalid_request');
    expect(large.body.errors?.[0]).toMatchObject({ pointer: '/amount' });
  });

  it.each(['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'])(
    'of a session at %s, which GMT has in a year of more digits, is refused',
    async (timestamp) => {
      const answer = await caller.pay({ session: { timestamp } });
      expectRefusal(answer, 400, 'invalid_request');
      expect(answer.body.errors).toMatchObject([{ pointer: '/session/timestamp' }]);
    },
  );

  it('keeps what it was given', async () => {
    const body = await caller.ordered({
      orderId: 12_345,
      email: 'Grace@Example.com',
      partnerSession: 'click-1',
      walletPayB: true,
      customer: { firstName: 'Grace', lastName: 'Hopper' },
      merchantAccountId: 111,
    });
    expect(body).toMatchObject({
      orderId: 12_345,
      partnerSession: 'click-1',
      walletPayA: false,
      walletPayB: true,
      shopId: SHOP,
      applicationId: ECOMMERCE,
      merchantAccountId: 111,
      sandbox: false,
    });
    const found = await caller.search({ transactionIds: [body.id] });
    expect(found.body.transactions[0]).toMatchObject({ firstName: 'Grace', lastName: 'Hopper' });
  });

  it.each([1, 2, 3, 4, 5])('may be of the built-in application %d', async (applicationId) => {
    const { id } = await caller.paid({ applicationId });
    expect((await caller.transaction(id)).applicationID).toBe(applicationId);
  });

  it('may be made with the token of an earlier card', async () => {
    const first = await caller.paid();
    const again = await caller.paid({ card: undefined, token: first.card?.token });
    expect(again.card).toMatchObject({ bin: '424242', last4: '4242' });
  });

  it.each([
    ['a number that fails Luhn', { card: { ...card(), number: '4242424242424241' } }],
    ['a card of last month', { card: { ...card(), expMonth: 12, expYear: 2025 } }],
    ['a month 13', { card: { ...card(), expMonth: 13 } }],
    ['a number of letters', { card: { ...card(), number: 'visa' } }],
    ['no card and no token', { card: undefined }],
    ['a card and a token', { token: 'tok' }],
    ['an unknown token', { card: undefined, token: 'tok_unknown' }],
    ['an amount of 0', { amount: 0 }],
    ['a negative amount', { amount: -1 }],
    ['an amount of text', { amount: '100' }],
    ['no amount', { amount: undefined }],
    ['too many decimals', { amount: 1.001 }],
    ['too many decimals for yen', { amount: 1.5, currency: 'JPY' }],
    ['too many decimals for dinars', { amount: 1.0005, currency: 'KWD' }],
    ['an unknown currency', { currency: 'ABC' }],
    ['a currency without an account', { currency: 'CHF' }],
    ['an unknown application', { applicationId: 999 }],
    ['an application that is a refund', { applicationId: 10 }],
    ['an unknown company', { companyId: 999 }],
    ['an unknown shop', { shopId: 999 }],
    ['an unknown merchant account', { merchantAccountId: 999 }],
    ['an unknown product', { productId: 999 }],
    ['an unknown campaign', { campaignId: 999 }],
    ['no email', { email: undefined }],
    ['an email that is none', { email: 'invalid' }],
  ])('with %s is 400, and leaves no trace', async (what, changes) => {
    const newcomer = `${what.replaceAll(' ', '.')}@example.com`;
    const answer = await caller.pay({ email: newcomer, ...changes });
    expectRefusal(answer, 400);
    for await (const batch of running.host.events.subscribe({ untilHead: true })) {
      expect(
        batch.filter(({ metadata }) => metadata.includes(present(answer.body.requestId))),
      ).toEqual([]);
    }
  });

  it('with a shop or an account of another company is 400', async () => {
    const two = await openTenant(running, 34);
    const tenantId = 34 as TenantId;
    const at = '2026-01-01T00:00:00.000Z';
    const company = { type: 'DefineCompany', tenantId, companyId: 6, name: 'Pots', at } as const;
    await running.host.tenants.define(company, CALLER);
    await openAccount(running, 34, 342, { companyId: 6 });
    await running.host.readSide.caughtUp(34);
    const asked: [Json, string][] = [
      [{ companyId: 6, shopId: SHOP }, '/shopId'],
      [{ companyId: undefined, merchantAccountId: 342, shopId: SHOP }, '/shopId'],
      [{ companyId: 5, merchantAccountId: 342 }, '/merchantAccountId'],
    ];
    for (const [changes, pointer] of asked) {
      const refused = await two.pay(changes);
      expectRefusal(refused, 400, 'reference_unknown');
      expect(refused.body.errors).toMatchObject([{ pointer }]);
    }
    expect((await two.paid({ companyId: undefined, shopId: SHOP })).companyId).toBe(5);
    expect((await two.paid({ companyId: 6 })).merchantAccountId).toBe(342);
  });

  it('is not shown with its card in a refusal', async () => {
    const number = '4242424242424241';
    const answer = await caller.pay({ card: { ...card(), number, cvv: 'abc' } });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain(number);
    const misplaced = await caller.pay({ card: number, customer: { firstName: 7 } });
    expect(misplaced.status).toBe(400);
    expect(misplaced.text).not.toContain(number);
  });

  it('never shows the card number or its CVV', async () => {
    const { id } = await caller.paid();
    const flags = { getSearchData: true, getAddressData: true, getSessionData: true };
    for (const { text } of [
      await caller.get('/v1/payments/{id}', { path: { id } }),
      await caller.get('/v1/payments'),
      await caller.detail(id, flags),
      await caller.search(),
    ]) {
      expect(text).not.toMatch(/(?<![0-9.])4242424242424242/);
      expect(text).not.toMatch(new RegExp(`"cvv"|"${CVV}"`));
    }
  });
});

/** A text in each field of a payment that takes any, by its pointer. */
const TEXTS: Readonly<Record<string, (text: string) => Json>> = {
  '/card/holder': (holder) => ({ card: { ...card(), holder } }),
  '/partnerSession': (partnerSession) => ({ partnerSession }),
  '/customer/firstName': (firstName) => ({ customer: { firstName } }),
  '/customer/lastName': (lastName) => ({ customer: { lastName } }),
  ...Object.fromEntries(
    ['firstName', 'lastName', 'address', 'city', 'state', 'phone'].map((name) => [
      `/addresses/0/${name}`,
      (text: string) => ({ addresses: [{ [name]: text }] }),
    ]),
  ),
  ...Object.fromEntries(
    ['id', 'useragent', 'url', 'ipCity'].map((name) => [
      `/session/${name}`,
      (text: string) => ({ session: { [name]: text } }),
    ]),
  ),
  '/token': (token) => ({ card: undefined, token }),
};

const cardNumber = fc
  .tuple(fc.constantFrom('4', '53', '6011'), fc.integer({ min: 1e14, max: 9e14 }))
  .map(([prefix, rest]) => (prefix + rest).slice(0, 15))
  .map((digits) => digits + luhnCheckDigit(digits));

/** Groups of four, in the digits of any script. */
function written(separators: readonly string[], zeros: readonly number[] = [0x30]) {
  return fc
    .tuple(cardNumber, fc.constantFrom(...separators), fc.constantFrom(...zeros))
    .map(([number, separator, zero]) =>
      [...number]
        .map((digit, at) => {
          const gap = at > 0 && at % 4 === 0 ? separator : '';
          return gap + String.fromCodePoint(zero + Number(digit));
        })
        .join(''),
    );
}

function expectUnsaid(text: string, number: string): void {
  expect(text).not.toContain(number);
  expect(lines.join('')).not.toContain(number);
}

describe('a card number in the wrong place', () => {
  it('is refused in every text of the body, however it is written', async () => {
    const separators = ['', ' ', '-', '.', '/', '\u00a0', '\u200b', '\u2014', ', '];
    const zeros = [0x30, 0x660, 0xff10];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(TEXTS)),
        written(separators, zeros),
        fc.constantFrom('', 'No. '),
        async (pointer, number, before) => {
          const answer = await caller.pay(TEXTS[pointer]?.(before + number));
          expectRefusal(answer, 400, 'card_invalid');
          expect(answer.body.errors).toMatchObject([{ in: 'body', pointer }]);
          expectUnsaid(answer.text, number);
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['a long number', { orderId: 4_242_424_242_424_242 }, '/orderId'],
    ['an address', { email: '4242.4242.4242.4242@example.com' }, '/email'],
    [
      "the card's own, in a longer number",
      { partnerSession: `1${CARDS.approve}` },
      '/partnerSession',
    ],
  ])('is refused as %s', async (_what, changes, pointer) => {
    const answer = await caller.pay(changes);
    expectRefusal(answer, 400, 'card_invalid');
    expect(answer.body.errors).toMatchObject([{ in: 'body', pointer }]);
  });

  it('is refused as a member name, without repeating it', async () => {
    const answer = await caller.pay({ [CARDS.approve]: 1, customer: { [CARDS.approve]: 'x' } });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors).toMatchObject([{ pointer: '/customer' }, { pointer: '' }]);
  });

  it('is refused in the query', async () => {
    const answer = await caller.get('/v1/payments', {
      query: { firstName: '4242.4242.4242.4242' },
    });
    expectRefusal(answer, 400, 'card_invalid');
    expect(answer.body.errors).toMatchObject([{ in: 'query', pointer: '/query/firstName' }]);
  });

  it.each([
    ['Idempotency-Key', (number: string) => `order-7-${number}`],
    ['UserEmail', (number: string) => `agent.${number}@example.com`],
  ])('is refused in %s', async (name, holding) => {
    await fc.assert(
      fc.asyncProperty(written(['', '-', '.', '_']), async (number) => {
        const answer = await caller.pay({}, { [name]: holding(number) });
        expectRefusal(answer, 400, 'card_invalid');
        expect(answer.body.errors).toMatchObject([{ in: 'header', pointer: `/header/${name}` }]);
        expectUnsaid(answer.text, number);
      }),
      { numRuns: 20 },
    );
  });

  it('is no request id, and no trace: both are replaced', async () => {
    const trace = `00-${'a'.repeat(32)}-${CARDS.approve}-01`;
    const headers = { 'X-Request-Id': `id-${CARDS.approve}`, traceparent: trace };
    const { status, body, headers: answered } = await caller.pay({}, headers);
    expect(status).toBe(201);
    expect(answered.get('x-request-id')).toMatch(/^[0-9a-f-]{14}7[0-9a-f-]{21}$/);
    expect(lines.join('')).not.toContain(CARDS.approve);
    for await (const batch of running.host.events.subscribe({ untilHead: true })) {
      for (const { metadata } of batch) expect(metadata).not.toContain(CARDS.approve);
    }
    expect(body.success).toBe(true);
  });

  it('may be looked for as an id', async () => {
    const ids = { orderIds: [4_242_424_242_424_242], gatewayTransactionIds: [CARDS.approve] };
    expect((await caller.search(ids)).status).toBe(200);
  });
});

describe('routing', () => {
  it('takes another account when the price is over the maximum of the first', async () => {
    const two = await openTenant(running, 33, { account: { maxPrice: 50 } });
    expectRefusal(await two.pay(), 400, 'no_merchant_account');
    expect((await two.pay({ amount: 50 })).status).toBe(201);
    await openAccount(running, 33, 332);
    await running.host.readSide.caughtUp(33);
    const { body } = await two.pay();
    expect(body.merchantAccountId).toBe(332);
    expect(body.attempts[0]?.skipped).toMatchObject([{ merchantAccountId: 331 }]);
  });

  it.each([
    ['doNotHonour', true, [341, 342]],
    ['doNotHonour', false, [341]],
    ['stolen', true, [341]],
  ] as const)('after %s with retries allowed: %j, tries %j', async (name, allowed, tried) => {
    const id = 34 + Number(allowed) * 10 + Number(name === 'stolen') * 20;
    const settings = { allowRetriesFromOtherMids: allowed };
    const two = await openTenant(running, id, { account: settings });
    await openAccount(running, id, id * 10 + 2, settings);
    await running.host.readSide.caughtUp(id);
    const { status, body } = await two.pay({ card: card(CARDS[name]) });
    expect(status).toBe(402);
    expect(
      body.attempts.map(({ merchantAccountId }: Json) => merchantAccountId - id * 10 + 340),
    ).toEqual(tried);
  });
});

describe('POST /v1/card/submit', () => {
  it('is the same command', async () => {
    const request = {
      amount: 12.34,
      currency: 'GBP',
      card: card(),
      email: 'customer@example.com',
      applicationId: CHECKOUT,
      companyId: 5,
    };
    const { status, body } = await caller.post('/v1/card/submit', { body: request });
    expect(status).toBe(201);
    const other = await caller.post('/v1/payments', { body: request });
    expect(Object.keys(body)).toEqual(Object.keys(other.body));
    expect((await caller.get('/v1/payments/{id}', { path: { id: body.id } })).body).toEqual(body);
    const declined = { ...request, card: card(CARDS.stolen) };
    expect((await caller.post('/v1/card/submit', { body: declined })).status).toBe(402);
    expectRefusal(await caller.post('/v1/card/submit', { body: { ...request, amount: 0 } }), 400);
  });
});

describe('capture', () => {
  it('takes everything when no amount is given', async () => {
    const { id } = await caller.paid({ capture: false });
    const { status, body } = await caller.post('/v1/payments/{id}/capture', {
      path: { id },
      body: {},
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, statusId: 50, capturedAmount: 100, success: true });
  });

  it('takes a part, once', async () => {
    const { id } = await caller.paid({ capture: false });
    const { body } = await caller.post('/v1/payments/{id}/capture', {
      path: { id },
      body: { amount: 40.5 },
    });
    expect(body).toMatchObject({ status: 'Captured', capturedAmount: 40.5 });
    expectRefusal(
      await caller.post('/v1/payments/{id}/capture', { path: { id }, body: { amount: 10 } }),
      400,
    );
    expect((await caller.get('/v1/payments/{id}', { path: { id } })).body.capturedAmount).toBe(
      40.5,
    );
  });

  it.each([100.01, -1, 0.001, '10'])('refuses %j', async (amount: Json) => {
    const { id } = await caller.paid({ capture: false });
    expectRefusal(
      await caller.post('/v1/payments/{id}/capture', { path: { id }, body: { amount } }),
      400,
    );
    expect((await caller.get('/v1/payments/{id}', { path: { id } })).body.statusId).toBe(40);
  });

  it('of ten at the same time happens once', async () => {
    const { id } = await caller.paid({ capture: false });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        caller.post('/v1/payments/{id}/capture', { path: { id }, body: { amount: 60 } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await caller.get('/v1/payments/{id}', { path: { id } })).body.capturedAmount).toBe(60);
  });

  it.each([
    ['a declined payment', CARDS.stolen],
    ['one that waits', CARDS.actionApprove],
  ])('of %s is refused', async (_what, number) => {
    const { body } = await caller.pay({ card: card(number), capture: false });
    expectRefusal(
      await caller.post('/v1/payments/{id}/capture', { path: { id: body.id }, body: {} }),
      400,
    );
  });

  it('of nothing is 404', async () => {
    expectRefusal(
      await caller.post('/v1/payments/{id}/capture', { path: { id: NOWHERE }, body: {} }),
      404,
    );
  });
});

describe('void', () => {
  it.each([[false], [true]])('ends a payment, captured: %j', async (capture) => {
    const { id } = await caller.paid({ capture });
    const { status, body } = await caller.post('/v1/payments/{id}/void', {
      path: { id },
      body: {},
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'Voided', statusId: 80, success: false });
    expect(body.capturedAmount).toBe(0);
    const parent = await caller.transaction(id);
    expect(parent).toMatchObject({ statusID: 80, refundable: false });
    expect(parent.childTransactions).toMatchObject([
      { applicationID: 11, application: 'Void', status: 'Voided', statusID: 80, success: true },
    ]);
    const voidId = present(parent.childTransactions[0]).messageID;
    expect(await caller.found({ transactionIds: [voidId] })).toEqual([voidId]);
    expect(await caller.transaction(voidId)).toMatchObject({ originalMessageId: id });
    expectRefusal(await caller.post('/v1/payments/{id}/capture', { path: { id }, body: {} }), 400);
  });

  it.each([[false], [true]])('leaves nothing to refund, captured: %j', async (capture) => {
    const { id } = await caller.paid({ capture });
    const { body } = await caller.post('/v1/payments/{id}/void', { path: { id }, body: {} });
    expect(body.refundableAmount).toBe(0);
  });

  it('is refused once a part was refunded', async () => {
    const { id } = await caller.paid();
    await caller.refund(id, { amount: 10 });
    expectRefusal(await caller.post('/v1/payments/{id}/void', { path: { id }, body: {} }), 400);
  });

  it.each([CARDS.stolen, CARDS.processingError])('of %s is refused', async (number) => {
    const { body } = await caller.pay({ card: card(number) });
    expectRefusal(
      await caller.post('/v1/payments/{id}/void', { path: { id: body.id }, body: {} }),
      400,
    );
  });

  it('and capture at the same time: one of them', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await caller.paid({ capture: false });
      await Promise.all([
        caller.post('/v1/payments/{id}/capture', { path: { id }, body: { amount: 60 } }),
        caller.post('/v1/payments/{id}/void', { path: { id }, body: {} }),
      ]);
      const { body } = await caller.get('/v1/payments/{id}', { path: { id } });
      expect(['Captured', 'Voided']).toContain(body.status);
    }
  });

  it('and a refund at the same time: never both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await caller.paid();
      const [voided, refunded] = await Promise.all([
        caller.post('/v1/payments/{id}/void', { path: { id }, body: {} }),
        caller.refund(id),
      ]);
      expect([voided.status, refunded.status].filter((status) => status === 200)).toHaveLength(1);
    }
  });
});

describe('GET /v1/payments/{id}', () => {
  it('is 404 for what is not there and 400 for what is no id', async () => {
    expectRefusal(
      await caller.get('/v1/payments/{id}', { path: { id: NOWHERE } }),
      404,
      'not_found',
    );
    const answer = await caller.get('/v1/payments/{id}', { path: { id: '17' } });
    expect([400, 404]).toContain(answer.status);
    expectRefusal(answer, answer.status);
  });

  it('needs no UserEmail to exist as a user of the card API', async () => {
    const { id } = await caller.paid();
    const { status } = await caller.get('/v1/payments/{id}', {
      path: { id },
      headers: { UserEmail: undefined },
    });
    expect(status).toBe(200);
  });
});

describe('GET /v1/payments', () => {
  let lister: Caller;
  const made: Json[] = [];

  beforeAll(async () => {
    lister = await openTenant(running, 21);
    await openAccount(running, 21, 212, { descriptor: 'Teapots' });
    await running.host.readSide.caughtUp(21);
    for (let index = 0; index < 12; index += 1) {
      now += 1_000;
      made.unshift(
        await lister.paid({
          email: `customer${index % 3}@example.com`,
          amount: index + 1,
          merchantAccountId: index % 4 === 0 ? 212 : 211,
          currency: index % 2 === 0 ? 'GBP' : 'USD',
        }),
      );
    }
    await lister.paid({ sandbox: true });
    await lister.refund(made[0].id, { amount: 1 });
    made[0] = (await lister.get('/v1/payments/{id}', { path: { id: made[0].id } })).body;
  });

  async function pages(query: string): Promise<Json[]> {
    const seen: Json[] = [];
    let cursor: string | null = null;
    do {
      const at: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { status, text, body } = await lister.wire.get(`/v1/payments?${query}${at}`);
      expect(status, text).toBe(200);
      expect(body.hasMore).toBe(body.nextCursor !== null);
      seen.push(...body.data);
      cursor = body.nextCursor;
    } while (cursor !== null);
    return seen;
  }

  it.each([1, 3, 5, 12, 100])('pages by cursor, %d at a time', async (limit) => {
    expect(await pages(`limit=${limit}`)).toEqual(made);
  });

  it('filters by the amount that it shows, which a partial capture does not change', async () => {
    const other = await openTenant(running, 23);
    const { id } = await other.paid({ amount: 77.5, capture: false });
    const { text, body } = await other.post('/v1/payments/{id}/capture', {
      path: { id },
      body: { amount: 33.25 },
    });
    expect(body, text).toMatchObject({ amount: 77.5, capturedAmount: 33.25 });
    const listed = async (amount: number) => {
      const { body } = await other.get('/v1/payments', { query: { amounts: [amount] } });
      return body.data.map((each) => each.id);
    };
    expect([await listed(77.5), await listed(33.25)]).toEqual([[id], []]);
    const records = (amounts: number[]) => other.found({ amounts });
    expect([await records([77.5]), await records([33.25])]).toEqual([[], [id]]);
  });

  it('takes as many ids as it documents, in either writing', async () => {
    const uuid = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`;
    const ids = Array.from({ length: 249 }, (_, n) => uuid(n));
    const wanted = made[3].id;
    const joined = (list: string[]) => `transactionIds=${list.join(',')}`;
    const repeated = (list: string[]) => list.map((id) => `transactionIds=${id}`).join('&');
    for (const written of [joined, repeated]) {
      expect(await pages(written([...ids, wanted]))).toEqual([made[3]]);
      const more = await lister.wire.get(`/v1/payments?${written([...ids, wanted, uuid(250)])}`);
      expectRefusal(more, 400, 'invalid_request');
      expect(JSON.stringify(more.body.errors)).toContain('transactionIds');
    }
  });

  it('stays in place while newer payments arrive', async () => {
    const other = await openTenant(running, 22);
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      now += 1_000;
      ids.unshift((await other.paid()).id);
    }
    const first = await other.get('/v1/payments', { query: { limit: 2 } });
    now += 1_000;
    await other.paid();
    const next = await other.get('/v1/payments', {
      query: { limit: 2, cursor: present(first.body.nextCursor) },
    });
    const seen = [...first.body.data, ...next.body.data].map(({ id }: Json) => id);
    expect(seen).toEqual(ids);
  });

  it.each([
    ['emails=CUSTOMER1@example.com', ({ email }: Json) => email === 'customer1@example.com'],
    ['currency=USD', ({ currency }: Json) => currency === 'USD'],
    ['amounts=3,4', ({ amount }: Json) => amount === 3 || amount === 4],
    ['amounts=3&amounts=4', ({ amount }: Json) => amount === 3 || amount === 4],
    ['merchantAccountIds=212', ({ merchantAccountId }: Json) => merchantAccountId === 212],
    ['descriptorContains=teapot', ({ merchantAccountId }: Json) => merchantAccountId === 212],
    [
      'descriptorContains=teapot&currency=GBP&amounts=1',
      ({ merchantAccountId, amount }: Json) => merchantAccountId === 212 && amount === 1,
    ],
    ['last4=4242', () => true],
    ['bin=555555', () => false],
    ['firstName=ada&lastName=LOVELACE', () => true],
    ['applicationIds=101', () => true],
    ['dateFrom=2026-01-10', () => true],
    ['dateTo=2020-01-10', () => false],
  ])('filters by %s', async (query, matches) => {
    const listed = await pages(`limit=4&${query}`);
    expect(listed.map(({ id }) => id)).toEqual(made.filter(matches).map(({ id }) => id));
  });

  it('lists the sandbox apart', async () => {
    const sandbox = await pages('sandbox=true');
    expect(sandbox).toHaveLength(1);
    expect(sandbox[0].sandbox).toBe(true);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=ten',
    'cursor=nonsense',
    'sandbox=perhaps',
    'orderIds=x',
    'dateFrom=2026-03-11&dateTo=2026-03-10',
    'dateFrom=2026-02-30',
  ])('refuses %s', async (query) => {
    expectRefusal(await lister.wire.get(`/v1/payments?${query}`), 400);
  });
});

it('a payment carries no claims of the other interfaces, and those of others less', async () => {
  expectRefusal(await caller.pay({ parentCompanyId: 12 }), 403, 'tenant_mismatch');
  expectRefusal(await caller.pay({ userEmail: 'other@example.com' }), 400);
  const right = await caller.pay({ parentCompanyId: 11, userEmail: USER_EMAIL });
  expectRefusal(right, 400, 'invalid_request');
  expect(right.body.errors).toMatchObject([
    { pointer: '/parentCompanyId' },
    { pointer: '/userEmail' },
  ]);
});
