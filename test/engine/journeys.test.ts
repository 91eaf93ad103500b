/** Business rules on the engine's face, on every engine: memory, PostgreSQL and the protocol server. */
import { TenantId } from '@counterfoil/core';
import { type Ledger, openLedger, type Refused, silentLogger } from '@counterfoil/engine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { engineOfRun, newStores, type Stores } from '../e2e/engines.ts';
import { CARD, codeOf, order, withShop } from './shop.ts';

let stores: Stores;
let ledger: Ledger;
/** Of the latest tenant; each test has its own. */
let latest = 0;

beforeAll(async () => {
  stores = await newStores(engineOfRun());
  const {
    EVENT_STORE_URL: log = '',
    READ_MODEL_URL: readModels = '',
    EVENT_STORE_PREFIX,
  } = stores.env;
  const storage =
    engineOfRun() === 'memory'
      ? log
      : { log, readModels, ...(EVENT_STORE_PREFIX && { logPrefix: EVENT_STORE_PREFIX }) };
  ledger = await openLedger({ storage, logger: silentLogger, masterKey: Buffer.alloc(32, 1) });
});
afterAll(async () => {
  await ledger?.close();
  await stores.release();
});

async function newShop() {
  latest += 1;
  const tenantId = TenantId.parse(latest);
  await withShop(ledger, tenantId);
  return { tenantId, shop: ledger.as({ tenantId, actor: 'shop' }) };
}

/** The time at which a version 7 UUID was made (RFC 9562). */
function msOf(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}

it('takes a payment, refunds it, finds it and keeps the books balanced', async () => {
  const { shop } = await newShop();
  const paid = await shop.payments.submit(order({ idempotencyKey: 'order-1001' }));
  expect(paid).toMatchObject({ status: 'Captured', amount: '19.99', refundableAmount: '19.99' });
  const back = await shop.payments.refund(paid.id, { amount: '5.00' });
  expect(back).toMatchObject({ status: 'Refunded', amount: '5.00' });
  const found = await shop.transactions.search({ emails: ['ann@shop.example'] });
  expect(found.transactions.map(({ amount }) => amount).sort()).toEqual([19.99, 5]);
  expect((await shop.payments.get(paid.id)).refundableAmount).toBe('14.99');
  expect((await shop.books.trialBalance()).balanced).toBe(true);
});

