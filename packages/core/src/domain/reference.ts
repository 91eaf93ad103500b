/** Reference data that records show by name: companies, shops, applications, products and their like. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { currencyOf } from '../kernel/currency.ts';
import { type EventsOf, event, Instant, Minor } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { FIRST_OWN_APPLICATION_ID } from './transaction/codes.ts';

const id = z.int().positive();
const name = z.string().min(1).max(200);
const at = Instant;

/** Raw text or null, as the storefront gave it. */
const option = z.string().max(500).nullable();

const StorefrontOption = z.strictObject({
  id,
  product_id: id,
  name: z.string().max(500),
  position: z.int(),
  values: z.string().max(10_000),
});

const StorefrontVariant = z.strictObject({
  id,
  product_id: id,
  inventory_item_id: z.int().nonnegative(),
  title: z.string().max(500),
  sku: z.string().max(200),
  fulfillment_service: z.string().max(200),
  price: z.number(),
  cost: z.number(),
  compare_at_price: z.number().nullable(),
  position: z.int(),
  option1: option,
  option2: option,
  option3: option,
  created_at: Instant,
  updated_at: Instant,
  requires_shipping: z.boolean(),
  image_id: z.int().nullable(),
});

const StorefrontImage = z.strictObject({
  id,
  product_id: id,
  width: z.int(),
  height: z.int(),
  position: z.int(),
  src: z.string().max(2048),
});

/** A product of a shop's storefront, with the field names of the contract. */
export const StorefrontProduct = z.strictObject({
  id,
  shop_id: id,
  imageid: z.int().nonnegative(),
  title: z.string().max(500),
  vendor: z.string().max(500),
  product_type: z.string().max(500),
  handle: z.string().max(500),
  status: z.string().max(50),
  created_at: Instant,
  updated_at: Instant,
  last_refresh: Instant,
  options: z.array(StorefrontOption).max(100),
  variants: z.array(StorefrontVariant).max(2000),
  images: z.array(StorefrontImage).max(250),
});
export type StorefrontProduct = z.output<typeof StorefrontProduct>;

export const events = {
  CompanyDefined: event({ companyId: id, name, at }),
  ShopDefined: event({
    shopId: id,
    companyId: id,
    name,
    domain: z.string().max(253),
    rootDomain: z.string().max(253),
    currency: z.string().length(3),
    at,
  }),
  /** A tenant's own application; `kind` is one of the kinds 1 to 5. */
  ApplicationDefined: event({ applicationId: id, kind: z.int().min(1).max(5), name, at }),
  ProductDefined: event({ productId: id, name, at }),
  PricePointDefined: event({
    pricePointId: id,
    amountMinor: Minor,
    currency: z.string().length(3),
    /** Shown as `billingCode`, `premium` and `shortcodeID` of payments at this price point. */
    billingCode: z.string().max(100),
    premium: z.int().nonnegative(),
    shortcodeId: z.int().nonnegative(),
    at,
  }),
  CampaignDefined: event({ campaignId: id, name, at }),
  AffiliateDefined: event({ affiliateId: id, name, at }),
  StorefrontProductDefined: event({ product: StorefrontProduct, at }),
};
export type Event = EventsOf<typeof events>;
type Defined<Type extends Event['type']> = Omit<Extract<Event, { type: Type }>, 'type'>;

/** `absent`, or the `rowVersion` that the caller saw. Not given: whatever is there. */
export type Expected = 'absent' | number;

