/** POST /customerapi/detail over HTTP, as the contract states it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from './api.ts';
import {
  ADDRESS,
  expectFields,
  LINE_ITEM,
  SEARCH_RECORD,
  SESSION,
  TRANSACTION,
} from './record-fields.ts';
import {
  AFFILIATE,
  BOWLS,
  CAMPAIGN,
  CARDS,
  type Caller,
  CHECKOUT,
  card,
  ECOMMERCE,
  eventually,
  expectRefusal,
  type Json,
  openTenant,
  PLATES,
  PRICE_POINT,
  PRODUCT,
  type Running,
  SHOP,
  startHost,
  USER_EMAIL,
} from './running-host.ts';

const HOME = {
  addressType: 'DEFAULT',
  email: 'home@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  address: '12 St James Square',
  city: 'London',
  postalCode: 'SW1Y 4JH',
  state: 'LDN',
  countryCode: 'GB',
  phone: '+44 20 7946 0000',
};
/** Without an email: it is that of the order. */
const { email: _, ...OFFICE } = { ...HOME, addressType: 'SHIPPING', city: 'Leeds' };
const SESSION_GIVEN = {
  id: 'session-1',
  ip: '203.0.113.9',
  useragent: 'Mozilla/5.0',
  url: 'https://shop.crockery.example/checkout',
  timestamp: '2026-01-02T03:04:05.000Z',
  ipCity: 'London',
  ipCountryCode: 'GB',
};
const ALL_FLAGS = {
  getSearchData: true,
  getAddressData: true,
  getSubscription: true,
  getSessionData: true,
};
const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

/** Fields of a search record; behind the sign what the detail calls them, where that differs. */
const SAME_IN_BOTH = `gateway transactionId=messageID orderId sent completed email application
  applicationId=applicationID status statusId=statusID success customerId=customerID currency
  amount=priceVal mid midName bin refundable refunded shopId product campaign`;

let running: Running;
let caller: Caller;
let order: Json;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, 11);
  order = await caller.ordered({
    productId: PRODUCT,
    campaignId: CAMPAIGN,
    affiliateId: AFFILIATE,
    pricePointId: PRICE_POINT,
    addresses: [HOME, OFFICE],
    session: SESSION_GIVEN,
    partnerSession: 'click-77',
    walletPayA: true,
    orderId: 4_711,
  });
});
afterAll(async () => running.close());

describe('the flags', () => {
  it('are all false when absent', async () => {
    const { status, body } = await caller.detail(order.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, message: expect.any(String) });
    expect(body).not.toHaveProperty('transaction');
    expect(body).not.toHaveProperty('addressData');
    expect(body).not.toHaveProperty('addresses');
    expect(body).not.toHaveProperty('subscriptions');
    expect(body).not.toHaveProperty('sessionData');
  });

  it.each([
    ['getSearchData', 'transaction'],
    ['getAddressData', 'addressData'],
    ['getSubscription', 'subscriptions'],
    ['getSessionData', 'sessionData'],
  ])('%s alone brings %s alone', async (flag, member) => {
    const { body } = await caller.detail(order.id, { [flag]: true });
    const members = ['transaction', 'addressData', 'subscriptions', 'sessionData'];
    expect(members.filter((each) => Object.hasOwn(body, each))).toEqual([member]);
    const off = await caller.detail(order.id, { [flag]: false });
    expect(off.body).not.toHaveProperty(member);
  });

  it('bring everything together', async () => {
    const { body } = await caller.detail(order.id, ALL_FLAGS);
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining([
        'success',
        'message',
        'transaction',
        'addressData',
        'addresses',
        'subscriptions',
        'sessionData',
        'cart',
        'storefrontProducts',
      ]),
    );
  });
});

