/** Merchant accounts on the face of the engine: opened, replaced, amended, listed; secrets and caps. */
import { TenantId } from '@counterfoil/core';
import { type Ledger, openLedger, silentLogger, type TenantLedger } from '@counterfoil/engine';
import { sandbox } from '@counterfoil/engine/gateways';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, OPERATOR, order, withShop } from './shop.ts';

const MASK = '********';
const secrets = { apiKey: 'sk-1', username: '', password: 'p-1', emailAddress: '' };
const masked = { apiKey: MASK, username: '', password: MASK, emailAddress: '' };

let now = Date.parse('2026-03-10T12:00:00.000Z');
let ledger: Ledger;
let tenant = 100;
let admin: TenantLedger['merchantAccounts'];
let shop: TenantLedger;

beforeAll(async () => {
  ledger = await openLedger({
    storage: 'memory:',
    logger: silentLogger,
    clock: { now: () => new Date(now).toISOString() },
    gateways: [sandbox()],
  });
});
afterAll(() => ledger?.close());

/** A new tenant; its shop's own account has the id 1. */
beforeEach(async () => {
  tenant += 1;
  await withShop(ledger, TenantId.parse(tenant));
  shop = ledger.as({ tenantId: tenant, actor: 'admin@shop.example' });
  admin = shop.merchantAccounts;
});

function account(more: object = {}) {
  return {
    mid: '7002',
    title: 'Second',
    companyId: 1,
    gatewayId: 1,
    descriptor: 'SECOND',
    defaultCurrency: 'EUR',
    currencies: [{ currency: 'EUR', gatewayCredentials: secrets }],
    ...more,
  };
}

describe('opening', () => {
  it('gives an id of its own, defaults and names, and shows no secret', async () => {
    const opened = await admin.open(account({ monthlyCap: 100 }));
    expect(opened).toMatchObject({
      id: 1_000_000_000,
      parentCompanyId: tenant,
      parentCompany: `Tenant ${tenant}`,
      company: 'Acme',
      gateway: 'Sandbox',
      rowVersion: 1,
      capLimited: null,
      monthlyCap: 100,
      maxPrice: null,
      enabledNetworkA: true,
      mcc: '',
      currencies: [{ currency: 'EUR', gatewayCredentials: masked }],
    });
    expect(await admin.get(opened.id)).toEqual(opened);
    expect((await admin.open(account())).id).toBe(opened.id + 1);
  });

  it('opens one account for a key, also after it was changed', async () => {
    const keyed = account({ idempotencyKey: 'second' });
    const [first, again] = await Promise.all([admin.open(keyed), admin.open(keyed)]);
    expect(again.id).toBe(first.id);
    await admin.amend(first.id, { patch: { title: 'Renamed' } });
    expect(await admin.open(keyed)).toMatchObject({ id: first.id, title: 'Renamed' });
    expect(await codeOf(admin.open({ ...keyed, title: 'Other' }))).toBe('IdempotencyKeyReused');
    expect((await admin.list()).items).toHaveLength(2);
  });

  it.each<[string, object, string]>([
    ['an unknown company', { companyId: 9 }, 'ReferenceUnknown'],
    ['an unknown gateway', { gatewayId: 9 }, 'ReferenceUnknown'],
    ['a currency that is none', { defaultCurrency: 'XXX' }, 'UnknownCurrency'],
    [
      'a default currency that it does not hold',
      { defaultCurrency: 'USD' },
      'DefaultCurrencyNotHeld',
    ],
    [
      'a currency twice',
      { currencies: [{ currency: 'EUR' }, { currency: 'EUR' }] },
      'CurrencyRepeated',
    ],
    ['a fee of half a cent', { chargebackFee: 0.005 }, 'FeeTooFine'],
    [
      'a masked secret',
      { currencies: [{ currency: 'EUR', gatewayCredentials: masked }] },
      'CredentialMasked',
    ],
    ['no currency', { currencies: [] }, 'InputInvalid'],
    ['a long descriptor', { descriptor: 'x'.repeat(26) }, 'InputInvalid'],
    ['a blank title', { title: ' ' }, 'InputInvalid'],
    ['an mcc of three digits', { mcc: '594' }, 'InputInvalid'],
    ['a percentage over 100', { reservePercentage: 100.01 }, 'InputInvalid'],
    ['a percentage of seven decimals', { discountRatePercentage: 0.0000001 }, 'InputInvalid'],
    ['a negative cap', { monthlyCap: -1 }, 'InputInvalid'],
    ['a largest price of 0', { maxPrice: 0 }, 'InputInvalid'],
    ['a format that is none', { dynamicDescriptorFormat: 4 }, 'InputInvalid'],
    ['a card number', { notes: 'paid with 4242 4242 4242 4242' }, 'InputInvalid'],
    ['an unknown member', { colour: 'red' }, 'InputInvalid'],
  ])('refuses %s, and opens nothing', async (_, wrong, code) => {
    expect(await codeOf(admin.open(account(wrong)))).toBe(code);
    expect((await admin.list()).items).toHaveLength(1);
  });

  it('takes an identifier that passes for a card number, and a secret of full length', async () => {
    const apiKey = 'k'.repeat(4_096);
    const currencies = [{ currency: 'EUR', gatewayCredentials: { ...secrets, apiKey } }];
    const opened = await admin.open(account({ mid: '4242424242424242', currencies }));
    expect(opened).toMatchObject({ mid: '4242424242424242' });
  });
});

