/** What a tenant defines beside its merchant accounts: the kinds, and what callers may pass to them. */
import type { Reference } from '@counterfoil/core';
import { z } from 'zod';
import { bounded, CurrencyCode, Id, name, text } from '../input/texts.ts';

const MAX_DOMAIN_LENGTH = 253;
const named = z.strictObject({ name: name(200) });

/** A decimal in major units of the currency. */
const AmountText = bounded(32);

interface Kind {
  readonly input: z.ZodObject;
  /** Of the members that may be absent. */
  readonly defaults?: object;
  readonly command: Parameters<typeof Reference.streamOf>[0]['type'];
  readonly event: Reference.Event['type'];
  /** The member of the event that holds the id. */
  readonly id: string;
  /** The least id that is given to a new one. */
  readonly firstId: number;
}

export const REFERENCE_KINDS = {
  companies: {
    input: named,
    command: 'DefineCompany',
    event: 'CompanyDefined',
    id: 'companyId',
    firstId: 1,
  },
  shops: {
    input: named.extend({
      companyId: Id,
      domain: text(MAX_DOMAIN_LENGTH).optional(),
      rootDomain: text(MAX_DOMAIN_LENGTH).optional(),
      currency: CurrencyCode,
    }),
    defaults: { domain: '', rootDomain: '' },
    command: 'DefineShop',
    event: 'ShopDefined',
    id: 'shopId',
    firstId: 1,
  },
  applications: {
    /** One of the built-in kinds 1 to 5. */
    input: named.extend({ kind: z.int().min(1).max(5) }),
    command: 'DefineApplication',
    event: 'ApplicationDefined',
    id: 'applicationId',
    firstId: 100,
  },
  products: {
    input: named,
    command: 'DefineProduct',
    event: 'ProductDefined',
    id: 'productId',
    firstId: 1,
  },
  pricePoints: {
    input: z.strictObject({
      amount: AmountText,
      currency: CurrencyCode,
      billingCode: text(100).optional(),
      premium: z.int().nonnegative().optional(),
      shortcodeId: z.int().nonnegative().optional(),
    }),
    defaults: { billingCode: '', premium: 0, shortcodeId: 0 },
    command: 'DefinePricePoint',
    event: 'PricePointDefined',
    id: 'pricePointId',
    firstId: 1,
  },
  campaigns: {
    input: named,
    command: 'DefineCampaign',
    event: 'CampaignDefined',
    id: 'campaignId',
    firstId: 1,
  },
  affiliates: {
    input: named,
    command: 'DefineAffiliate',
    event: 'AffiliateDefined',
    id: 'affiliateId',
    firstId: 1,
  },
} as const satisfies Record<string, Kind>;

export type ReferenceKind = keyof typeof REFERENCE_KINDS;
export const ReferenceKind = z.enum(Object.keys(REFERENCE_KINDS) as [ReferenceKind]);

export type ReferenceInput<Of extends ReferenceKind> = z.input<
  (typeof REFERENCE_KINDS)[Of]['input']
>;

export type ReferenceItem<Of extends ReferenceKind = ReferenceKind> = Required<
  ReferenceInput<Of>
> & {
  readonly id: number;
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
  readonly updatedAt: string;
};