describe('the transaction', () => {
  it('has every field of the contract with its type and its true value', async () => {
    const transaction = await caller.transaction(order.id);
    expectFields(transaction, TRANSACTION);
    expect(transaction).toMatchObject({
      messageID: order.id,
      orderId: 4_711,
      email: 'customer@example.com',
      application: 'Web shop',
      applicationID: ECOMMERCE,
      shortcodeID: 77,
      billingCode: 'CLUB-10',
      status: 'Captured',
      statusID: 50,
      success: true,
      premium: 3,
      currency: 'GBP',
      pricePointID: PRICE_POINT,
      priceVal: 100,
      product: 'Crockery club',
      productID: PRODUCT,
      campaign: 'Winter',
      campaignID: CAMPAIGN,
      shopId: SHOP,
      storeName: 'Crockery shop',
      storeDomain: 'shop.crockery.example',
      storeRootDomain: 'crockery.example',
      storeCurrency: 'GBP',
      merchantAccountId: 111,
      midName: 'Account 111',
      mid: '7000000111',
      companyId: 5,
      company: 'Crockery Ltd',
      parentCompanyId: 11,
      parentCompany: 'Group 11',
      bin: '424242',
      last4: 4_242,
      sessionId: 'session-1',
      partnerSession: 'click-77',
      name: 'Ada Lovelace',
      refundable: true,
      refunded: false,
      hasAlert: false,
      chargedBack: false,
      attempt: 1,
      paymentNumber: 1,
      totalAttempt: 1,
      authOnly: false,
      refundSource: 0,
      refundSourceName: 'None',
      alertType: 0,
      alertTypeName: 'None',
      alertSource: 0,
      alertSourceName: 'None',
      originalMessageId: null,
      blackListing: 0,
      walletPayA: true,
      walletPayB: false,
      cardBrandId: 1,
      cardBrand: 'NetworkA',
      childTransactions: [],
    });
    expect(present(transaction.completed) >= transaction.sent).toBe(true);
  });

  it('has every field even of a payment with nothing but an amount and a card', async () => {
    const { id } = await caller.paid();
    expectFields(await caller.transaction(id), TRANSACTION);
    const { body } = await caller.detail(id, ALL_FLAGS);
    expect(body).toMatchObject({ addressData: null, addresses: [], subscriptions: [] });
  });

  it('is the same data as the search gives', async () => {
    const transaction: Json = await caller.transaction(order.id);
    const found = await caller.search({ transactionIds: [order.id] });
    const record: Json = found.body.transactions[0];
    expectFields(record, SEARCH_RECORD);
    for (const pair of SAME_IN_BOTH.split(/\s+/)) {
      const [inSearch = '', name = inSearch] = pair.split('=');
      expect(record[inSearch], name).toEqual(transaction[name]);
    }
  });

  it('shows the last four as an integer and the search as text with its zeros', async () => {
    const { body } = await caller.pay({ card: card(CARDS.doNotHonour) });
    expect((await caller.transaction(body.id)).last4).toBe(2);
    const found = await caller.search({ transactionIds: [body.id] });
    expect(found.body.transactions[0]?.last4).toBe('0002');
  });

  it.each([
    [CARDS.approve, 1, 'NetworkA'],
    [CARDS.networkB, 2, 'NetworkB'],
    [CARDS.networkC, 3, 'NetworkC'],
    [CARDS.networkD, 4, 'NetworkD'],
    [CARDS.networkE, 5, 'NetworkE'],
    [CARDS.networkF, 6, 'NetworkF'],
  ])('names the network of %s', async (number, cardBrandId, cardBrand) => {
    const { id } = await caller.paid({ card: card(number) });
    expect(await caller.transaction(id)).toMatchObject({ cardBrandId, cardBrand });
  });

  it('is authOnly as long as nothing was captured', async () => {
    const { id } = await caller.paid({ capture: false });
    expect(await caller.transaction(id)).toMatchObject({
      status: 'Authorized',
      statusID: 40,
      success: true,
      authOnly: true,
      refundable: false,
    });
  });

  it('of a decline is complete and not a success', async () => {
    const { body } = await caller.pay({ card: card(CARDS.stolen) });
    const transaction = await caller.transaction(body.id);
    expectFields(transaction, TRANSACTION);
    expect(transaction).toMatchObject({ status: 'Declined', statusID: 70, success: false });
    expect(transaction.completed).not.toBeNull();
  });
});

describe('addresses and session', () => {
  it('give the default address, and all', async () => {
    const { body } = await caller.detail(order.id, { getAddressData: true });
    expectFields(body.addressData, ADDRESS);
    expect(body.addressData).toEqual({ ...HOME, orderId: 4_711, messageId: order.id });
    expect(body.addresses).toHaveLength(2);
    expect(body.addresses).toEqual(
      expect.arrayContaining([
        { ...HOME, orderId: 4_711, messageId: order.id },
        { ...OFFICE, email: 'customer@example.com', orderId: 4_711, messageId: order.id },
      ]),
    );
  });

  it('return the recorded session', async () => {
    const { body } = await caller.detail(order.id, { getSessionData: true });
    expectFields(body.sessionData, SESSION);
    expect(body.sessionData).toEqual(SESSION_GIVEN);
  });

  it('give no subscription where there is none', async () => {
    const { body } = await caller.detail(order.id, { getSubscription: true });
    expect(body.subscriptions).toEqual([]);
  });
});

