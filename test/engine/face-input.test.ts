/** What the face of the engine refuses before anything is done: what HTTP refuses at the wire. */
import { TenantId } from '@counterfoil/core';
import {
  type Ledger,
  openLedger,
  type PaymentView,
  Refused,
  silentLogger,
} from '@counterfoil/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARD, codeOf, order, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const PAN = '4242 4242 4242 4242';
const plan = { name: 'Tea club', rebillAmount: '9.99', frequencyDays: 30 };
const address = {
  addressType: 'DEFAULT',
  email: '',
  firstName: '',
  lastName: '',
  address: '',
  city: '',
  postalCode: '',
  state: '',
  countryCode: '',
  phone: '',
};

type Slices = Record<string, Record<string, (...given: unknown[]) => Promise<unknown>>>;

let ledger: Ledger;
/** As JavaScript sees it. */
let shop: Slices;
let held: PaymentView;

beforeAll(async () => {
  ledger = await openLedger({ storage: 'memory:', logger: silentLogger });
  await withShop(ledger, TENANT);
  const typed = ledger.as({ tenantId: TENANT, actor: 'shop' });
  shop = typed as unknown as Slices;
  held = await typed.payments.submit(order({ capture: false, plans: [plan] }));
});
afterAll(() => ledger?.close());

/** The places that a call was refused for. */
async function pathsOf(call: () => unknown): Promise<unknown> {
  const error = await (async () => call())().catch((thrown: unknown) => thrown);
  if (!(error instanceof Refused) || error.refusal.type !== 'InputInvalid') return error;
  expect(error.message).not.toMatch(/4242/);
  return error.refusal.faults.map(({ path }: { path: string }) => path);
}

describe.each<[what: string, wrong: object, path: string]>([
  ['a card number in a name', { firstName: PAN }, 'firstName'],
  [
    'a card number in full-width digits',
    { lastName: '４２４２４２４２４２４２４２４２' },
    'lastName',
  ],
  ['a card number in an email', { email: '4242424242424242@shop.example' }, 'email'],
  ['a card number in a plan', { plans: [{ ...plan, name: PAN }] }, 'plans/0/name'],
  ['a card number in an address', { addresses: [{ ...address, city: PAN }] }, 'addresses/0/city'],
  ['a card number as holder', { card: { ...CARD, holder: PAN } }, 'card/holder'],
  ['a card number as session of a partner', { partnerSession: PAN }, 'partnerSession'],
  ['a card number as key', { idempotencyKey: PAN }, 'idempotencyKey'],
  ['a card number as token', { card: undefined, token: PAN }, 'token'],
  ['a card number as id', { customerId: 4_242_424_242_424_242 }, 'customerId'],
  ['a card number as member', { [PAN]: 1 }, ''],
  ['an unknown member', { amont: '1.00' }, 'amont'],
  ['no text as amount', { amount: 19.99 }, 'amount'],
  ['no card', { card: 'card' }, 'card'],
  ['a number as number of a card', { card: { ...CARD, number: 4242 } }, 'card/number'],
  ['a text as capture', { capture: 'false' }, 'capture'],
  ['null as key', { idempotencyKey: null }, 'idempotencyKey'],
  ['an empty key', { idempotencyKey: '' }, 'idempotencyKey'],
  ['a blank key', { idempotencyKey: ' ' }, 'idempotencyKey'],
  ['a long key', { idempotencyKey: 'k'.repeat(256) }, 'idempotencyKey'],
  ['a key of two lines', { idempotencyKey: 'a\r\nb' }, 'idempotencyKey'],
  ['a number as key', { idempotencyKey: 1 }, 'idempotencyKey'],
  ['half a day', { plans: [{ ...plan, frequencyDays: 0.5 }] }, 'plans/0/frequencyDays'],
  [
    'a plan without a date',
    { plans: [{ ...plan, frequencyDays: undefined }] },
    'plans/0/frequencyDays',
  ],
  ['a plan with two', { plans: [{ ...plan, interval: 'month' }] }, 'plans/0/interval'],
  ['a count alone', { plans: [{ ...plan, intervalCount: 2 }] }, 'plans/0/intervalCount'],
  ['a plan without a name', { plans: [{ ...plan, name: '' }] }, 'plans/0/name'],
  ['three plans', { plans: [plan, plan, plan] }, 'plans'],
  ['an id that the ledger allocates', { orderId: 1_000_000_007 }, 'orderId'],
  ['an id that is none', { merchantAccountId: 'two' }, 'merchantAccountId'],
])('a payment with %s', (_, wrong, path) => {
  it('is refused, and nothing is recorded', async () => {
    expect(await pathsOf(() => shop.payments?.submit?.(order(wrong)))).toEqual([path]);
    expect(await shop.transactions?.search?.()).toMatchObject({ count: 1 });
  });
});

