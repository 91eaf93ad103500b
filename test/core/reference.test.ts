/** Reference data: stated as it is from now on, and silent when nothing changed. */
import { Reference, type TenantId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import { storefrontProduct } from './event-samples.ts';
import { whenOf } from './when.ts';

const when = whenOf(Reference);

const tenantId = 7 as TenantId;
const at = '2026-01-01T00:00:00.000Z';
const LATER = '2026-02-01T00:00:00.000Z';

const CASES = [
  ['DefineCompany', 'CompanyDefined', { companyId: 1, name: 'Acme' }, 'company-7-1'],
  [
    'DefineShop',
    'ShopDefined',
    {
      shopId: 2,
      companyId: 1,
      name: 'Acme UK',
      domain: 'uk.example.com',
      rootDomain: 'example.com',
      currency: 'GBP',
    },
    'shop-7-2',
  ],
  [
    'DefineApplication',
    'ApplicationDefined',
    { applicationId: 100, kind: 2, name: 'Web shop' },
    'application-7-100',
  ],
  ['DefineProduct', 'ProductDefined', { productId: 3, name: 'Club' }, 'product-7-3'],
  [
    'DefinePricePoint',
    'PricePointDefined',
    {
      pricePointId: 4,
      amountMinor: 999n,
      currency: 'GBP',
      billingCode: 'B1',
      premium: 0,
      shortcodeId: 0,
    },
    'price_point-7-4',
  ],
  ['DefineCampaign', 'CampaignDefined', { campaignId: 5, name: 'Spring' }, 'campaign-7-5'],
  ['DefineAffiliate', 'AffiliateDefined', { affiliateId: 6, name: 'Partner' }, 'affiliate-7-6'],
  [
    'DefineStorefrontProduct',
    'StorefrontProductDefined',
    { product: storefrontProduct },
    `storefront_product-7-${storefrontProduct.id}`,
  ],
] as const;

describe.each(CASES)('%s', (type, defined, content, stream) => {
  const command = { type, tenantId, ...content, at } as unknown as Reference.Command;
  const event = { type: defined, ...content, at } as unknown as Reference.Event;

  it('states the thing as it is', () => {
    when([], command).then(event);
    expect(given(Reference, [event]).state).toEqual({ ...event, rowVersion: 1 });
  });

  it('is silent when nothing changed, whenever it is said', () =>
    when([event], { ...command, at: LATER }).thenNothing());

  it('has a stream for each thing', () => {
    expect(Reference.streamOf(command)).toBe(stream);
  });
});

it('records a change', () => {
  const before: Reference.Event = { type: 'CompanyDefined', companyId: 1, name: 'Acme', at };
  when([before], {
    type: 'DefineCompany',
    tenantId,
    companyId: 1,
    name: 'Acme Ltd',
    at: LATER,
  }).then({ type: 'CompanyDefined', companyId: 1, name: 'Acme Ltd', at: LATER });
});

describe('a definition that expects something', () => {
  const before: Reference.Event = { type: 'CompanyDefined', companyId: 1, name: 'Acme', at };
  const define = (expected: Reference.Expected): Reference.Command => ({
    type: 'DefineCompany',
    tenantId,
    companyId: 1,
    name: 'Acme Ltd',
    expected,
    at: LATER,
  });
  const defined: Reference.Event = { ...before, name: 'Acme Ltd', at: LATER };

  it('is made where it is so', () => {
    when([], define('absent')).then(defined);
    when([before], define(1)).then(defined);
  });

  it.each([
    [[before], 'absent', { type: 'DefinitionExists' }],
    [[], 1, { type: 'DefinitionUnknown' }],
    [[before, defined], 1, { type: 'StaleRowVersion', rowVersion: 1, current: 2 }],
  ] as const)('is refused after %j where %s is expected', (past, expected, rejection) =>
    when(past, define(expected)).thenRejected(rejection),
  );
});

describe('refusals', () => {
  const shop = { shopId: 2, companyId: 1, name: 'x', domain: '', rootDomain: '', at };
  const price = { pricePointId: 4, amountMinor: 1n, billingCode: '', premium: 0, shortcodeId: 0 };

  it.each([
    { type: 'DefineShop', tenantId, ...shop, currency: 'XXX' } as const,
    { type: 'DefinePricePoint', tenantId, ...price, currency: 'XXX', at } as const,
  ])('$type in no known currency', (command) =>
    when([], command).thenRejected({ type: 'UnknownCurrency', currency: 'XXX' }),
  );

  it.each([1, 5, 99])('an application of one’s own with the id %i', (applicationId) =>
    when([], {
      type: 'DefineApplication',
      tenantId,
      applicationId,
      kind: 1,
      name: 'x',
      at,
    }).thenRejected({ type: 'ReservedApplicationId', applicationId }),
  );
});
