/** The reference read model: tenants, keys, merchant accounts and everything that records show by name. */
import { MerchantAccount, Reference, Tenant, type TenantId } from '@counterfoil/core';
import type { Projection, Recorded, States } from '../projection.ts';
import type { Build, ReadModelStore } from '../read-model-store.ts';
import { KEYS, liveModel, REFERENCE, THINGS } from './live-model.ts';
import { ReferenceNames, thingId } from './reference-names.ts';

/** Raised when the documents change their shape or meaning. */
const VERSION = '1';
/** Tenants whose names are kept in memory. */
const MAX_CACHED_TENANTS = 1_000;
/** Things read at a time while a tenant is loaded. */
const LIST_PAGE = 1_000;

type Thing =
  | { readonly kind: 'tenant'; readonly state: Tenant.Tenant }
  | { readonly kind: 'merchant-account'; readonly state: MerchantAccount.MerchantAccount }
  | { readonly kind: 'defined'; readonly state: Reference.Event };

/** A key as authentication needs it: whose it is, and what it may do. */
export interface KnownKey extends Tenant.Key {
  readonly tenantId: TenantId;
}

const REFERENCE_CATEGORIES = [
  'company',
  'shop',
  'application',
  'product',
  'price_point',
  'campaign',
  'affiliate',
  'storefront_product',
];

export const reference: Projection<Thing> = {
  name: REFERENCE,
  version: VERSION,
  categories: new Set(['tenant', 'merchant_account', ...REFERENCE_CATEGORIES]),
  stateCollection: THINGS,
  collections: [
    { name: THINGS, kind: 'keyed' },
    { name: KEYS, kind: 'keyed' },
  ],

  needs(record) {
    return [thingKeyOf(record)];
  },

  apply(record, states: States<Thing>) {
    const key = thingKeyOf(record);
    return { states: [[key, evolved(states.get(key), record)]] };
  },

  encode(thing) {
    return JSON.stringify(thing, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
  },

  decode(body) {
    const thing = JSON.parse(body) as Thing;
    if (thing.kind === 'defined' && thing.state.type === 'PricePointDefined') {
      const state = { ...thing.state, amountMinor: BigInt(thing.state.amountMinor) };
      return { kind: 'defined', state };
    }
    return thing;
  },

  derive(key, thing) {
    if (thing.kind !== 'tenant') return [];
    const tenantId = Number(key.split('/')[1]);
    return Object.values(thing.state.keys).map((each) => ({
      collection: KEYS,
      key: each.digest,
      body: JSON.stringify({ tenantId, ...each }),
    }));
  },
};

function evolved(before: Thing | undefined, { stream, event }: Recorded): Thing {
  if (stream.startsWith('tenant-')) {
    const past = before?.kind === 'tenant' ? before.state : null;
    const state = Tenant.evolve(past, event as Tenant.Event);
    if (state === null) throw new Error('no tenant came of the event');
    return { kind: 'tenant', state };
  }
  if (stream.startsWith('merchant_account-')) {
    const past = before?.kind === 'merchant-account' ? before.state : null;
    const state = MerchantAccount.evolve(past, event as MerchantAccount.Event);
    if (state === null) throw new Error('no merchant account came of the event');
    return { kind: 'merchant-account', state };
  }
  const state = Reference.evolve(null, event as Reference.Event);
  if (state === null) throw new Error('nothing came of the event');
  return { kind: 'defined', state };
}

/** Storefront products are large and many: they stand apart from what is read as a whole. */
function thingKeyOf({ stream, tenantId }: Recorded): string {
  return stream.startsWith('storefront_product-')
    ? `storefront/${tenantId}/${stream}`
    : `named/${tenantId}/${stream}`;
}

interface CachedTenant {
  readonly build: number;
  readonly revision: number;
  readonly names: ReferenceNames;
}

/** Queries over the reference read model. Names are kept in memory until anything of it changes. */
export class ReferenceView {
  readonly #store: ReadModelStore;
  readonly #cached = new Map<number, CachedTenant>();

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** Everything small that a tenant has defined; of an unknown tenant, nothing. */
  async names(tenantId: number): Promise<ReferenceNames> {
    const model = await liveModel(this.#store, REFERENCE);
    const { build } = model.info;
    const revision = await model.revision();
    const cached = this.#cached.get(tenantId);
    if (cached?.build === build && cached.revision === revision) return cached.names;
    const names = await loadNames(model, tenantId);
    this.#cached.delete(tenantId);
    this.#cached.set(tenantId, { build, revision, names });
    if (this.#cached.size > MAX_CACHED_TENANTS) {
      const [oldest] = this.#cached.keys();
      if (oldest !== undefined) this.#cached.delete(oldest);
    }
    return names;
  }

  /** The key with this SHA-256 digest (hex), whether it is still active or not. */
  async keyByDigest(digest: string): Promise<KnownKey | undefined> {
    const model = await liveModel(this.#store, REFERENCE);
    const [body] = await model.get(KEYS, [digest]);
    return body === undefined ? undefined : (JSON.parse(body) as KnownKey);
  }

  /** The storefront products of these ids that are known, in the order of the ids. */
  async storefrontProducts(
    tenantId: number,
    ids: readonly number[],
  ): Promise<readonly Reference.StorefrontProduct[]> {
    if (ids.length === 0) return [];
    const model = await liveModel(this.#store, REFERENCE);
    const keys = ids.map((id) => `storefront/${tenantId}/storefront_product-${tenantId}-${id}`);
    const bodies = await model.get(THINGS, keys);
    return bodies.flatMap((body) => {
      if (body === undefined) return [];
      const { state } = reference.decode(body);
      return 'product' in state ? [state.product] : [];
    });
  }
}

async function loadNames(model: Build, tenantId: number): Promise<ReferenceNames> {
  const things = new Map<string, Reference.Event>();
  const accounts = new Map<number, MerchantAccount.MerchantAccount>();
  let tenant: Tenant.Tenant | undefined;
  const prefix = `named/${tenantId}/`;
  let after: string | undefined;
  do {
    const page = await model.list(THINGS, {
      prefix,
      limit: LIST_PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const { body } of page) {
      const thing = reference.decode(body);
      if (thing.kind === 'tenant') tenant = thing.state;
      else if (thing.kind === 'merchant-account') {
        accounts.set(thing.state.merchantAccountId, thing.state);
      } else {
        const { state } = thing;
        things.set(thingId(state.type, idOf(state)), state);
      }
    }
    after = page.length < LIST_PAGE ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
  return new ReferenceNames(things, accounts, tenant);
}

function idOf(event: Reference.Event): number {
  switch (event.type) {
    case 'CompanyDefined':
      return event.companyId;
    case 'ShopDefined':
      return event.shopId;
    case 'ApplicationDefined':
      return event.applicationId;
    case 'ProductDefined':
      return event.productId;
    case 'PricePointDefined':
      return event.pricePointId;
    case 'CampaignDefined':
      return event.campaignId;
    case 'AffiliateDefined':
      return event.affiliateId;
    case 'StorefrontProductDefined':
      return event.product.id;
  }
}