describe('replacing', () => {
  it('takes what was read as unchanged, secrets included', async () => {
    const { id } = await admin.open(account());
    const read = await admin.get(id);
    const { rowVersion, currencies, mid, title, companyId, gatewayId, descriptor } = read;
    const sent = { rowVersion, currencies, mid, title, companyId, gatewayId, descriptor };
    expect(await admin.replace(id, { ...sent, defaultCurrency: 'EUR' })).toEqual(read);
  });

  it('empties what is left out, and counts the version', async () => {
    const { id } = await admin.open(account({ notes: 'first', monthlyCap: 5 }));
    const replaced = await admin.replace(id, { ...account({ title: 'Third' }), rowVersion: 1 });
    expect(replaced).toMatchObject({ title: 'Third', notes: '', monthlyCap: 0, rowVersion: 2 });
    expect(await codeOf(admin.replace(id, { ...account(), rowVersion: 1 }))).toBe(
      'StaleRowVersion',
    );
  });

  it('lets one of two win who saw the same version', async () => {
    const { id } = await admin.open(account());
    const titled = (title: string) => admin.replace(id, { ...account({ title }), rowVersion: 1 });
    const codes = await Promise.all([codeOf(titled('A')), codeOf(titled('B'))]);
    expect(codes.sort()).toEqual(['StaleRowVersion', 'accepted']);
  });
});

describe('amending', () => {
  it('changes what is named, and resets what is null', async () => {
    const { id } = await admin.open(account({ notes: 'first', maxPrice: 50 }));
    const amended = await admin.amend(id, { patch: { notes: null, title: 'B', maxPrice: null } });
    expect(amended).toMatchObject({ notes: '', title: 'B', maxPrice: null, mid: '7002' });
    const nothing = await admin.amend(id, { patch: {} });
    expect(nothing.rowVersion).toBe(2);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a required field of null', { title: null }, 'title'],
    ['an unknown member', { colour: 'red' }, 'colour'],
    ['a text as fee', { chargebackFee: '1' }, 'chargebackFee'],
    ['no currencies', { currencies: null }, 'currencies'],
  ])('refuses %s', async (_, patch, path) => {
    const { id } = await admin.open(account());
    await expect(admin.amend(id, { patch })).rejects.toMatchObject({
      refusal: { type: 'InputInvalid', faults: [{ path }] },
    });
  });

  it('adds a currency, and keeps the masked secrets of the others', async () => {
    const { id } = await admin.open(account());
    const currencies = [
      { currency: 'EUR', gatewayCredentials: masked },
      { currency: 'USD', gatewayCredentials: { apiKey: 'sk-2' } },
    ];
    const { currencies: shown } = await admin.amend(id, { patch: { currencies } });
    expect(shown.map(({ gatewayCredentials }) => gatewayCredentials.apiKey)).toEqual([MASK, MASK]);
  });

  it('is never lost among others without a version', async () => {
    const { id } = await admin.open(account());
    const fields = ['agent', 'psp', 'caid', 'customField1', 'customField2', 'customField3'];
    await Promise.all(fields.map((field) => admin.amend(id, { patch: { [field]: 'set' } })));
    const shown: object = await admin.get(id);
    expect(shown).toMatchObject(Object.fromEntries(fields.map((field) => [field, 'set'])));
    expect(await codeOf(admin.amend(id, { patch: { agent: 'x' }, rowVersion: 1 }))).toBe(
      'StaleRowVersion',
    );
  });
});

