/** POST /customerapi/refund over HTTP, as the contract states it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BOWLS,
  CARDS,
  type Caller,
  card,
  eventually,
  expectRefusal,
  openTenant,
  PLATES,
  type Running,
  startHost,
  USER_EMAIL,
} from './running-host.ts';

const DAY_MS = 86_400_000;
const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

let now = Date.parse('2026-01-10T12:00:00.000Z');
let running: Running;
let caller: Caller;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
  caller = await openTenant(running, 11);
});
afterAll(async () => running.close());

describe('the amount', () => {
  it.each([
    ['0', { amount: 0 }],
    ['absent', {}],
    ['the whole', { amount: 100 }],
  ])('%s is a full refund', async (_what, changes) => {
    const { id } = await caller.paid();
    const { status, body } = await caller.refund(id, changes);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: expect.any(String),
      refundId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'Refunded',
      statusID: 91,
    });
    const parent = await caller.transaction(id);
    expect(parent).toMatchObject({ refunded: true, refundable: false, statusID: 50 });
    expect(parent.childTransactions).toMatchObject([
      { messageID: body.refundId, priceVal: 100, statusID: 91, success: true },
    ]);
  });

  it('in part leaves the rest, which 0 then takes', async () => {
    const { id } = await caller.paid();
    expect((await caller.refund(id, { amount: 30.01 })).status).toBe(200);
    expect(await caller.transaction(id)).toMatchObject({ refunded: false, refundable: true });
    expect((await caller.refund(id, { amount: 0 })).status).toBe(200);
    const parent = await caller.transaction(id);
    expect(parent).toMatchObject({ refunded: true, refundable: false });
    expect(parent.childTransactions.map(({ priceVal }: { priceVal: number }) => priceVal)).toEqual(
      expect.arrayContaining([30.01, 69.99]),
    );
    const payment = await caller.get('/v1/payments/{id}', { path: { id } });
    expect(payment.body).toMatchObject({ refundedAmount: 100, status: 'Captured' });
  });

  it.each([100.01, 101, 1_000_000])('over the transaction is refused: %d', async (amount) => {
    const { id } = await caller.paid();
    expectRefusal(await caller.refund(id, { amount }), 400, 'refund_exceeds_refundable');
    expect(await caller.transaction(id)).toMatchObject({ refundable: true, childTransactions: [] });
  });

  it('over what is left is refused', async () => {
    const { id } = await caller.paid();
    await caller.refund(id, { amount: 60 });
    expectRefusal(await caller.refund(id, { amount: 40.01 }), 400, 'refund_exceeds_refundable');
    expect((await caller.refund(id, { amount: 40 })).status).toBe(200);
  });

  it('after everything was refunded is refused, whatever it is', async () => {
    const { id } = await caller.paid();
    await caller.refund(id);
    for (const changes of [{}, { amount: 0 }, { amount: 0.01 }]) {
      expectRefusal(await caller.refund(id, changes), 400);
    }
    expect((await caller.transaction(id)).childTransactions).toHaveLength(1);
  });

  it('is that of the capture, not of the authorization', async () => {
    const { id } = await caller.paid({ capture: false });
    expectRefusal(await caller.refund(id), 400);
    await caller.post('/v1/payments/{id}/capture', { path: { id }, body: { amount: 40 } });
    expectRefusal(await caller.refund(id, { amount: 41 }), 400, 'refund_exceeds_refundable');
    expect((await caller.refund(id)).status).toBe(200);
    expect(await caller.transaction(id)).toMatchObject({ refunded: true, refundable: false });
  });

  it.each([
    ['GBP', 100, 0.001],
    ['JPY', 1_000, 0.5],
    ['KWD', 10.005, 0.0005],
  ])('of %s has at most the decimals of the currency', async (currency, amount, tooFine) => {
    const { id } = await caller.paid({ currency, amount });
    expectRefusal(await caller.refund(id, { amount: tooFine }), 400, 'amount_precision');
  });

  it.each([
    ['JPY', 1_000, 1, 999],
    ['KWD', 10.005, 0.005, 10],
  ])('of %s is exact', async (currency, amount, part, rest) => {
    const { id } = await caller.paid({ currency, amount });
    expect((await caller.refund(id, { amount: part })).status).toBe(200);
    expect((await caller.get('/v1/payments/{id}', { path: { id } })).body.refundableAmount).toBe(
      rest,
    );
    expectRefusal(await caller.refund(id, { amount: rest + part }), 400);
    expect((await caller.refund(id, { amount: rest })).status).toBe(200);
    expect((await caller.transaction(id)).refunded).toBe(true);
  });

  it.each([[-1], ['10'], [true], [[10]]])('%j is no amount', async (amount) => {
    const { id } = await caller.paid();
    expectRefusal(await caller.refund(id, { amount }), 400, 'invalid_request');
    expect((await caller.transaction(id)).childTransactions).toEqual([]);
  });
});

it.each([
  ['Amount', 10],
  ['amuont', 10],
])('%s is no amount, and refunds nothing', async (name, amount) => {
  const { id } = await caller.paid();
  const answer = await caller.refund(id, { [name]: amount });
  expectRefusal(answer, 400, 'invalid_request');
  const detail = `${name} is not known; did you mean amount?`;
  expect(answer.body.errors).toEqual([{ in: 'body', pointer: `/${name}`, detail }]);
  expect((await caller.transaction(id)).childTransactions).toEqual([]);
});

describe('the other fields', () => {
  it.each(['parentCompanyId', 'userEmail', 'messageId'])('%s is required', async (name) => {
    const { id } = await caller.paid();
    expectRefusal(await caller.refund(id, { [name]: undefined }), 400, 'invalid_request');
  });

  it('sendUserCommunication may be true or false and nothing else', async () => {
    const { id } = await caller.paid();
    for (const sendUserCommunication of [true, false]) {
      const { status } = await caller.refund(id, { amount: 1, sendUserCommunication });
      expect(status).toBe(200);
    }
    expectRefusal(await caller.refund(id, { amount: 1, sendUserCommunication: 'yes' }), 400);
  });

  it('a userEmail other than that of the header is 400', async () => {
    const { id } = await caller.paid();
    const answer = await caller.refund(id, { userEmail: 'other@example.com' });
    expectRefusal(answer, 400, 'user_email_mismatch');
    expect((await caller.transaction(id)).refunded).toBe(false);
  });
});

describe('refundItems', () => {
  const small = { StorefrontVariantId: PLATES.small };
  const bowl = { StorefrontVariantId: BOWLS.only };

  it('let a part of an ecommerce order be refunded', async () => {
    const { id } = await caller.ordered();
    const refundItems = [
      { ...small, Quantity: 1 },
      { ...bowl, Quantity: 1, Amount: 20, Restock: true },
    ];
    expect((await caller.refund(id, { amount: 30, refundItems })).status).toBe(200);
  });

  it('are needed for a part of an ecommerce order', async () => {
    const { id } = await caller.ordered();
    expectRefusal(await caller.refund(id, { amount: 10 }), 400, 'refund_items_required');
    const empty = await caller.refund(id, { amount: 10, refundItems: [] });
    expectRefusal(empty, 400, 'refund_items_required');
    expect((await caller.transaction(id)).childTransactions).toEqual([]);
  });

  it('are not needed for the whole', async () => {
    const { id } = await caller.ordered();
    expect((await caller.refund(id, { amount: 0 })).status).toBe(200);
    const other = await caller.ordered();
    expect((await caller.refund(other.id, { amount: 100 })).status).toBe(200);
  });

  it('come with adjustments for what the order holds beyond its lines', async () => {
    const { id } = await caller.ordered({ amount: 107.5 });
    const refundItems = [
      { ...small, Quantity: 1 },
      { Adjustment: 'shipping' as const, Amount: 5 },
    ];
    const answer = await caller.post('/v1/payments/{id}/refund', {
      path: { id },
      body: { amount: 15, refundItems },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      items: [{ ...small, Quantity: 1, Amount: 10 }],
      adjustments: [{ Adjustment: 'shipping', Amount: 5 }],
    });
    const more = [{ Adjustment: 'other', Amount: 2.51 }];
    const tooMuch = await caller.refund(id, { amount: 2.51, refundItems: more });
    expectRefusal(tooMuch, 400, 'refund_items_invalid');
    const rest = [{ Adjustment: 'other', Amount: 2.5 }];
    expect((await caller.refund(id, { amount: 2.5, refundItems: rest })).status).toBe(200);
  });

  it('take at most what is left of their line', async () => {
    const { id } = await caller.ordered({ amount: 120 });
    const refundItems = [{ ...small, Quantity: 1, Amount: 40.01 }];
    const answer = await caller.refund(id, { amount: 40.01, refundItems });
    expectRefusal(answer, 400, 'refund_items_invalid');
    expect(answer.body.message).toContain('40.00 GBP left of its line');
  });

  it.each([
    [
      'an item and an adjustment at once',
      { ...small, Quantity: 1, Adjustment: 'other', Amount: 1 },
    ],
    ['neither an item nor an adjustment', { Amount: 1 }],
    ['an adjustment without an Amount', { Adjustment: 'other' }],
    ['an adjustment with a Quantity', { Adjustment: 'other', Amount: 1, Quantity: 1 }],
    ['an item without a Quantity', { ...small, Amount: 1 }],
  ])('with %s are refused', async (_what, element) => {
    const { id } = await caller.ordered({ amount: 120 });
    const answer = await caller.refund(id, { amount: 1, refundItems: [element] });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors?.[0]?.pointer).toMatch(/^\/refundItems\/0/);
  });

  it.each([
    ['too little', { amount: 30, refundItems: [{ ...small, Quantity: 2 }] }],
    ['too much', { amount: 10, refundItems: [{ ...small, Quantity: 2 }] }],
    ['too little by Amount', { amount: 20, refundItems: [{ ...small, Quantity: 2, Amount: 19 }] }],
    ['a part of the whole', { amount: 0, refundItems: [{ ...small, Quantity: 2 }] }],
  ])('that add up to %s are incomplete', async (_what, changes) => {
    const { id } = await caller.ordered();
    expectRefusal(await caller.refund(id, changes), 400);
    expect((await caller.transaction(id)).childTransactions).toEqual([]);
  });

  it.each([
    ['a quantity of 0', [{ ...small, Quantity: 0, Amount: 10 }]],
    ['a negative quantity', [{ ...small, Quantity: -1, Amount: 10 }]],
    ['half a piece', [{ ...small, Quantity: 0.5, Amount: 10 }]],
    ['no quantity', [{ ...small, Amount: 10 }]],
    ['no variant', [{ Quantity: 1, Amount: 10 }]],
    [
      'a negative amount',
      [
        { ...small, Quantity: 1, Amount: -10 },
        { ...bowl, Quantity: 1, Amount: 20 },
      ],
    ],
    ['a text', 'all'],
  ])('with %s are refused', async (_what, refundItems) => {
    const { id } = await caller.ordered();
    expectRefusal(await caller.refund(id, { amount: 10, refundItems }), 400);
    expect((await caller.transaction(id)).childTransactions).toEqual([]);
  });

  it('do not belong to a payment that is not ecommerce', async () => {
    const { id } = await caller.paid();
    const refundItems = [{ ...small, Quantity: 1 }];
    expectRefusal(await caller.refund(id, { amount: 10, refundItems }), 400);
    expect((await caller.refund(id, { amount: 10, refundItems: [] })).status).toBe(200);
  });
});

describe('a refund that the gateway refuses', () => {
  it('is no success, is kept as a failed child, and frees its amount', async () => {
    const { id } = await caller.paid({ card: card(CARDS.refundFails) });
    const answer = await caller.refund(id, { amount: 60 });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body).toMatchObject({ success: false, code: 'refund_failed' });
    const parent = await caller.transaction(id);
    expect(parent).toMatchObject({ refunded: false, refundable: true, statusID: 50 });
    expect(parent.childTransactions[0]?.messageID).toBe(answer.body.refundId);
    expect(parent.childTransactions).toMatchObject([
      { status: 'RefundFailed', statusID: 92, success: false, priceVal: 60 },
    ]);
    expect((await caller.get('/v1/payments/{id}', { path: { id } })).body).toMatchObject({
      refundedAmount: 0,
      refundableAmount: 100,
    });
    expect((await caller.refund(id, { amount: 100 })).body.code).toBe('refund_failed');
  });
});

describe('what cannot be refunded', () => {
  it.each([
    ['a declined payment', { card: card(CARDS.stolen) }],
    ['a failed payment', { card: card(CARDS.processingError) }],
    ['a payment that waits for the customer', { card: card(CARDS.actionApprove) }],
    ['an authorization', { capture: false }],
  ])('%s', async (_what, changes) => {
    const { body } = await caller.pay(changes);
    expectRefusal(await caller.refund(body.id), 400);
    expect((await caller.transaction(body.id)).refundable).toBe(false);
  });

  it('a voided payment', async () => {
    const { id } = await caller.paid();
    expect((await caller.post('/v1/payments/{id}/void', { path: { id }, body: {} })).status).toBe(
      200,
    );
    expectRefusal(await caller.refund(id), 400);
  });

  it('a payment with an open chargeback', async () => {
    const { id } = await caller.paid({ card: card(CARDS.chargeback) });
    await eventually(
      () => caller.transaction(id),
      ({ chargedBack }) => chargedBack,
    );
    expectRefusal(await caller.refund(id, { amount: 1 }), 400);
  });

  it('a refund', async () => {
    const { id } = await caller.paid();
    const { body } = await caller.refund(id, { amount: 10 });
    expect(body).toMatchObject({ status: 'Refunded', statusID: 91 });
    const answer = await caller.refund(body.refundId, { amount: 1 });
    expectRefusal(answer, 400, 'not_refundable');
    expect(answer.body.message).toContain(id);
    const other = await caller.post('/v1/payments/{id}/refund', {
      path: { id: body.refundId },
      body: { amount: 1 },
    });
    expectRefusal(other, 400, 'not_refundable');
    const stranger = await openTenant(running, 14);
    expectRefusal(await stranger.refund(body.refundId), 404, 'not_found');
  });

  it('what does not exist', async () => {
    expectRefusal(await caller.refund(NOWHERE), 404, 'not_found');
  });
});

describe('the refund window', () => {
  it('is 180 days unless the tenant has another', async () => {
    const { id } = await caller.paid();
    const { id: late } = await caller.paid();
    now += 179 * DAY_MS;
    expect((await caller.transaction(id)).refundable).toBe(true);
    expect((await caller.refund(id)).status).toBe(200);
    now += 2 * DAY_MS;
    expect((await caller.transaction(late)).refundable).toBe(false);
    expect(
      (await caller.get('/v1/payments/{id}', { path: { id: late } })).body.refundableAmount,
    ).toBe(0);
    const listed = await caller.get('/v1/payments', { query: { transactionIds: [late] } });
    expect(listed.body.data[0]?.refundableAmount).toBe(0);
    const found = await caller.search({ transactionIds: [late] });
    expect(found.body.transactions[0]?.refundable).toBe(false);
    expectRefusal(await caller.refund(late), 400, 'not_refundable');
  });

  it('is the tenant’s own, and lifted by forceAllowRefunds alone', async () => {
    const short = await openTenant(running, 12, { settings: { refundWindowDays: 10 } });
    const forced = await openTenant(running, 13, {
      settings: { refundWindowDays: 10 },
      account: { forceAllowRefunds: true },
    });
    const inTime = await short.paid();
    const late = await short.paid();
    const lifted = await forced.paid();
    const declined = (await forced.pay({ card: card(CARDS.stolen) })).body;
    now += 9 * DAY_MS;
    expect((await short.refund(inTime.id, { amount: 1 })).status).toBe(200);
    now += 2 * DAY_MS;
    expectRefusal(await short.refund(late.id), 400, 'not_refundable');
    expect((await forced.transaction(lifted.id)).refundable).toBe(true);
    expectRefusal(await forced.refund(lifted.id, { amount: 101 }), 400);
    expect((await forced.refund(lifted.id)).status).toBe(200);
    expectRefusal(await forced.refund(declined.id), 400);
  });
});

describe('at the same time', () => {
  it('two refunds of 60 on a capture of 100 give one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await caller.paid();
      const answers = await Promise.all([1, 2].map(() => caller.refund(id, { amount: 60 })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      const refused = answers.find(({ status }) => status === 400);
      expect(refused?.body.code).toBe('refund_exceeds_refundable');
      expect((await caller.get('/v1/payments/{id}', { path: { id } })).body.refundedAmount).toBe(
        60,
      );
    }
  });

  it('twenty refunds of 1 are all made', async () => {
    const { id } = await caller.paid();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        caller.post('/v1/payments/{id}/refund', { path: { id }, body: { amount: 1 } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect((await caller.get('/v1/payments/{id}', { path: { id } })).body.refundedAmount).toBe(20);
  });

  it('ten refunds of 25 by both ways give four', async () => {
    const { id } = await caller.paid();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0
          ? caller.refund(id, { amount: 25 })
          : caller.post('/v1/payments/{id}/refund', { path: { id }, body: { amount: 25 } }),
      ),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(4);
    const payment = await caller.get('/v1/payments/{id}', { path: { id } });
    expect(payment.body).toMatchObject({ refundedAmount: 100, pendingRefundAmount: 0 });
    expect((await caller.transaction(id)).refunded).toBe(true);
  });
});

describe('POST /v1/payments/{id}/refund', () => {
  it('refunds as well, and says that it was the card API', async () => {
    const { id } = await caller.paid();
    const { status, body } = await caller.post('/v1/payments/{id}/refund', {
      path: { id },
      body: { amount: 30 },
    });
    expect(status).toBe(201);
    expect(await caller.transaction(body.id)).toMatchObject({
      refundSource: 3,
      refundSourceName: 'CardApi',
      priceVal: 30,
      originalMessageId: id,
    });
    const rest = await caller.post('/v1/payments/{id}/refund', { path: { id }, body: {} });
    expect(rest.body).toMatchObject({ amount: 70, success: true });
  });

  it.each([
    [{ amount: 101 }, 'refund_exceeds_refundable'],
    [{ amount: 0.001 }, 'amount_precision'],
  ])('refuses %j like the other', async (body, code) => {
    const { id } = await caller.paid();
    expectRefusal(await caller.post('/v1/payments/{id}/refund', { path: { id }, body }), 400, code);
  });

  it('needs refundItems for a part of an ecommerce order too', async () => {
    const { id } = await caller.ordered();
    const answer = await caller.post('/v1/payments/{id}/refund', {
      path: { id },
      body: { amount: 10 },
    });
    expectRefusal(answer, 400, 'refund_items_required');
  });

  it('takes no claims, and refuses those of others before', async () => {
    const { id } = await caller.paid();
    const wrong = { amount: 1, parentCompanyId: 12 };
    expectRefusal(
      await caller.post('/v1/payments/{id}/refund', { path: { id }, body: wrong }),
      403,
      'tenant_mismatch',
    );
    const other = { amount: 1, userEmail: 'other@example.com' };
    expectRefusal(
      await caller.post('/v1/payments/{id}/refund', { path: { id }, body: other }),
      400,
    );
    const right = { amount: 1, parentCompanyId: 11, userEmail: USER_EMAIL };
    const refused = await caller.post('/v1/payments/{id}/refund', { path: { id }, body: right });
    expectRefusal(refused, 400, 'invalid_request');
    expect(refused.body.errors).toMatchObject([
      { pointer: '/parentCompanyId' },
      { pointer: '/userEmail' },
    ]);
  });
});