describe('cart and storefront products', () => {
  it('come with an ecommerce order without any flag', async () => {
    const { body } = await caller.detail(order.id);
    for (const item of present(body.cart)) expectFields(item, LINE_ITEM);
    expect(body.cart).toMatchObject([
      {
        StorefrontVariantId: PLATES.small,
        StorefrontProductId: PLATES.product,
        Quantity: 4,
        UnitPrice: 10,
        UnitCost: 4.25,
        DiscountCodeId: 3,
        SalesStrategyId: 2,
        ShopId: SHOP,
        MessageId: order.id,
      },
      { StorefrontVariantId: PLATES.large, Quantity: 2, UnitPrice: 20 },
      { StorefrontVariantId: BOWLS.only, Quantity: 1, UnitPrice: 20 },
    ]);
    expect(body.storefrontProducts?.map(({ id }: Json) => id)).toEqual([
      PLATES.product,
      BOWLS.product,
    ]);
  });

  it('show a storefront product with options, variants and images', async () => {
    const { body } = await caller.detail(order.id);
    const [product] = present(body.storefrontProducts);
    expect(product).toMatchObject({
      id: PLATES.product,
      shop_id: SHOP,
      imageid: 90_010,
      title: 'Product 9001',
      vendor: 'Potter & Sons',
      product_type: 'crockery',
      handle: 'product-9001',
      status: 'active',
      created_at: '2025-01-02T03:04:05.000Z',
      options: [{ id: 90_011, product_id: 9_001, name: 'Size', position: 1, values: '["S","L"]' }],
      images: [{ id: 90_010, product_id: 9_001, width: 640, height: 480, position: 1 }],
    });
    expect(product?.variants).toMatchObject([
      { id: PLATES.small, price: 10.5, cost: 4.25, compare_at_price: 12, option2: null },
      { id: PLATES.large, compare_at_price: null, image_id: null, requires_shipping: true },
    ]);
  });

  it('stay away from a payment without line items', async () => {
    const { id } = await caller.paid();
    const { body } = await caller.detail(id);
    expect(body).not.toHaveProperty('cart');
    expect(body).not.toHaveProperty('storefrontProducts');
  });

  it('show the cart but no storefront product of an order that is not ecommerce', async () => {
    const items = [
      {
        StorefrontVariantId: PLATES.small,
        StorefrontProductId: PLATES.product,
        Quantity: 10,
        UnitPrice: 10,
      },
    ];
    const { id } = await caller.paid({ items, shopId: SHOP, applicationId: CHECKOUT });
    const { body } = await caller.detail(id);
    expect(body.cart).toHaveLength(1);
    expect(body).not.toHaveProperty('storefrontProducts');
  });
});

it.each(['DiscountCodeId', 'SalesStrategyId'])(
  'the %s of a line has 32 bits, as the cart shows it',
  async (name) => {
    const most = 2 ** 31 - 1;
    const item = (id: number) => ({
      StorefrontVariantId: PLATES.small,
      StorefrontProductId: PLATES.product,
      Quantity: 10,
      UnitPrice: 10,
      [name]: id,
    });
    const { id } = await caller.paid({ items: [item(most)] });
    expect((await caller.detail(id)).body.cart).toMatchObject([{ [name]: most }]);
    const more = await caller.pay({ items: [item(most + 1)] });
    expectRefusal(more, 400, 'invalid_request');
    expect(more.body.errors).toMatchObject([{ pointer: `/items/0/${name}` }]);
  },
);