describe('reading', () => {
  it('pages in the order of the ids, by company, gateway and currency', async () => {
    const company = { type: 'DefineCompany', companyId: 2, name: 'Other' } as const;
    const at = new Date(now).toISOString();
    await ledger.tenants.define({ ...company, tenantId: TenantId.parse(tenant), at }, OPERATOR);
    const opened = [await admin.open(account()), await admin.open(account({ companyId: 2 }))];
    const ids = async (listing: Parameters<typeof admin.list>[0]) =>
      (await admin.list(listing)).items.map(({ id }) => id);
    expect(await ids({ currency: 'EUR' })).toEqual(opened.map(({ id }) => id));
    expect(await ids({ companyId: 2 })).toEqual([opened[1]?.id]);
    expect(await ids({ gatewayId: 2 })).toEqual([]);
    const page = await admin.list({ limit: 2 });
    expect(page).toMatchObject({ moreResults: true, items: [{ id: 1 }, { id: opened[0]?.id }] });
    const after = opened[0]?.id ?? 0;
    expect(await admin.list({ limit: 2, after })).toMatchObject({ moreResults: false });
    expect(await ids({ after })).toEqual([opened[1]?.id]);
  });

  it('knows no account of another tenant', async () => {
    const { id } = await admin.open(account());
    const other = ledger.as({ tenantId: 100_000, actor: 'x' }).merchantAccounts;
    for (const call of [
      other.get(id),
      other.amend(id, { patch: {} }),
      other.replace(id, { ...account(), rowVersion: 1 }),
    ]) {
      expect(await codeOf(call)).toBe('MerchantAccountUnknown');
    }
    expect((await other.list()).items).toEqual([]);
  });
});

describe('capLimited', () => {
  const pay = (amount: string) => shop.payments.submit(order({ amount, merchantAccountId: 1 }));
  const limited = async () => (await admin.get(1)).capLimited;
  const cap = (monthlyCap: number) => admin.amend(1, { patch: { monthlyCap } });

  it('says since when the cap keeps payments out, and ends with the month', async () => {
    await cap(100);
    await pay('90.00');
    expect(await limited()).toBeNull();
    now += 1_000;
    const since = new Date(now).toISOString();
    expect(await codeOf(pay('20.00'))).toBe('NoMerchantAccount');
    now += 1_000;
    expect(await codeOf(pay('30.00'))).toBe('NoMerchantAccount');
    expect(await limited()).toBe(since);
    expect((await admin.list()).items[0]?.capLimited).toBe(since);
    const month = now;
    now = Date.parse('2026-04-01T00:00:00.000Z');
    expect(await limited()).toBeNull();
    now = month;
  });

  it.each([
    ['raised', 110],
    ['removed', 0],
  ])('ends when the cap is %s, and comes back with it', async (_, raised) => {
    await cap(100);
    await pay('90.00');
    await codeOf(pay('20.00'));
    const since = await limited();
    expect(since).not.toBeNull();
    await cap(raised);
    expect(await limited()).toBeNull();
    await cap(100);
    expect(await limited()).toBe(since);
  });

  it('ends when room is given back, and begins again', async () => {
    await cap(100);
    const held = await shop.payments.submit(
      order({ amount: '90.00', merchantAccountId: 1, capture: false }),
    );
    await codeOf(pay('20.00'));
    expect(await limited()).not.toBeNull();
    await shop.payments.void(held.id);
    expect(await limited()).toBeNull();
    await pay('100.00');
    now += 1_000;
    await codeOf(pay('0.50'));
    expect(await limited()).toBe(new Date(now).toISOString());
  });

  it('is not for a payment over the whole cap, nor for test data', async () => {
    await cap(100);
    await codeOf(pay('100.01'));
    expect(await limited()).toBeNull();
    const tester = ledger.as({ tenantId: tenant, actor: 'x', environment: 'test' });
    const testing = (amount: string) => tester.payments.submit(order({ amount }));
    await testing('90.00');
    expect(await codeOf(testing('20.00'))).toBe('NoMerchantAccount');
    expect(await limited()).toBeNull();
  });
});

it('sends and keeps the descriptor that the account builds', async () => {
  const patch = {
    dynamicDescriptorEnabled: true,
    dynamicDescriptorFormat: 1,
    dynamicDescriptorPrefix: 'ACME',
  };
  await admin.amend(1, { patch });
  const { id, orderId } = await shop.payments.submit(order());
  const detail = await shop.transactions.search({ descriptor: `acme*${orderId}` });
  expect(detail.transactions).toMatchObject([{ transactionId: id }]);
});