it.each(['0.00', '-1.00'])('charges nothing for a plan of %s', async (rebillAmount) => {
  const asked = order({ plans: [{ ...plan, rebillAmount }] });
  expect(await codeOf(shop.payments?.submit?.(asked) as Promise<unknown>)).toBe(
    'RebillAmountNotPositive',
  );
  expect(await shop.transactions?.search?.()).toMatchObject({ count: 1 });
});

it.each<[call: string, given: readonly unknown[], path: string]>([
  ['payments.submit', [], ''],
  ['payments.submit', [null], ''],
  ['payments.idOf', [''], ''],
  ['payments.get', [5], ''],
  ['payments.list', [{ limit: 101 }], 'limit'],
  ['payments.confirm', ['held', { idempotencyKey: null }], 'idempotencyKey'],
  ['payments.capture', ['held', { amount: 5 }], 'amount'],
  ['payments.capture', ['held', '5.00'], ''],
  ['payments.void', ['held', { note: 'x' }], 'note'],
  ['payments.refund', ['held', { amont: '1.00' }], 'amont'],
  ['payments.refund', ['held', {}, { idempotencyKey: 'k' }], 'arguments'],
  ['payments.refund', ['held', { items: [{ quantity: 0 }] }], 'items/0/storefrontVariantId'],
  ['subscriptions.get', ['1'], ''],
  ['subscriptions.ofCustomer', [1, { limit: 0 }], 'limit'],
  ['subscriptions.schedule', [1, { count: 1.5 }], 'count'],
  ['subscriptions.freeze', [1, { note: PAN }], 'note'],
  ['subscriptions.changePlan', [1, { trialDays: 3 }], 'trialDays'],
  ['subscriptions.changeCard', [1, { card: { ...CARD, holder: PAN } }], 'card/holder'],
  ['subscriptions.unsubscribe', [1, { notifyCustomer: 1 }], 'notifyCustomer'],
  ['subscriptions.unsubscribeByEmail', [{}], 'email'],
  ['customers.get', [1, { sandbox: 'no' }], 'sandbox'],
  ['customers.register', [{ email: 'c@shop.example', firstName: PAN }], 'firstName'],
  ['customers.replace', [1, { email: 'c@shop.example' }], 'rowVersion'],
  ['customers.erase', [0], ''],
  ['customers.addPaymentMethod', [1, { card: CARD, idempotencyKey: '' }], 'idempotencyKey'],
  ['customers.removePaymentMethod', [1, PAN], ''],
  ['merchantAccounts.get', ['1'], ''],
  ['merchantAccounts.open', [{ mid: '7' }], 'title'],
  ['merchantAccounts.replace', [1, { mid: '7' }], 'rowVersion'],
  ['merchantAccounts.amend', [1, { title: 'x' }], 'title'],
  ['merchantAccounts.amend', [1, { patch: { title: PAN } }], 'title'],
  ['merchantAccounts.list', [{ currency: 'pounds' }], 'currency'],
  ['transactions.search', [{ limit: 0 }], 'limit'],
  ['transactions.search', [{ dateFrom: '2026-02-31' }], 'dateFrom'],
  ['transactions.search', [{ dateFrom: '2026-02-02', dateTo: '2026-02-01' }], 'dateFrom'],
  ['transactions.detail', [undefined], ''],
  ['books.accounts', [], ''],
  ['books.recurring', [{ from: '2026-13' }], 'from'],
  ['books.trialBalance', [{ currency: 'pounds' }], 'currency'],
  ['books.entries', [{}], ''],
])('%s(%j) is refused', async (call, given, path) => {
  const [slice = '', method = ''] = call.split('.');
  const named = given.map((each) => (each === 'held' ? held.id : each));
  expect(await pathsOf(() => shop[slice]?.[method]?.(...named))).toContain(path);
  expect((await ledger.as({ tenantId: TENANT, actor: 'shop' }).payments.get(held.id)).status).toBe(
    'Authorized',
  );
});