describe('children', () => {
  it('are transactions of their own, found under their own id', async () => {
    const { id, orderId } = await caller.ordered({ addresses: [HOME] });
    const refundItems = [{ StorefrontVariantId: PLATES.small, Quantity: 2 }];
    const { body: refunded } = await caller.refund(id, { amount: 20, refundItems });
    const parent = await caller.transaction(id);
    expect(parent).toMatchObject({ status: 'Captured', refunded: false, refundable: true });
    expect(parent.childTransactions).toHaveLength(1);
    const [child] = parent.childTransactions;
    expectFields(child, TRANSACTION);
    expect(child).toMatchObject({
      messageID: refunded.refundId,
      originalMessageId: id,
      orderId,
      application: 'Refund',
      applicationID: 10,
      originalApplication: 'Web shop',
      originalApplicationId: ECOMMERCE,
      status: 'Refunded',
      statusID: 91,
      success: true,
      priceVal: 20,
      refundSource: 1,
      refundSourceName: 'CustomerService',
    });

    const own = await caller.detail(refunded.refundId, ALL_FLAGS);
    expect(own.status).toBe(200);
    expect(own.body.transaction).toEqual({ ...child, childTransactions: [] });
    expect(own.body.cart).toMatchObject([
      { StorefrontVariantId: PLATES.small, StorefrontProductId: PLATES.product, Quantity: 2 },
    ]);
    expect(own.body.cart).toHaveLength(1);
    for (const item of present(own.body.cart)) expectFields(item, LINE_ITEM);
    expect(own.body.storefrontProducts?.map((each: Json) => each.id)).toEqual([PLATES.product]);
    expect(own.body.addressData).toMatchObject({ address: HOME.address });
  });

  it('are found by the search too', async () => {
    const { id } = await caller.paid({ email: 'child@example.com' });
    const { body } = await caller.refund(id, { amount: 1 });
    const found = await caller.search({ emails: ['child@example.com'] });
    const child = found.body.transactions.find(
      (each: Json) => each.transactionId === body.refundId,
    );
    expectFields(child, SEARCH_RECORD);
    expect(child).toMatchObject({
      originalTransactionId: id,
      applicationId: 10,
      applicationId2: 10,
      originalApplicationId: CHECKOUT,
      amount: 1,
      statusId: 91,
      refundSourceId: 1,
    });
  });

  it('a chargeback sets chargedBack, leaves the status and ends refundability', async () => {
    const { id } = await caller.paid({ card: card(CARDS.chargeback) });
    const parent = await eventually(
      () => caller.transaction(id),
      ({ chargedBack }) => chargedBack,
    );
    expect(parent).toMatchObject({ statusID: 50, refundable: false, hasAlert: false });
    const [child] = parent.childTransactions;
    expectFields(child, TRANSACTION);
    expect(child).toMatchObject({
      status: 'ChargebackOpen',
      statusID: 100,
      applicationID: 20,
      originalMessageId: id,
      priceVal: 100,
    });
    expect(child?.messageID).not.toBe(id);
    expect((await caller.transaction(present(child).messageID)).messageID).toBe(child?.messageID);
  });

  it('an alert sets hasAlert and not chargedBack', async () => {
    const { id } = await caller.paid({ card: card(CARDS.alert) });
    const parent = await eventually(
      () => caller.transaction(id),
      ({ hasAlert }) => hasAlert,
    );
    expect(parent).toMatchObject({ statusID: 50, chargedBack: false });
    const [child] = parent.childTransactions;
    expectFields(child, TRANSACTION);
    expect(child).toMatchObject({ status: 'AlertOpen', statusID: 110, applicationID: 30 });
    expect((await caller.transaction(present(child).messageID)).originalMessageId).toBe(id);
  });
});

describe('refusals', () => {
  it('an id that is not there is 404', async () => {
    expectRefusal(await caller.detail(NOWHERE), 404);
  });

  it.each([
    ['no id', { id: undefined }],
    ['an id that is no uuid', { id: '17' }],
    ['an id of another type', { id: 17 }],
    ['a flag that is no boolean', { getSearchData: 'yes' }],
    ['no parentCompanyId', { parentCompanyId: undefined }],
    ['no userEmail', { userEmail: undefined }],
    ['a parentCompanyId of text', { parentCompanyId: '11' }],
    ['a userEmail that is none', { userEmail: 'invalid' }],
  ])('%s is 400 and says where', async (_what, changes) => {
    const claims = { parentCompanyId: 11, userEmail: USER_EMAIL, id: order.id };
    const answer = await caller.post('/customerapi/detail', {
      body: { ...claims, ...changes } as Json,
    });
    expectRefusal(answer, 400);
    if (answer.body.code === 'invalid_request') {
      expect(answer.body.errors).toEqual([
        { in: 'body', pointer: `/${Object.keys(changes)[0]}`, detail: expect.any(String) },
      ]);
    }
  });
});
