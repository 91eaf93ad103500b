/** Routing: the first account that takes the payment, and one true reason for each that was passed over. */
import { MerchantAccount, Routing } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';

const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };

function account(
  merchantAccountId: number,
  changes: Partial<MerchantAccount.Settings> = {},
): MerchantAccount.MerchantAccount {
  const settings = MerchantAccount.withDefaults({
    mid: String(merchantAccountId),
    title: 'Main',
    companyId: 11,
    gatewayId: 41,
    descriptor: 'EXAMPLE SHOP',
    defaultCurrency: 'GBP',
    currencies: [
      { currency: 'GBP', gatewayCredentials },
      { currency: 'JPY', gatewayCredentials },
    ],
    ...changes,
  });
  return { merchantAccountId, settings, rowVersion: 1 };
}

const payment: Routing.Routable = { currency: 'GBP', amountMinor: 10_000n, brandId: 1, tried: [] };
const skipOf = (
  changes: Partial<MerchantAccount.Settings>,
  facts: Partial<Routing.Routable> = {},
) =>
  Routing.route([account(1, changes)], { ...payment, ...facts }).skipped.map(
    ({ reason }) => reason,
  );

it('takes the first account in the order given', () => {
  const [first, second] = [account(2), account(1)];
  expect(Routing.route([first, second], payment)).toEqual({ account: first, skipped: [] });
});

it('says why each account before it was passed over', () => {
  const last = account(4);
  const accounts = [
    account(1),
    account(2, { enabledNetworkA: false }),
    account(3, { maxPrice: 99.99 }),
    last,
  ];
  expect(Routing.route(accounts, { ...payment, tried: [1] })).toEqual({
    account: last,
    skipped: [
      { merchantAccountId: 1, reason: 'already-tried' },
      { merchantAccountId: 2, reason: 'network-disabled' },
      { merchantAccountId: 3, reason: 'over-max-price' },
    ],
  });
});

it('finds none where none is', () => {
  expect(Routing.route([], payment)).toEqual({ account: undefined, skipped: [] });
});

it('keeps the account as it is now, with its terms, for the attempt', () => {
  const chosen = account(3, { chargebackFee: 15 });
  const skipped = [{ merchantAccountId: 2, reason: 'already-tried' }] as const;
  const described = { orderId: 1, brandId: 0, shop: '', product: '' };
  const facts = { gateway: 'sandbox', reserveHoldDays: 90, skipped, payment: described };
  expect(Routing.routeTo(chosen, facts)).toEqual({
    merchantAccountId: 3,
    companyId: 11,
    gatewayId: 41,
    gateway: 'sandbox',
    mid: '3',
    midName: 'Main',
    descriptor: 'EXAMPLE SHOP',
    terms: MerchantAccount.termsOf(chosen.settings, 90),
    skipped: [{ merchantAccountId: 2, reason: 'already-tried' }],
  });
});

describe('reasons, each before those below it', () => {
  const worst = { enabledNetworkA: false, enabledNetworkB: false, maxPrice: 0.01 };
  const reasons = [
    ['already-tried', worst, { tried: [1], gatewayIds: new Set([40]) }],
    ['gateway-absent', worst, { gatewayIds: new Set([40]), currency: 'USD' }],
    ['other-gateway', worst, { gatewayId: 40, currency: 'USD' }],
    ['currency-not-held', worst, { currency: 'USD' }],
    ['network-disabled', worst, {}],
    ['network-disabled', { enabledNetworkA: false }, { brandId: 1 }],
    ['network-disabled', { enabledNetworkB: false }, { brandId: 2 }],
    ['over-max-price', { maxPrice: 99.99 }, { full: [1] }],
    ['over-monthly-cap', {}, { full: [2, 1] }],
  ] as const;

  it.each(reasons)('%s', (reason, changes, facts) => {
    expect(skipOf(changes, facts)).toEqual([reason]);
  });
});

describe('no reason', () => {
  it.each([
    ['a price at the limit', { maxPrice: 100 }, {}],
    ['a price in another currency than the limit’s', { maxPrice: 0.01 }, { currency: 'JPY' }],
    ['the other network disabled', { enabledNetworkB: false }, {}],
    [
      'a network without a switch',
      { enabledNetworkA: false, enabledNetworkB: false },
      { brandId: 3 },
    ],
    ['a gateway that is there', {}, { gatewayIds: new Set([41]), gatewayId: 41 }],
    ['room under its cap', { monthlyCap: 1 }, { full: [2] }],
    ['an unknown network', { enabledNetworkA: false, enabledNetworkB: false }, { brandId: 0 }],
  ] as const)('%s', (_, changes, facts) => {
    expect(skipOf(changes, facts)).toEqual([]);
  });
});