it('lists payments page by page, the newest first, without what belongs to them', async () => {
  const { tenantId, shop } = await newShop();
  const ids: string[] = [];
  for (const amount of ['1.00', '2.00', '3.00']) {
    ids.unshift((await shop.payments.submit(order({ amount }))).id);
  }
  const [refundedId = ''] = ids;
  await shop.payments.refund(refundedId);
  // Those of one millisecond stand in the order of their ids.
  ids.sort((one, other) => msOf(other) - msOf(one) || (one < other ? -1 : 1));
  const first = await shop.payments.list({ limit: 2 });
  expect(first.payments.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(first.moreResults).toBe(true);
  const rest = await shop.payments.list({ limit: 2, after: first.end });
  expect(rest.payments.map(({ id }) => id)).toEqual(ids.slice(2));
  const refunded = [...first.payments, ...rest.payments].find(({ id }) => id === refundedId);
  expect(refunded).toMatchObject({ amount: '3.00', refundableAmount: '0.00' });
  const tester = ledger.as({ tenantId, actor: 'tester', environment: 'test' });
  expect((await tester.payments.list()).payments).toEqual([]);
});

it('has the journal entries of a payment, and none of another tenant', async () => {
  const { shop } = await newShop();
  const { id } = await shop.payments.submit(order({ amount: '7.00' }));
  await shop.payments.refund(id, { amount: '2.00' });
  const entries = await shop.books.entries(id);
  expect(entries.map(({ description }) => description)).toEqual(['PaymentCaptured', 'Refunded']);
  for (const { lines } of entries) {
    expect(lines.reduce((sum, { debit, credit }) => sum + debit - credit, 0)).toBe(0);
  }
  const { shop: other } = await newShop();
  expect(await other.books.entries(id)).toEqual([]);
});

it('derives permanent ids from an idempotency key', async () => {
  const { shop } = await newShop();
  const asked = order({ idempotencyKey: 'order-1' });
  const [first, second] = await Promise.all([
    shop.payments.submit(asked),
    shop.payments.submit(asked),
  ]);
  expect(second.id).toBe(first.id);
  expect((await shop.transactions.search()).count).toBe(1);
  expect(await codeOf(shop.payments.submit({ ...asked, amount: '20.00' }))).toBe(
    'IdempotencyKeyReused',
  );
  const refund = { idempotencyKey: 'r-1', amount: '1.00' };
  const [one, two] = [
    await shop.payments.refund(first.id, refund),
    await shop.payments.refund(first.id, refund),
  ];
  expect(two.id).toBe(one.id);
});

it('knows a repetition whose defaults are written out', async () => {
  const { shop } = await newShop();
  const asked = order({ idempotencyKey: 'order-1', amount: '20.00' });
  const { id } = await shop.payments.submit(asked);
  const written = { amount: '20', capture: true, applicationId: 1, plans: [], sandbox: false };
  expect((await shop.payments.submit({ ...asked, ...written })).id).toBe(id);
});

it('refunds parts of an order, and no child of a payment', async () => {
  const { shop } = await newShop();
  const lines = [{ storefrontVariantId: 1, storefrontProductId: 1, quantity: 2 }];
  const paid = await shop.payments.submit(
    order({ applicationId: 2, items: lines.map((line) => ({ ...line, unitPriceMinor: 500n })) }),
  );
  const parts = [
    { storefrontVariantId: 1, quantity: 1, amount: '5.00' },
    { adjustment: 'shipping', amount: '9.99' },
  ] as const;
  const refund = await shop.payments.refund(paid.id, { amount: '14.99', items: parts });
  expect(refund).toMatchObject({
    status: 'Refunded',
    amount: '14.99',
    refund: { source: 'System' },
  });
  const tooFine = [{ ...parts[0], amount: '0.001' }];
  const error = await shop.payments.refund(paid.id, { items: tooFine }).catch((thrown) => thrown);
  expect(error).toMatchObject({ refusal: { type: 'AmountTooFine', field: 'items/0/amount' } });
  expect(await codeOf(shop.payments.refund(refund.id))).toBe('NotAPayment');
});

it('takes absent names of an order from its address, or from the holder of the card', async () => {
  const { shop } = await newShop();
  const card = { ...CARD, holder: 'Ada King' };
  const paid = await shop.payments.submit(order({ card, addresses: [{ lastName: 'Byron' }] }));
  expect(paid.payment).toMatchObject({ firstName: 'Ada', lastName: 'Byron' });
});

it.each([
  [{ amount: '1.999' }, 'AmountTooFine'],
  [{ amount: 'ten' }, 'AmountInvalid'],
  [{ amount: '0.00' }, 'AmountNotPositive'],
  [{ currency: 'XXQ' }, 'UnknownCurrency'],
  [{ email: 'invalid' }, 'EmailInvalid'],
  [{ card: { ...CARD, number: '4242424242424241' } }, 'CardInvalid'],
  [{ token: 'tok' }, 'CardOrToken'],
  [{ card: undefined, token: 'tok' }, 'TokenUnknown'],
  [{ merchantAccountId: 99 }, 'ReferenceUnknown'],
  [{ currency: 'EUR' }, 'NoMerchantAccount'],
])('refuses %j with %s, and records nothing', async (wrong, code) => {
  const { shop } = await newShop();
  expect(await codeOf(shop.payments.submit(order(wrong)))).toBe(code);
  expect((await shop.transactions.search()).count).toBe(0);
});

it('refuses with facts', async () => {
  const { shop } = await newShop();
  const paid = await shop.payments.submit(order());
  const refusal = await shop.payments
    .refund(paid.id, { amount: '20.00' })
    .catch((error: Refused) => error.refusal);
  expect(refusal).toEqual({
    type: 'RefundExceedsRemaining',
    requestedMinor: 2_000n,
    remainingMinor: 1_999n,
    currency: 'GBP',
  });
});

it('authorizes, captures a part and voids', async () => {
  const { shop } = await newShop();
  const held = await shop.payments.submit(order({ capture: false }));
  expect(held.status).toBe('Authorized');
  const taken = await shop.payments.capture(held.id, { amount: '10.00' });
  expect(taken).toMatchObject({ status: 'Captured', capturedAmount: '10.00' });
  expect(await codeOf(shop.payments.capture(held.id))).toBe('WrongStatus');
  const other = await shop.payments.submit(order({ capture: false }));
  expect((await shop.payments.void(other.id)).status).toBe('Voided');
});

it('starts one subscription, however often its payment is asked for at once', async () => {
  const { shop } = await newShop();
  const plans = [{ name: 'Tea club', rebillAmount: '9.99', frequencyDays: 30 }];
  const asked = order({ idempotencyKey: 'order-1', plans });
  const paid = await Promise.all(Array.from({ length: 6 }, () => shop.payments.submit(asked)));
  expect(new Set(paid.map(({ id }) => id)).size).toBe(1);
  const page = await shop.subscriptions.ofCustomer(paid[0]?.customerId ?? 0, { limit: 10 });
  expect(page.subscriptions).toHaveLength(1);
});

it('subscribes, changes and ends a subscription', async () => {
  const { shop } = await newShop();
  const plans = [{ name: 'Tea club', rebillAmount: '9.99', frequencyDays: 30 }];
  const paid = await shop.payments.submit(order({ plans }));
  const { subscriptions } = await shop.subscriptions.ofCustomer(paid.customerId, { limit: 10 });
  const [started] = subscriptions;
  const id = started?.subscriptionId ?? 0;
  const changed = await shop.subscriptions.changePlan(id, { rebillAmount: '12.00' });
  expect(changed.rebillAmountMinor).toBe(1_200n);
  const { charges } = await shop.subscriptions.schedule(id, { count: 3 });
  expect(charges.map(({ amountMinor }) => amountMinor)).toEqual([1_200n, 1_200n, 1_200n]);
  expect((await shop.subscriptions.freeze(id)).frozenAt).not.toBeNull();
  expect((await shop.subscriptions.unfreeze(id)).frozenAt).toBeNull();
  expect(await shop.subscriptions.unsubscribeByEmail({ email: 'ann@shop.example' })).toBe(1);
  expect((await shop.subscriptions.get(id)).unsubscribedAt).not.toBeNull();
});

it('subscribes by the calendar, and refuses a plan that is counted in two ways', async () => {
  const { shop } = await newShop();
  const plans = [{ name: 'Tea club', rebillAmount: '9.99', interval: 'month' }] as const;
  const paid = await shop.payments.submit(order({ plans }));
  const { subscriptions } = await shop.subscriptions.ofCustomer(paid.customerId, { limit: 10 });
  const [started] = subscriptions;
  const id = started?.subscriptionId ?? 0;
  const changed = await shop.subscriptions.changePlan(id, { interval: 'year', intervalCount: 2 });
  expect(changed).toMatchObject({ interval: 'year', intervalCount: 2 });
  const { charges } = await shop.subscriptions.schedule(id, { count: 2 });
  const [first = 0, second = 0] = charges.map(({ at }) => new Date(at).getUTCFullYear());
  expect(second - first).toBe(2);
  const both = shop.subscriptions.changePlan(id, { interval: 'month', frequencyDays: 30 });
  expect(await codeOf(both)).toBe('InputInvalid');
  const same = await shop.subscriptions.changePlan(id, { name: 'Tea' });
  expect(same).toMatchObject({ name: 'Tea', interval: 'year', intervalCount: 2 });
});

it('registers, changes and erases a customer', async () => {
  const { shop } = await newShop();
  const made = await shop.customers.register({ email: 'bo@shop.example', firstName: 'Bo' });
  expect(await codeOf(shop.customers.register({ email: 'bo@shop.example' }))).toBe('EmailTaken');
  const { token } = await shop.customers.addPaymentMethod(made.customerId, { card: CARD });
  const paid = await shop.payments.submit(
    order({ email: 'bo@shop.example', card: undefined, token }),
  );
  expect(paid.customerId).toBe(made.customerId);
  const kept = await shop.customers.get(made.customerId);
  expect(kept.paymentMethods).toMatchObject([{ token }]);
  const { rowVersion } = await shop.customers.get(made.customerId);
  const after = await shop.customers.replace(made.customerId, {
    rowVersion,
    email: 'bo@shop.example',
    firstName: 'Bodil',
  });
  expect(after.firstName).toBe('Bodil');
  expect((await shop.customers.erase(made.customerId)).erasedAt).not.toBeNull();
  expect((await shop.payments.get(paid.id)).payment.email).not.toBe('bo@shop.example');
});

it('shows no tenant what another one has, and a test caller no live data', async () => {
  const { tenantId, shop } = await newShop();
  const { shop: other } = await newShop();
  const paid = await shop.payments.submit(order());
  const strangers = [other, ledger.as({ tenantId, actor: 'tester', environment: 'test' })];
  for (const stranger of strangers) {
    expect(await codeOf(stranger.payments.get(paid.id))).toBe('TransactionUnknown');
    expect(await codeOf(stranger.payments.refund(paid.id))).toBe('TransactionUnknown');
    expect((await stranger.transactions.search()).count).toBe(0);
    expect(await stranger.transactions.detail(paid.id)).toBeUndefined();
  }
});
