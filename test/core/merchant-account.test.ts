/** Merchant accounts: neutral defaults, one writer at a time, and fees that fit their currency. */
import { MerchantAccount, type TenantId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(MerchantAccount);

const tenantId = 7 as TenantId;
const merchantAccountId = 31;
const at = '2026-01-01T00:00:00.000Z';
const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
const holding = (...codes: readonly string[]) =>
  codes.map((currency) => ({ currency, gatewayCredentials }));

const required: MerchantAccount.RequiredSettings = {
  mid: '123456',
  title: 'Main',
  companyId: 11,
  gatewayId: 41,
  descriptor: 'EXAMPLE SHOP',
  defaultCurrency: 'GBP',
  currencies: holding('GBP', 'EUR'),
};
type Changes = Partial<MerchantAccount.Settings>;
const settingsOf = (changes: Changes = {}): MerchantAccount.Settings =>
  MerchantAccount.withDefaults({ ...required, ...changes });
const open = (changes?: Changes): MerchantAccount.Command => ({
  type: 'OpenMerchantAccount',
  tenantId,
  merchantAccountId,
  settings: settingsOf(changes),
  at,
});
const replace = (rowVersion: number, changes?: Changes): MerchantAccount.Command => ({
  ...open(changes),
  type: 'ReplaceMerchantAccount',
  rowVersion,
});
const opened: MerchantAccount.Event = {
  type: 'MerchantAccountOpened',
  merchantAccountId,
  settings: settingsOf(),
  at,
};
const changed = (changes: Changes): MerchantAccount.Event => ({
  type: 'MerchantAccountChanged',
  settings: settingsOf(changes),
  at,
});

describe('defaults', () => {
  const settings = settingsOf();

  it('fill every field, and pass the schema', () => {
    expect(Object.keys(settings).sort()).toEqual(
      Object.keys(MerchantAccount.Settings.shape).sort(),
    );
    expect(MerchantAccount.Settings.parse(settings)).toEqual(settings);
  });

  it('are neutral: empty, zero, false, no limit, and both networks', () => {
    const given = new Set([...Object.keys(required), 'enabledNetworkA', 'enabledNetworkB']);
    const rest = Object.entries(settings).filter(([name]) => !given.has(name));
    expect(rest.filter(([, value]) => !['', 0, false, null].includes(value as ''))).toEqual([]);
    expect([settings.enabledNetworkA, settings.enabledNetworkB]).toEqual([true, true]);
    expect(settings.maxPrice).toBeNull();
  });

  it('give way to what is given', () => {
    expect(settingsOf({ enabledNetworkB: false, notes: 'x' })).toMatchObject({
      enabledNetworkB: false,
      notes: 'x',
    });
  });
});

describe('settings', () => {
  it.each([
    { descriptor: 'x'.repeat(26) },
    { descriptor: '' },
    { mid: '' },
    { title: '' },
    { currencies: [] },
    { mcc: '123' },
    { mcc: '12a4' },
    { reservePercentage: 100.1 },
    { discountRatePercentage: -0.1 },
    { chargebackFee: -1 },
    { monthlyCap: -1 },
    { maxPrice: 0 },
    { companyId: 0 },
  ])('cannot be %j', (changes) => {
    expect(MerchantAccount.Settings.safeParse(settingsOf(changes)).success).toBe(false);
  });

  it.each([
    { descriptor: 'x'.repeat(25) },
    { mcc: '5942' },
    { reservePercentage: 100 },
    { maxPrice: 0.01 },
    { monthlyCap: 0 },
  ])('can be %j', (changes) => {
    expect(MerchantAccount.Settings.safeParse(settingsOf(changes)).success).toBe(true);
  });
});

it('opens with all that it is given', () =>
  when([], open({ title: 'B', monthlyCap: 1_000 })).then({
    ...opened,
    settings: settingsOf({ title: 'B', monthlyCap: 1_000 }),
  }));

describe('rowVersion', () => {
  it('counts the changes from 1', () => {
    expect(given(MerchantAccount, [opened]).state?.rowVersion).toBe(1);
    const twice = [opened, changed({ title: 'B' }), changed({ title: 'C' })];
    expect(given(MerchantAccount, twice).state).toMatchObject({
      rowVersion: 3,
      settings: { title: 'C' },
    });
  });

  it('is the one the writer saw', () =>
    when([opened], replace(1, { title: 'B' })).then(changed({ title: 'B' })));

  it('stays when nothing changes', () => {
    when([opened], replace(1)).thenNothing();
    when([opened], open()).thenNothing();
  });
});

describe('refusals, each before those below it', () => {
  const bad: Changes = { defaultCurrency: 'XXX', chargebackFee: 0.001 };
  const noneHeld: Changes = { defaultCurrency: 'USD', chargebackFee: 0.001 };
  const stale = { type: 'StaleRowVersion', rowVersion: 2, current: 1 } as const;
  const unknown = { type: 'UnknownCurrency', currency: 'XXX' } as const;
  const notHeld = { type: 'DefaultCurrencyNotHeld', currency: 'USD' } as const;

  it.each([
    ['open', [opened], open(bad), { type: 'MerchantAccountExists' }],
    ['open', [], open(bad), unknown],
    ['open', [], open({ currencies: holding('GBP', 'XXX'), chargebackFee: 0.001 }), unknown],
    ['open', [], open(noneHeld), notHeld],
    ['replace', [], replace(2, bad), { type: 'MerchantAccountUnknown' }],
    ['replace', [opened], replace(2, bad), stale],
    ['replace', [opened], replace(1, bad), unknown],
    ['replace', [opened], replace(1, noneHeld), notHeld],
  ] as const)('%s', (_, past, command, rejection) => when(past, command).thenRejected(rejection));

  it.each([
    ['gatewayTransactionFee', 0.001, 'GBP'],
    ['chargebackFee', 15.005, 'GBP'],
    ['rdrFee', 0.5, 'JPY'],
    ['bankAVSFee', 0.0001, 'KWD'],
    ['customFee', 1e-7, 'GBP'],
    ['maxPrice', 99.999, 'GBP'],
    ['monthlyCap', 0.1, 'JPY'],
  ] as const)('FeeTooFine: %s of %d %s', (field, value, currency) => {
    const changes = { [field]: value, defaultCurrency: currency, currencies: holding(currency) };
    when([], open(changes)).thenRejected({ type: 'FeeTooFine', field, currency });
  });
});

describe('terms', () => {
  it('keep fees as minor units of the default currency, and percentages as texts', () => {
    const settings = settingsOf({
      ...{ discountRatePercentage: 2.9, reservePercentage: 10, gatewayTransactionFee: 0.1 },
      ...{ bankAuthFee: 0.05, bankDeclineFee: 0.07, bankAVSFee: 0.03, customFee: 0.01 },
      ...{ customFeeApprovedOnly: 0.02, chargebackFee: 15, alertProviderFee: 25 },
      ...{ rdrFee: 30, cdrnFee: 35.5 },
    });
    expect(MerchantAccount.termsOf(settings, 90)).toEqual({
      feeCurrency: 'GBP',
      discountRatePercentage: '2.9',
      gatewayTransactionFeeMinor: 10n,
      bankAuthFeeMinor: 5n,
      bankDeclineFeeMinor: 7n,
      bankAvsFeeMinor: 3n,
      customFeeMinor: 1n,
      customFeeApprovedOnlyMinor: 2n,
      chargebackFeeMinor: 1_500n,
      alertProviderFeeMinor: 2_500n,
      rdrFeeMinor: 3_000n,
      cdrnFeeMinor: 3_550n,
      reservePercentage: '10',
      reserveHoldDays: 90,
    });
  });

  it('are not made of a fee that the currency cannot hold', () => {
    const settings = settingsOf({ chargebackFee: 0.001 });
    expect(() => MerchantAccount.termsOf(settings, 0)).toThrow(
      'chargebackFee was accepted with too many decimals',
    );
  });

  it.each([
    [0, '0'],
    [100, '100'],
    [10.5, '10.5'],
    [0.000001, '0.000001'],
    [1e-7, '0'],
    [33.333333, '33.333333'],
  ])('write %d per cent as %s', (percentage, text) => {
    const { discountRatePercentage } = MerchantAccount.termsOf(
      settingsOf({ discountRatePercentage: percentage }),
      0,
    );
    expect(discountRatePercentage).toBe(text);
  });
});

it('has a stream for each account', () => {
  expect(MerchantAccount.streamOf({ tenantId, merchantAccountId })).toBe('merchant_account-7-31');
});