it.each([
  [{ from: '2026-02', to: '2026-01' }, 0],
  [{ from: '1926-02', to: '2026-01' }, 1_200],
])('a report of %j is refused', async (range, months) => {
  const { books } = ledger.as({ tenantId: TENANT, actor: 'shop' });
  const error = await books.recurring(range).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ refusal: { type: 'MonthsOutOfRange', months } });
});

it.each([
  ['hour', { from: '2026-02-02', to: '2026-02-01' }, 0],
  ['hour', { from: '2026-02-01', to: '2026-02-15' }, 15],
  ['day', { from: '2026-01-01', to: '2027-02-05' }, 401],
] as const)('sales by %s of %j are refused', async (unit, range, days) => {
  const { books } = ledger.as({ tenantId: TENANT, actor: 'shop' });
  const error = await books.sales({ unit, ...range }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ refusal: { type: 'DaysOutOfRange', days } });
});

it.each<[call: string, given: unknown[]]>([
  ['payments.submit', [{ ...order({}), sandbox: false }]],
  ['payments.list', [{ sandbox: false }]],
  ['subscriptions.ofCustomer', [1, { limit: 1, sandbox: false }]],
  ['subscriptions.unsubscribeByEmail', [{ email: 'c@shop.example', sandbox: false }]],
  ['customers.get', [1, { sandbox: false }]],
  ['transactions.search', [{ sandbox: false }]],
  ['books.trialBalance', [{ sandbox: false }]],
])('the test environment has no live data for %s', async (call, given) => {
  const [slice = '', method = ''] = call.split('.');
  const tester = ledger.as({ tenantId: TENANT, actor: 'tester', environment: 'test' });
  const asked = (tester as unknown as Slices)[slice]?.[method]?.(...given);
  expect(await codeOf(asked ?? Promise.resolve())).toBe('LiveDataForbidden');
});

it.each([
  [{ environment: 'Test' }, 'environment'],
  [{ environment: 'prod' }, 'environment'],
  [{ environment: null }, 'environment'],
  [{ tenantId: 0 }, 'tenantId'],
  [{ actor: undefined }, 'actor'],
  [{ actor: '' }, 'actor'],
  [{ actor: 5 }, 'actor'],
  [{ actor: 'a\0b' }, 'actor'],
  [{ actor: 'a'.repeat(256) }, 'actor'],
  [{ actor: PAN }, 'actor'],
  [{ enviroment: 'test' }, 'enviroment'],
])('a caller with %j is refused', async (wrong, path) => {
  const actor = { tenantId: TENANT, actor: 'shop', ...wrong } as never;
  expect(await pathsOf(() => ledger.as(actor))).toEqual([path]);
});

it('knows no payment by what is no id', async () => {
  const { payments, transactions, books } = ledger.as({ tenantId: TENANT, actor: 'shop' });
  for (const id of ['', 'no-id', 'x'.repeat(5_000)]) {
    expect(await codeOf(payments.refund(id))).toBe('TransactionUnknown');
    expect(await transactions.detail(id)).toBeUndefined();
    expect(await books.entries(id)).toEqual([]);
  }
});

it('finds by ids that look like card numbers', async () => {
  const { transactions } = ledger.as({ tenantId: TENANT, actor: 'shop' });
  const search = { orderIds: [4_242_424_242_424_242], gatewayTransactionIds: [PAN] };
  expect((await transactions.search(search)).count).toBe(0);
});

it('refunds nothing for an amount of 0', async () => {
  const { payments } = ledger.as({ tenantId: TENANT, actor: 'shop' });
  expect(await codeOf(payments.refund(held.id, { amount: '0.00' }))).toBe('AmountNotPositive');
});
