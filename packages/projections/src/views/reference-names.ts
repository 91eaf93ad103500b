/** The names and settings of one tenant, as records show them. */
import { type MerchantAccount, type Reference, Tenant, Transaction } from '@counterfoil/core';

/** The thing as it was last defined. */
export type Defined<Type extends Reference.Event['type']> = Extract<
  Reference.Definition,
  { type: Type }
>;

export interface Shop {
  readonly name: string;
  readonly domain: string;
  readonly rootDomain: string;
  readonly currency: string;
}

export interface KnownAccount extends MerchantAccount.MerchantAccount {
  /** When a live payment last found no room under the monthly cap; once a month. */
  readonly capLimited: string | null;
}

const NO_SHOP: Shop = { name: '', domain: '', rootDomain: '', currency: '' };

/** Everything small that a tenant has defined. What is not known is shown as ''. */
export class ReferenceNames {
  readonly #things: ReadonlyMap<string, Reference.Definition>;
  readonly #accounts: ReadonlyMap<number, KnownAccount>;
  /** The same by type and id, as far as types were asked for: a text made for each look-up costs more than it. */
  readonly #ofType = new Map<string, ReadonlyMap<number, Reference.Definition>>();
  /** By company, as far as they were asked for: routing asks for each payment. */
  readonly #accountsOf = new Map<number, readonly KnownAccount[]>();
  readonly tenant: Tenant.Tenant | undefined;

  constructor(
    things: ReadonlyMap<string, Reference.Definition>,
    accounts: ReadonlyMap<number, KnownAccount>,
    tenant: Tenant.Tenant | undefined,
  ) {
    this.#things = things;
    this.#accounts = accounts;
    this.tenant = tenant;
  }

  /** The tenant's own name. */
  get parentCompany(): string {
    return this.tenant?.name ?? '';
  }

  /** The built-in kinds have names of their own. */
  application(id: number): string {
    if (id < Transaction.FIRST_OWN_APPLICATION_ID) return this.kind(id);
    return this.#named('ApplicationDefined', id)?.name ?? '';
  }

  kind(id: number): string {
    return Transaction.APPLICATION_KIND_NAME[id] ?? '';
  }

  /** The kind of an application; 0 when it is not known. */
  kindOf(applicationId: number): number {
    if (applicationId < Transaction.FIRST_OWN_APPLICATION_ID) return applicationId;
    return this.#named('ApplicationDefined', applicationId)?.kind ?? 0;
  }

  company(id: number): string {
    return this.#named('CompanyDefined', id)?.name ?? '';
  }

  shop(id: number | null): Shop {
    return this.#named('ShopDefined', id) ?? NO_SHOP;
  }

  product(id: number | null): string {
    return this.#named('ProductDefined', id)?.name ?? '';
  }

  campaign(id: number | null): string {
    return this.#named('CampaignDefined', id)?.name ?? '';
  }

  affiliate(id: number | null): string {
    return this.#named('AffiliateDefined', id)?.name ?? '';
  }

  pricePoint(id: number | null): Defined<'PricePointDefined'> | undefined {
    return this.#named('PricePointDefined', id);
  }

  merchantAccount(id: number): KnownAccount | undefined {
    return this.#accounts.get(id);
  }

  /** In ascending order of their ids. */
  merchantAccounts(companyId?: number): readonly KnownAccount[] {
    if (companyId === undefined) return inOrder([...this.#accounts.values()]);
    const known = this.#accountsOf.get(companyId);
    if (known !== undefined) return known;
    const all = [...this.#accounts.values()];
    const found = inOrder(all.filter(({ settings }) => settings.companyId === companyId));
    // A company without accounts may be one that a caller invented.
    if (found.length > 0) this.#accountsOf.set(companyId, found);
    return found;
  }

  /** The defined things of one type, in no particular order. */
  all<Type extends Reference.Event['type']>(type: Type): readonly Defined<Type>[] {
    return [...this.#byId(type).values()] as Defined<Type>[];
  }

  refundPolicy(merchantAccountId: number | null): Transaction.RefundPolicy {
    const account = merchantAccountId === null ? undefined : this.#accounts.get(merchantAccountId);
    const { refundWindowDays } = this.tenant?.settings ?? Tenant.DEFAULT_SETTINGS;
    return {
      refundWindowDays,
      forceAllowRefunds: account?.settings.forceAllowRefunds ?? false,
    };
  }

  #named<Type extends Reference.Event['type']>(
    type: Type,
    id: number | null,
  ): Defined<Type> | undefined {
    return this.#byId(type).get(id ?? 0) as Defined<Type> | undefined;
  }

  #byId(type: Reference.Event['type']): ReadonlyMap<number, Reference.Definition> {
    let known = this.#ofType.get(type);
    if (known === undefined) {
      known = thingsOf(type, this.#things);
      this.#ofType.set(type, known);
    }
    return known;
  }
}

function inOrder(accounts: readonly KnownAccount[]): readonly KnownAccount[] {
  return accounts.toSorted((a, b) => a.merchantAccountId - b.merchantAccountId);
}

function thingsOf(
  type: string,
  things: ReadonlyMap<string, Reference.Definition>,
): ReadonlyMap<number, Reference.Definition> {
  const prefix = `${type}/`;
  const found = new Map<number, Reference.Definition>();
  for (const [id, thing] of things) {
    if (id.startsWith(prefix)) found.set(Number(id.slice(prefix.length)), thing);
  }
  return found;
}

export function thingId(type: string, id: number): string {
  return `${type}/${id}`;
}
