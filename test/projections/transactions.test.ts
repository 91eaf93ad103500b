/** Events of a payment become exactly these records, in search and in detail. */
import { type Event, streamName, Tenant } from '@counterfoil/core';
import { alertDeadlines, openIntents, paymentExpiries } from '@counterfoil/projections';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  append,
  NOW,
  paymentStream,
  TENANT,
  tenant,
  type World,
  world,
} from './ledger-of-events.ts';
import * as A from './payments.ts';

let here: World;
beforeEach(() => {
  here = world();
});

async function defineAll(): Promise<void> {
  const settings = { ...Tenant.DEFAULT_SETTINGS, refundWindowDays: 60 };
  const onboarded: Event = { type: 'TenantOnboarded', name: 'Parent plc', settings, at: NOW };
  await append(here.events, { stream: streamName('tenant', TENANT, 'settings') }, [onboarded]);
  for (const [category, id, event] of A.DEFINITIONS) {
    await append(here.events, { stream: streamName(category, TENANT, id) }, [event]);
  }
}

async function happened(...story: readonly Event[]): Promise<void> {
  await append(here.events, { stream: paymentStream(A.PAYMENT) }, story);
  await here.catchUp();
}

const CAPTURED = [A.submitted(), A.started(), A.captured()];

describe('the search record', () => {
  it('of a captured payment shows every field', async () => {
    await defineAll();
    await happened(...CAPTURED);
    expect(await here.search.record(TENANT, A.PAYMENT, NOW)).toEqual({
      gateway: 'sandbox',
      transactionId: A.PAYMENT,
      orderId: 5001,
      sent: '2025-12-01T10:00:00.000Z',
      email: 'Ada@Example.test',
      sandbox: false,
      application: 'Web store',
      applicationId: 100,
      status: 'Captured',
      statusId: 50,
      success: true,
      completed: '2025-12-01T10:00:02.000Z',
      currency: 'GBP',
      amount: 25.99,
      mid: 'MID-7',
      descriptor: 'SHOP*Main',
      customerId: 42,
      authCode: 'A1B2',
      gatewayTransactionId: 'gw-1',
      firstName: 'Ada',
      lastName: 'Lovelace',
      bin: '41111122',
      last4: '0042',
      refunded: false,
      refundable: true,
      hasAlert: false,
      chargedBack: false,
      originalTransactionId: '',
      application2: 'Ecommerce',
      applicationId2: 2,
      shopId: 4,
      storeName: 'Main shop',
      storeDomain: 'www.shop.test',
      storeRootDomain: 'shop.test',
      originalApplication: '',
      originalApplicationId: 0,
      merchantAccountId: 7,
      midName: 'Main account',
      companyId: 3,
      company: 'Retail Ltd',
      parentCompanyId: 1,
      subId: 77,
      alertSource: 'None',
      alertSourceId: 0,
      alertType: 'None',
      alertTypeId: 0,
      refundSource: 'None',
      refundSourceId: 0,
      binCountry: 'GB',
      ipCountry: 'IE',
      submitOrderId: 5001,
      campaign: 'Winter',
      campaignId: 5,
      affiliate: 'Partner',
      affiliateId: 6,
      product: 'Candle',
      productId: 8,
      paymentNumber: 2,
      attempt: 1,
    });
  });

  it('of a refund is a separate record', async () => {
    await defineAll();
    await happened(...CAPTURED);
    const payment = await here.search.record(TENANT, A.PAYMENT, NOW);
    await happened(A.refundRequested(), A.refunded());
    expect(await here.search.record(TENANT, A.REFUND, NOW)).toEqual({
      ...payment,
      transactionId: A.REFUND,
      originalTransactionId: A.PAYMENT,
      application: 'Refund',
      applicationId: 10,
      application2: 'Refund',
      applicationId2: 10,
      originalApplication: 'Web store',
      originalApplicationId: 100,
      status: 'Refunded',
      statusId: 91,
      sent: '2025-12-05T10:00:00.000Z',
      completed: '2025-12-05T10:00:03.000Z',
      amount: 9.5,
      authCode: '',
      gatewayTransactionId: 'gw-r1',
      refunded: true,
      refundable: false,
      refundSource: 'CustomerService',
      refundSourceId: 1,
    });
    // The parent keeps its status; one part refund does not make it refunded.
    expect(await here.search.record(TENANT, A.PAYMENT, NOW)).toEqual({
      ...payment,
      refundSource: 'CustomerService',
      refundSourceId: 1,
    });
  });

  it('of a void is a separate record, beside the payment that it ended', async () => {
    const requestedAt = '2025-12-02T10:00:00.000Z';
    const at = '2025-12-02T10:00:05.000Z';
    await happened(
      ...CAPTURED,
      { type: 'VoidRequested', voidId: A.VOID, at: requestedAt },
      {
        type: 'PaymentVoided',
        voidId: A.VOID,
        ...A.BOOKS,
        amountMinor: 2599n,
        reserveMinor: 0n,
        reversedFees: [],
        note: 'by the shop',
        at,
      },
    );
    const record = (id: string) => here.search.record(TENANT, id, NOW);
    expect(await record(A.VOID)).toMatchObject({
      ...{ applicationId: 11, application: 'Void', applicationId2: 11 },
      ...{ status: 'Voided', statusId: 80, success: true, amount: 25.99 },
      ...{ sent: requestedAt, completed: at, originalTransactionId: A.PAYMENT },
    });
    expect(await record(A.PAYMENT)).toMatchObject({ statusId: 80, success: false, amount: 25.99 });
    const detail = await here.detail.detail({ tenantId: TENANT, id: A.PAYMENT, now: NOW });
    expect(detail?.transaction.childTransactions).toMatchObject([
      {
        ...{ messageID: A.VOID, applicationID: 11, statusID: 80, success: true, priceVal: 25.99 },
        ...{ sent: requestedAt, completed: at, data: 'by the shop', refundable: false },
      },
    ]);
  });

  it('of a chargeback on top of a refund says how much had been given back', async () => {
    const refund = { amountMinor: 950n };
    const beyond = { amountMinor: 2599n, beyondCapturedMinor: 950n };
    const story = [A.refundRequested(refund), A.refunded(refund), A.chargebackOpened(beyond)];
    await happened(...CAPTURED, ...story);
    const found = await here.detail.detail({ tenantId: TENANT, id: A.CHARGEBACK, now: NOW });
    expect(found?.transaction).toMatchObject({ exceedsCaptured: true, refundedBefore: 9.5 });
  });

  it('of chargeback and alert carries their flags, and so does the payment', async () => {
    await happened(...CAPTURED, A.alertReceived(), A.chargebackOpened());
    const record = (id: string) => here.search.record(TENANT, id, NOW);
    expect(await record(A.CHARGEBACK)).toMatchObject({
      applicationId: 20,
      application: 'Chargeback',
      statusId: 100,
      success: false,
      completed: null,
      amount: 16.49,
      chargedBack: true,
      hasAlert: false,
      refundable: false,
      sent: '2025-12-10T00:00:00.000Z',
    });
    expect(await record(A.ALERT)).toMatchObject({
      applicationId: 30,
      statusId: 110,
      hasAlert: true,
      chargedBack: false,
      alertSource: 'CDRN',
      alertSourceId: 2,
      alertType: 'CustomerDispute',
      alertTypeId: 2,
    });
    expect(await record(A.PAYMENT)).toMatchObject({
      statusId: 50,
      chargedBack: true,
      hasAlert: true,
      refundable: false,
      alertSourceId: 2,
    });
  });

  it('shows what is not known as empty', async () => {
    await happened(
      A.submitted({
        applicationId: 2,
        shopId: null,
        campaignId: null,
        affiliateId: null,
        productId: null,
        pricePointId: null,
        subscriptionId: null,
        card: null,
        session: null,
        partnerSession: null,
      }),
    );
    expect(await here.search.record(TENANT, A.PAYMENT, NOW)).toMatchObject({
      application: 'Ecommerce',
      status: 'Created',
      success: false,
      completed: null,
      gateway: '',
      mid: '',
      merchantAccountId: 0,
      bin: '',
      last4: '',
      binCountry: '',
      ipCountry: '',
      shopId: 0,
      storeName: '',
      campaign: '',
      campaignId: 0,
      affiliateId: 0,
      productId: 0,
      subId: 0,
      company: '',
      refundable: false,
    });
  });
});