/** Each states the thing as it is from now on; stating it again unchanged does nothing. */
export type Command = { readonly tenantId: TenantId; readonly expected?: Expected } & (
  | ({ readonly type: 'DefineCompany' } & Defined<'CompanyDefined'>)
  | ({ readonly type: 'DefineShop' } & Defined<'ShopDefined'>)
  | ({ readonly type: 'DefineApplication' } & Defined<'ApplicationDefined'>)
  | ({ readonly type: 'DefineProduct' } & Defined<'ProductDefined'>)
  | ({ readonly type: 'DefinePricePoint' } & Defined<'PricePointDefined'>)
  | ({ readonly type: 'DefineCampaign' } & Defined<'CampaignDefined'>)
  | ({ readonly type: 'DefineAffiliate' } & Defined<'AffiliateDefined'>)
  | ({ readonly type: 'DefineStorefrontProduct' } & Defined<'StorefrontProductDefined'>)
);

export type Rejection =
  | { readonly type: 'DefinitionExists' }
  | { readonly type: 'DefinitionUnknown' }
  | { readonly type: 'StaleRowVersion'; readonly rowVersion: number; readonly current: number }
  | { readonly type: 'UnknownCurrency'; readonly currency: string }
  | { readonly type: 'ReservedApplicationId'; readonly applicationId: number };

/** The thing as last defined; `rowVersion` counts the definitions, from 1. */
export type Definition = Event & { readonly rowVersion: number };

/** Null before the first definition. */
export type State = Definition | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  return { ...event, rowVersion: (state?.rowVersion ?? 0) + 1 };
}

const EVENT_OF = {
  DefineCompany: 'CompanyDefined',
  DefineShop: 'ShopDefined',
  DefineApplication: 'ApplicationDefined',
  DefineProduct: 'ProductDefined',
  DefinePricePoint: 'PricePointDefined',
  DefineCampaign: 'CampaignDefined',
  DefineAffiliate: 'AffiliateDefined',
  DefineStorefrontProduct: 'StorefrontProductDefined',
} as const satisfies Record<Command['type'], Event['type']>;

/**
 * Checked in this order: DefinitionExists, DefinitionUnknown, StaleRowVersion, UnknownCurrency,
 * ReservedApplicationId.
 */
export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  const unexpected = faultOf(state, command.expected);
  if (unexpected !== undefined) return left(unexpected);
  if ('currency' in command && currencyOf(command.currency) === undefined) {
    return left({ type: 'UnknownCurrency', currency: command.currency });
  }
  if (command.type === 'DefineApplication' && command.applicationId < FIRST_OWN_APPLICATION_ID) {
    return left({ type: 'ReservedApplicationId', applicationId: command.applicationId });
  }
  const { tenantId: _, expected: __, type, ...content } = command;
  const defined = { type: EVENT_OF[type], ...content } as Event;
  return right(state !== null && sameContent(state, defined) ? [] : [defined]);
}

function faultOf(state: State, expected: Expected | undefined): Rejection | undefined {
  if (expected === undefined) return undefined;
  if (expected === 'absent') return state === null ? undefined : { type: 'DefinitionExists' };
  if (state === null) return { type: 'DefinitionUnknown' };
  const { rowVersion: current } = state;
  if (expected === current) return undefined;
  return { type: 'StaleRowVersion', rowVersion: expected, current };
}

function sameContent({ rowVersion: _, ...known }: Definition, given: Event): boolean {
  return canonicalJson({ ...known, at: '' }) === canonicalJson({ ...given, at: '' });
}

export function streamOf(command: Command): StreamName {
  const { tenantId } = command;
  switch (command.type) {
    case 'DefineCompany':
      return streamName('company', tenantId, command.companyId);
    case 'DefineShop':
      return streamName('shop', tenantId, command.shopId);
    case 'DefineApplication':
      return streamName('application', tenantId, command.applicationId);
    case 'DefineProduct':
      return streamName('product', tenantId, command.productId);
    case 'DefinePricePoint':
      return streamName('price_point', tenantId, command.pricePointId);
    case 'DefineCampaign':
      return streamName('campaign', tenantId, command.campaignId);
    case 'DefineAffiliate':
      return streamName('affiliate', tenantId, command.affiliateId);
    case 'DefineStorefrontProduct':
      return streamName('storefront_product', tenantId, command.product.id);
  }
}
