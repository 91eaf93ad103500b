/** No tenant sees, changes or guesses anything of another. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { present } from './api.ts';
import {
  type Answer,
  type Caller,
  callerWith,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  SHOP,
  startHost,
} from './running-host.ts';

const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

let running: Running;
let owner: Caller;
let stranger: Caller;
let payment: Json;
let authorized: Json;
let waiting: Json;
let refundId: string;

beforeAll(async () => {
  running = await startHost();
  owner = await openTenant(running, 11);
  stranger = await openTenant(running, 12);
  payment = await owner.ordered();
  authorized = await owner.paid({ capture: false });
  waiting = (
    await owner.pay({
      card: { number: '4000000000003220', expMonth: 1, expYear: 2039, cvv: '1234' },
    })
  ).body;
  const refundItems = [{ StorefrontVariantId: 501, Quantity: 1 }];
  refundId = (await owner.refund(payment.id, { amount: 10, refundItems })).body.refundId;
});
afterAll(async () => running.close());

/** An answer without what differs between any two. */
function visible({ status, headers, body }: Answer): Json {
  const { requestId, ...rest } = body;
  expect(requestId).toBe(headers.get('x-request-id'));
  return { status, type: headers.get('content-type'), ...rest };
}

const WAYS: readonly (readonly [string, (id: string) => Promise<Answer>])[] = [
  ['detail', (id) => stranger.detail(id, { getSearchData: true, getAddressData: true })],
  ['refund', (id) => stranger.refund(id)],
  ['refund of a part', (id) => stranger.refund(id, { amount: 1 })],
  ['refund of too much', (id) => stranger.refund(id, { amount: 1_000_000 })],
  ['refund too fine', (id) => stranger.refund(id, { amount: 0.0001 })],
  ['payment', (id) => stranger.get('/v1/payments/{id}', { path: { id } })],
  ['capture', (id) => stranger.post('/v1/payments/{id}/capture', { path: { id }, body: {} })],
  [
    'capture of too much',
    (id) => stranger.post('/v1/payments/{id}/capture', { path: { id }, body: { amount: 9_999 } }),
  ],
  ['void', (id) => stranger.post('/v1/payments/{id}/void', { path: { id }, body: {} })],
  ['confirm', (id) => stranger.post('/v1/payments/{id}/confirm', { path: { id }, body: {} })],
  [
    'refund by the card API',
    (id) => stranger.post('/v1/payments/{id}/refund', { path: { id }, body: { amount: 1 } }),
  ],
];

it.each(WAYS)('%s of what is another’s answers like what is not there', async (_what, ask) => {
  const nothing = visible(await ask(NOWHERE));
  expect(nothing.status).toBe(404);
  for (const id of [payment.id, authorized.id, waiting.id, refundId]) {
    expect(visible(await ask(id))).toEqual(nothing);
  }
});

it('nothing of the owner was changed by it', async () => {
  expect(
    (await owner.get('/v1/payments/{id}', { path: { id: payment.id } })).body.refundedAmount,
  ).toBe(10);
  expect((await owner.get('/v1/payments/{id}', { path: { id: authorized.id } })).body).toEqual(
    authorized,
  );
  expect((await owner.get('/v1/payments/{id}', { path: { id: waiting.id } })).body).toEqual(
    waiting,
  );
});

it.each([
  ['transactionIds', () => [payment.id, refundId]],
  ['orderIds', () => [payment.orderId]],
  ['emails', () => ['customer@example.com']],
  ['gatewayTransactionIds', () => [authorized.gatewayTransactionId]],
  ['merchantAccountIds', () => [111]],
])('a search by %s finds nothing of another', async (name, values) => {
  const filters = { [name]: values() };
  expect((await owner.found(filters)).length).toBeGreaterThan(0);
  expect(await stranger.found(filters)).toEqual([]);
  expect((await stranger.get('/v1/payments', { query: filters })).body.data).toEqual([]);
});

it('the books are the tenant’s own', async () => {
  expect(await stranger.balances()).toEqual({});
  expect(await stranger.balances('GBP', { merchantAccountId: 111 })).toEqual({});
  expect((await stranger.get('/api/ledger/accounts')).body.accounts).toEqual([]);
});

it('the accounts of another cannot be charged', async () => {
  const own = await stranger.pay({ merchantAccountId: 111 });
  expectRefusal(own, 400);
  const nothing = await stranger.pay({ merchantAccountId: 999 });
  expect(visible(own).code).toBe(visible(nothing).code);
});

it('a token of another’s card cannot be charged', async () => {
  const { token } = payment.card;
  expectRefusal(await stranger.pay({ card: undefined, token }), 400, 'token_unknown');
  expectRefusal(await owner.pay({ card: undefined, token: `${token}x` }), 400, 'token_unknown');
});

it('a token of a live card is nothing to the sandbox', async () => {
  const tester = await callerWith(running, 11, { environment: 'test' });
  expectRefusal(await tester.pay({ card: undefined, token: payment.card.token }), 400);
});

it('tokens do not reveal that two tenants have the same customer', async () => {
  const { card } = await stranger.paid();
  const longest = (token: string) =>
    token
      .split(/[._]/)
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .flatMap((text) => text.match(/[\w-]{16,}/g) ?? []);
  const shared = longest(present(card).token).filter((part) =>
    longest(payment.card.token).includes(part),
  );
  expect(shared).toEqual([]);
});

it('the same ids in two tenants are two things', async () => {
  const one = await owner.ordered({ orderId: 5, shopId: SHOP });
  const two = await stranger.ordered({ orderId: 5, shopId: SHOP });
  expect(await owner.found({ orderIds: [5] })).toEqual([one.id]);
  expect(await stranger.found({ orderIds: [5] })).toEqual([two.id]);
});

it('a cursor of another opens nothing', async () => {
  await owner.paid();
  const { body } = await owner.get('/v1/payments', { query: { limit: 1 } });
  const cursor = present(body.nextCursor);
  const answer = await stranger.get('/v1/payments', { query: { limit: 100, cursor } });
  expect(answer.text).not.toContain(payment.id);
});

it('live data stay hidden from a test key like those of another tenant', async () => {
  const tester = await callerWith(running, 11, { environment: 'test' });
  expect(visible(await tester.detail(payment.id))).toEqual(visible(await tester.detail(NOWHERE)));
  expect(visible(await tester.refund(payment.id))).toEqual(visible(await tester.refund(NOWHERE)));
});