describe('refundable', () => {
  const windowEnd = '2026-01-30T10:00:02.000Z';

  it('ends with the window of the tenant', async () => {
    await defineAll();
    await happened(...CAPTURED);
    const at = async (now: string) =>
      (await here.search.record(TENANT, A.PAYMENT, now))?.refundable;
    const inDetail = async (now: string) =>
      (await here.detail.detail({ tenantId: TENANT, id: A.PAYMENT, now }))?.transaction.refundable;
    const after = new Date(Date.parse(windowEnd) + 1).toISOString();
    expect([await at(windowEnd), await at(after)]).toEqual([true, false]);
    expect([await inDetail(windowEnd), await inDetail(after)]).toEqual([true, false]);
  });

  it('does not end where the merchant account lifts the window', async () => {
    await defineAll();
    const { MerchantAccount } = await import('@counterfoil/core');
    const credentials = { apiKey: '', username: '', password: '', emailAddress: '' };
    const settings = MerchantAccount.withDefaults({
      mid: 'MID-7',
      title: 'Main account',
      companyId: 3,
      gatewayId: 1,
      descriptor: 'SHOP*Main',
      defaultCurrency: 'GBP',
      currencies: [{ currency: 'GBP', gatewayCredentials: credentials }],
      forceAllowRefunds: true,
    });
    const opened: Event = {
      type: 'MerchantAccountOpened',
      merchantAccountId: 7,
      settings,
      at: NOW,
    };
    await append(here.events, { stream: streamName('merchant_account', TENANT, 7) }, [opened]);
    await happened(...CAPTURED);
    const later = '2036-01-01T00:00:00.000Z';
    expect((await here.search.record(TENANT, A.PAYMENT, later))?.refundable).toBe(true);
    const changed: Event = {
      type: 'MerchantAccountChanged',
      settings: { ...settings, forceAllowRefunds: false },
      at: NOW,
    };
    await append(here.events, { stream: streamName('merchant_account', TENANT, 7) }, [changed]);
    await here.catchUp();
    expect((await here.search.record(TENANT, A.PAYMENT, later))?.refundable).toBe(false);
  });
});

