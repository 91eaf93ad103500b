/** The reference read model: tenants, keys, merchant accounts and everything that records show by name. */
import {
  MerchantAccount,
  type Position,
  Reference,
  Tenant,
  type TenantId,
} from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import type { Projection, Recorded, States } from '../projection.ts';
import type { Build, ReadModelStore } from '../read-model-store.ts';
import { KEYS, liveModel, ORIGINS, REFERENCE, THINGS } from './live-model.ts';
import { type KnownAccount, ReferenceNames, thingId } from './reference-names.ts';

/** Raised when the documents change their shape or meaning. */
const VERSION = '4';
/** Characters of the documents that are kept decoded: of a tenant's names, of keys, of products. */
const MAX_KEPT_CHARACTERS = { names: 16 * 2 ** 20, keys: 4 * 2 ** 20, products: 16 * 2 ** 20 };
/** Counted beside its documents for each that is kept. */
const KEPT_CHARACTERS = 100;
/** A tenant that has defined more is still cached: otherwise each request would read it again. */
const MOST_COUNTED = 4 * 2 ** 20;
/** Things read at a time while a tenant is loaded. */
const LIST_PAGE = 1_000;

type Thing =
  | { readonly kind: 'tenant'; readonly state: Tenant.Tenant }
  | {
      readonly kind: 'merchant-account';
      readonly state: MerchantAccount.MerchantAccount;
      readonly capLimited: string | null;
    }
  | { readonly kind: 'defined'; readonly state: Reference.Definition };

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
  categories: new Set(['tenant', 'merchant_account', 'monthly_cap', ...REFERENCE_CATEGORIES]),
  // Of the book of a month, which grows with every payment, the one event that an account shows.
  types: new Set([
    ...[Tenant, MerchantAccount, Reference].flatMap(({ events }) => Object.keys(events)),
    'MonthlyCapReached',
  ]),
  stateCollection: THINGS,
  collections: [
    { name: THINGS, kind: 'keyed' },
    { name: KEYS, kind: 'keyed' },
    { name: ORIGINS, kind: 'keyed' },
  ],

  needs(record) {
    return [thingKeyOf(record)];
  },

  apply(record, states: States<Thing>) {
    const key = thingKeyOf(record);
    const before = states.get(key);
    const after = evolved(before, record);
    return { states: after === before ? [] : [[key, after]] };
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
    return Object.values(thing.state.keys).flatMap((each) => [
      { collection: KEYS, key: each.digest, body: JSON.stringify({ tenantId, ...each }) },
      ...originsOf(tenantId, each),
    ]);
  },
};

/** Where pages may write leads from. */
function originsOf(tenantId: number, { keyId, allowedOrigins, revokedAt }: Tenant.Key) {
  if (revokedAt !== null) return [];
  return [...new Set(allowedOrigins)].map((origin) => ({
    collection: ORIGINS,
    key: `${origin}/${tenantId}/${keyId}`,
    body: '{}',
  }));
}

function evolved(before: Thing | undefined, { stream, event }: Recorded): Thing {
  if (event.type === 'MonthlyCapReached') {
    if (before?.kind !== 'merchant-account') throw new Error('a cap without a merchant account');
    // Only accounts have this field, and it concerns real money.
    return event.sandbox ? before : { ...before, capLimited: event.at };
  }
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
    const capLimited = before?.kind === 'merchant-account' ? before.capLimited : null;
    return { kind: 'merchant-account', state, capLimited };
  }
  const past = before?.kind === 'defined' ? before.state : null;
  const state = Reference.evolve(past, event as Reference.Event);
  if (state === null) throw new Error('nothing came of the event');
  return { kind: 'defined', state };
}

/** Storefront products are large and many: they stand apart from what is read as a whole. */
function thingKeyOf({ stream, tenantId, event }: Recorded): string {
  if (event.type === 'MonthlyCapReached') {
    const { merchantAccountId } = event;
    return `named/${tenantId}/${MerchantAccount.streamOf({ tenantId, merchantAccountId })}`;
  }
  return stream.startsWith('storefront_product-')
    ? `storefront/${tenantId}/${stream}`
    : `named/${tenantId}/${stream}`;
}

/** Everything that was decoded of one moment of the model; dropped whole when anything of it changes. */
interface Moment {
  readonly model: Build;
  readonly revision: number;
  readonly names: Kept<number, ReferenceNames>;
  readonly keys: Kept<string, KnownKey>;
  readonly products: Kept<string, Reference.StorefrontProduct>;
}

/** Queries over the reference read model. What they decode is kept until anything of it changes. */
export class ReferenceView {
  readonly #store: ReadModelStore;
  #kept: Moment | undefined;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** Everything small that a tenant has defined; of an unknown tenant, nothing. */
  async names(tenantId: number): Promise<ReferenceNames> {
    return this.namesIn(await liveModel(this.#store, REFERENCE), tenantId);
  }

  /** The same, for who has looked up the live model already. */
  async namesIn(model: Build, tenantId: number): Promise<ReferenceNames> {
    const { names } = await this.#momentOf(model);
    const known = names.get(tenantId);
    if (known !== undefined) return known;
    const loaded = await loadNames(model, tenantId);
    return keep(names, { key: tenantId, value: loaded.names, characters: loaded.characters });
  }

  /** The key with this SHA-256 digest (hex), whether it is still active or not. */
  async keyByDigest(digest: string): Promise<KnownKey | undefined> {
    const { model, keys } = await this.#moment();
    const known = keys.get(digest);
    if (known !== undefined) return known;
    const [body] = await model.get(KEYS, [digest]);
    if (body === undefined) return undefined;
    const value = JSON.parse(body) as KnownKey;
    return keep(keys, { key: digest, value, characters: body.length });
  }

  /** The tenants that have defined anything, as far as the log was applied: up to `after`, or not at all. */
  async tenantIds(): Promise<{ readonly ids: readonly number[]; readonly after?: Position }> {
    const model = await this.#store.live(REFERENCE);
    const after = await model?.checkpoint();
    if (model === undefined || after === undefined) return { ids: [] };
    const ids: number[] = [];
    for await (const tenantId of tenantsOf(model)) ids.push(tenantId);
    return { ids, after };
  }

  /** Whether a key that is not revoked allows pages of this origin. */
  async knowsOrigin(origin: string): Promise<boolean> {
    const model = await liveModel(this.#store, REFERENCE);
    const [found] = await model.list(ORIGINS, { prefix: `${origin}/`, limit: 1 });
    return found !== undefined;
  }

  /** The storefront products of these ids that are known, in the order of the ids. */
  async storefrontProducts(
    tenantId: number,
    ids: readonly number[],
  ): Promise<readonly Reference.StorefrontProduct[]> {
    if (ids.length === 0) return [];
    const { model, products } = await this.#moment();
    const keys = ids.map((id) => `storefront/${tenantId}/storefront_product-${tenantId}-${id}`);
    const known = keys.map((key) => products.get(key));
    if (!known.includes(undefined)) return known as readonly Reference.StorefrontProduct[];
    const unknown = keys.filter((_, index) => known[index] === undefined);
    const read = new Map<string, Reference.StorefrontProduct>();
    const bodies = await model.get(THINGS, unknown);
    for (const [index, key] of unknown.entries()) {
      const body = bodies[index];
      if (body === undefined) continue;
      const thing = reference.decode(body).state;
      if (!('product' in thing)) continue;
      const { product: value } = thing;
      read.set(key, keep(products, { key, value, characters: body.length }));
    }
    return keys.flatMap((key, index) => known[index] ?? read.get(key) ?? []);
  }

  /** The revision is asked for first: what is read after it may be newer, and is then read again. */
  async #moment(): Promise<Moment> {
    return this.#momentOf(await liveModel(this.#store, REFERENCE));
  }

  async #momentOf(model: Build): Promise<Moment> {
    const revision = await model.revision();
    const kept = this.#kept;
    if (kept?.model === model && kept.revision === revision) return kept;
    const moment: Moment = {
      model,
      revision,
      names: new LRUCache({ maxSize: MAX_KEPT_CHARACTERS.names }),
      keys: new LRUCache({ maxSize: MAX_KEPT_CHARACTERS.keys }),
      products: new LRUCache({ maxSize: MAX_KEPT_CHARACTERS.products }),
    };
    this.#kept = moment;
    return moment;
  }
}

type Kept<Key extends string | number, Value extends object> = LRUCache<Key, Value>;

interface Read<Key, Value> {
  readonly key: Key;
  readonly value: Value;
  /** Of the documents that it was read from. */
  readonly characters: number;
}

function keep<Key extends string | number, Value extends object>(
  kept: Kept<Key, Value>,
  { key, value, characters }: Read<Key, Value>,
): Value {
  kept.set(key, value, { size: Math.min(KEPT_CHARACTERS + characters, MOST_COUNTED) });
  return value;
}

/** The merchant accounts of all tenants. Throws `not-ready` before the read model is made. */
export async function* merchantAccountsOf(
  store: ReadModelStore,
): AsyncGenerator<MerchantAccount.MerchantAccount & { readonly tenantId: number }> {
  const model = await liveModel(store, REFERENCE);
  for await (const tenantId of tenantsOf(model)) {
    const prefix = `named/${tenantId}/merchant_account-`;
    let after = '';
    for (let more = true; more; ) {
      const page = await model.list(THINGS, { prefix, after, limit: LIST_PAGE });
      for (const { body } of page) {
        const thing = reference.decode(body);
        if (thing.kind === 'merchant-account') yield { ...thing.state, tenantId };
      }
      after = page.at(-1)?.key ?? after;
      more = page.length === LIST_PAGE;
    }
  }
}

/** Every tenant that has defined anything, in the order of the keys. */
async function* tenantsOf(model: Build): AsyncGenerator<number> {
  let after = '';
  for (;;) {
    const [next] = await model.list(THINGS, { prefix: 'named/', after, limit: 1 });
    if (next === undefined) return;
    const tenantId = Number(next.key.split('/')[1]);
    yield tenantId;
    // Later than every key of the tenant: their characters are below it.
    after = `named/${tenantId}/~`;
  }
}

async function loadNames(
  model: Build,
  tenantId: number,
): Promise<{ names: ReferenceNames; characters: number }> {
  const things = new Map<string, Reference.Definition>();
  const accounts = new Map<number, KnownAccount>();
  let tenant: Tenant.Tenant | undefined;
  let characters = 0;
  const prefix = `named/${tenantId}/`;
  let after: string | undefined;
  do {
    const page = await model.list(THINGS, {
      prefix,
      limit: LIST_PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const { body } of page) {
      characters += body.length;
      const thing = reference.decode(body);
      if (thing.kind === 'tenant') tenant = thing.state;
      else if (thing.kind === 'merchant-account') {
        const { state, capLimited } = thing;
        accounts.set(state.merchantAccountId, { ...state, capLimited });
      } else {
        const { state } = thing;
        things.set(thingId(state.type, idOf(state)), state);
      }
    }
    after = page.length < LIST_PAGE ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
  return { names: new ReferenceNames(things, accounts, tenant), characters };
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