describe('the detail', () => {
  const detail = (id: string, tenantId = TENANT) => here.detail.detail({ tenantId, id, now: NOW });

  it('of a payment shows every field and its children', async () => {
    await defineAll();
    await happened(...CAPTURED, A.refundRequested(), A.refunded(), A.alertReceived());
    const found = await detail(A.PAYMENT);
    const root = {
      gateway: 'sandbox',
      messageID: A.PAYMENT,
      orderId: 5001,
      sent: '2025-12-01T10:00:00.000Z',
      email: 'Ada@Example.test',
      application: 'Web store',
      applicationID: 100,
      customerID: 42,
      shortcodeID: 33,
      billingCode: 'BC9',
      data: 'Approved',
      status: 'Captured',
      statusID: 50,
      success: true,
      completed: '2025-12-01T10:00:02.000Z',
      premium: 1,
      currency: 'GBP',
      pricePointID: 9,
      pricePoint: '25.00 EUR',
      priceVal: 25.99,
      product: 'Candle',
      productID: 8,
      campaign: 'Winter',
      campaignID: 5,
      shopId: 4,
      storeName: 'Main shop',
      storeDomain: 'www.shop.test',
      storeRootDomain: 'shop.test',
      merchantAccountId: 7,
      midName: 'Main account',
      mid: 'MID-7',
      companyId: 3,
      company: 'Retail Ltd',
      parentCompanyId: 1,
      parentCompany: 'Parent plc',
      bin: '41111122',
      last4: 42,
      sessionId: 'visit-1',
      name: 'Ada Lovelace',
      refundable: true,
      refunded: false,
      hasAlert: true,
      chargedBack: false,
      attempt: 1,
      authOnly: false,
      paymentNumber: 2,
      totalAttempt: 3,
      refundSource: 1,
      alertType: 2,
      alertSource: 2,
      originalMessageId: null,
      originalApplicationId: 0,
      originalApplication: '',
      storeCurrency: 'EUR',
      blackListing: 0,
      alertSourceName: 'CDRN',
      alertTypeName: 'CustomerDispute',
      refundSourceName: 'CustomerService',
      walletPayA: false,
      walletPayB: true,
      serviceSession: 'session-1',
      partnerSession: 'click-1',
      cardBrandId: 1,
      cardBrand: 'NetworkA',
    };
    const child = {
      ...root,
      success: true,
      refundable: false,
      hasAlert: false,
      originalMessageId: A.PAYMENT,
      originalApplicationId: 100,
      originalApplication: 'Web store',
      refundSource: 0,
      refundSourceName: 'None',
      alertType: 0,
      alertTypeName: 'None',
      alertSource: 0,
      alertSourceName: 'None',
      childTransactions: [],
    };
    expect(found?.transaction).toEqual({
      ...root,
      childTransactions: [
        {
          ...child,
          messageID: A.REFUND,
          application: 'Refund',
          applicationID: 10,
          data: 'Paid back',
          status: 'Refunded',
          statusID: 91,
          sent: '2025-12-05T10:00:00.000Z',
          completed: '2025-12-05T10:00:03.000Z',
          pricePoint: '9.50 GBP',
          priceVal: 9.5,
          refunded: true,
          refundSource: 1,
          refundSourceName: 'CustomerService',
        },
        {
          ...child,
          messageID: A.ALERT,
          application: 'Alert',
          applicationID: 30,
          data: 'Disputed',
          status: 'AlertOpen',
          statusID: 110,
          success: false,
          sent: '2025-12-06T00:00:00.000Z',
          completed: null,
          pricePoint: '25.99 GBP',
          priceVal: 25.99,
          hasAlert: true,
          alertType: 2,
          alertTypeName: 'CustomerDispute',
          alertSource: 2,
          alertSourceName: 'CDRN',
        },
      ],
    });
    expect(found?.sandbox).toBe(false);
    // A child by its own id is the record that its parent lists.
    const [refund, alert] = found?.transaction.childTransactions ?? [];
    expect((await detail(A.REFUND))?.transaction).toEqual(refund);
    expect((await detail(A.ALERT.toUpperCase()))?.transaction).toEqual(alert);
  });

  it('brings addresses, session, cart and products', async () => {
    await defineAll();
    await happened(...CAPTURED);
    const found = await detail(A.PAYMENT);
    const { addresses, session } = A.submitted();
    const withIds = addresses.map((each) => ({ ...each, orderId: 5001, messageId: A.PAYMENT }));
    expect(found?.addresses).toEqual(withIds);
    expect(found?.addressData).toEqual(withIds[1]);
    expect(found?.sessionData).toEqual(session);
    expect(found?.subscriptions).toEqual([]);
    expect(found?.cart).toHaveLength(2);
    expect(found?.cart[0]).toEqual({
      Quantity: 2,
      StorefrontVariantId: 11,
      UnitPrice: 10,
      StorefrontProductId: 21,
      MessageId: A.PAYMENT,
      ShopId: 4,
      CurrencyId: 826,
      UnitCost: 4,
      DiscountCodeId: 1,
      DiscountAmount: 1,
      SalesStrategyId: 2,
      CustomDiscountAmount: 0.01,
    });
    expect(found?.storefrontProducts?.map(({ title }) => title)).toEqual(['Candle, red']);
  });

  it('shows the items of a refund as its cart, which add up to it', async () => {
    await happened(...CAPTURED, A.refundRequested());
    expect((await detail(A.REFUND))?.cart).toEqual([
      {
        Quantity: 1,
        StorefrontVariantId: 11,
        UnitPrice: 10,
        StorefrontProductId: 21,
        MessageId: A.REFUND,
        ShopId: 4,
        CurrencyId: 826,
        UnitCost: 4,
        DiscountCodeId: 1,
        DiscountAmount: 0.5,
        SalesStrategyId: 2,
        CustomDiscountAmount: 0,
      },
    ]);
  });

  it('has no products where the order is not ecommerce', async () => {
    await happened(A.submitted({ applicationId: 1, applicationKind: 1 }));
    expect((await detail(A.PAYMENT))?.storefrontProducts).toBeUndefined();
    expect((await detail(A.PAYMENT))?.transaction.storeDomain).toBe('');
  });

  it('finds nothing of another tenant, and nothing that is not there', async () => {
    await happened(...CAPTURED, A.refundRequested());
    expect(await detail(A.PAYMENT, tenant(2))).toBeUndefined();
    expect(await detail(A.REFUND, tenant(2))).toBeUndefined();
    expect(await detail(A.VOID)).toBeUndefined();
    expect(await here.search.record(tenant(2), A.PAYMENT, NOW)).toBeUndefined();
  });
});

describe('open work', () => {
  const intents = async () => (await openIntents(here.store, { limit: 10 })).work;

  it('lists a payment while its outcome is not known', async () => {
    await happened(A.submitted(), A.started());
    expect(await intents()).toEqual([
      {
        tenantId: 1,
        transactionId: A.PAYMENT,
        sandbox: false,
        status: 'Processing',
        reasons: ['payment'],
        refundIds: [],
        changedAt: '2025-12-01T10:00:01.000Z',
      },
    ]);
    await happened(A.captured());
    expect(await intents()).toEqual([]);
    await happened(A.refundRequested(), {
      type: 'VoidRequested',
      voidId: A.VOID,
      at: '2025-12-06T00:00:00.000Z',
    });
    expect(await intents()).toMatchObject([{ reasons: ['void', 'refund'], refundIds: [A.REFUND] }]);
    await happened(A.refunded());
    expect(await intents()).toMatchObject([{ reasons: ['void'], refundIds: [] }]);
  });

  it('lists the longest waiting first, page by page', async () => {
    const ids = ['3', '1', '2'].map((digit) => A.PAYMENT.slice(0, -1) + digit);
    for (const [index, id] of ids.entries()) {
      const at = `2025-12-0${3 - index}T00:00:00.000Z`;
      const story = [A.submitted({ transactionId: id as typeof A.PAYMENT, at })];
      await append(here.events, { stream: paymentStream(id) }, story);
    }
    await here.catchUp();
    const first = await openIntents(here.store, { limit: 2 });
    const after = first.next === undefined ? {} : { after: first.next };
    const second = await openIntents(here.store, { limit: 2, ...after });
    const all = [...first.work, ...second.work].map(({ transactionId }) => transactionId);
    expect(all).toEqual(ids.toReversed());
    expect(second.next).toBeUndefined();
  });

  it('lists the deadline of an alert until it is answered', async () => {
    await happened(...CAPTURED, A.alertReceived());
    const deadlines = async () => (await alertDeadlines(here.store, { limit: 10 })).work;
    expect(await deadlines()).toEqual([
      {
        tenantId: 1,
        transactionId: A.PAYMENT,
        alertId: A.ALERT,
        sandbox: false,
        deadline: '2025-12-09T00:00:00.000Z',
      },
    ]);
    await happened({ type: 'AlertResolved', alertId: A.ALERT, note: '', at: NOW });
    expect(await deadlines()).toEqual([]);
  });

  it('lists the end of an authorization until it is captured', async () => {
    const at = '2025-12-05T00:00:00.000Z';
    const facts = {
      amountMinor: 1_000n,
      authCode: '',
      gatewayTransactionId: '',
      note: '',
      fees: [],
    };
    const authorized = { type: 'PaymentAuthorized', ...A.BOOKS, ...facts, at } as const;
    await happened(A.submitted(), A.started(), authorized);
    const expiries = async () => (await paymentExpiries(here.store, { limit: 10 })).work;
    const waiting = { tenantId: 1, transactionId: A.PAYMENT, sandbox: false };
    const dueAt = '2025-12-12T00:00:00.000Z';
    expect(await expiries()).toEqual([{ ...waiting, of: 'authorization', dueAt }]);
    await happened(A.captured());
    expect(await expiries()).toEqual([]);
  });
});
