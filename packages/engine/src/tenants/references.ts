/** Checks the ids that a payment refers to, and finds their accounts and settings. */
import { MerchantAccount, Reference, Tenant, type TenantId, Transaction } from '@counterfoil/core';
import type { ReferenceNames } from '@counterfoil/projections';
import { LRUCache } from 'lru-cache';
import type { CommandRunner } from '../command-runner.ts';
import { refused } from '../refusal.ts';
import type { UnknownReference } from './refusals.ts';

/** Lists across streams, from a read model. */
export interface AccountIndex {
  /** Ids of a company's merchant accounts, oldest first. */
  merchantAccountIdsOf(tenantId: TenantId, companyId: number): Promise<readonly number[]>;
  /** Ids of a tenant's companies. */
  companyIdsOf(tenantId: TenantId): Promise<readonly number[]>;
  /** The names of a tenant's reference data. Reads the tenant's own writes. */
  namesOf(tenantId: TenantId): Promise<ReferenceNames>;
}

const REMEMBERED_DEFINITIONS = 50_000;

type Definition = Parameters<typeof Reference.streamOf>[0];

/** The ids that a payment may carry. */
interface NamedIds {
  readonly companyId: number | null;
  readonly shopId: number | null;
  readonly campaignId: number | null;
  readonly affiliateId: number | null;
  readonly productId: number | null;
  readonly pricePointId: number | null;
}

const DEFINED_BY = {
  companyId: 'DefineCompany',
  shopId: 'DefineShop',
  campaignId: 'DefineCampaign',
  affiliateId: 'DefineAffiliate',
  productId: 'DefineProduct',
  pricePointId: 'DefinePricePoint',
} as const satisfies Record<keyof NamedIds, Definition['type']>;

const NAMES = Object.keys(DEFINED_BY) as (keyof NamedIds)[];

export class References {
  readonly #commands: CommandRunner;
  readonly #index: AccountIndex;
  /** Definitions are never deleted, so entries never expire. */
  readonly #defined = new LRUCache<string, true>({
    // `max` would allocate for all of them at once.
    maxSize: REMEMBERED_DEFINITIONS,
    sizeCalculation: () => 1,
  });

  constructor(commands: CommandRunner, index: AccountIndex) {
    this.#commands = commands;
    this.#index = index;
  }

  /** The names of a tenant's reference data. Reads the tenant's own writes. */
  names(tenantId: TenantId): Promise<ReferenceNames> {
    return this.#index.namesOf(tenantId);
  }

  /** Refuses with `ReferenceUnknown`, listing every undefined id and a shop of another company. */
  async check(tenantId: TenantId, ids: Partial<NamedIds>): Promise<void> {
    const asked = NAMES.filter((name) => !this.#isDefined(tenantId, name, ids[name] ?? null));
    const found = await Promise.all(asked.map((name) => this.#faultOf(tenantId, name, ids)));
    const references = found.filter((each) => each !== undefined);
    if (references.length > 0) throw refused({ type: 'ReferenceUnknown', references });
  }

  /** As far as that is known without reading; no id is as good as one that is defined. */
  #isDefined(tenantId: TenantId, name: keyof NamedIds, id: number | null): boolean {
    if (id === null) return true;
    // A shop can move to another company, so its definition is read each time.
    return name !== 'shopId' && this.#defined.has(keyOf(tenantId, name, id));
  }

  async #faultOf(
    tenantId: TenantId,
    name: keyof NamedIds,
    ids: Partial<NamedIds>,
  ): Promise<UnknownReference | undefined> {
    const id = ids[name] ?? 0;
    const defined = await this.definitionOf({ type: DEFINED_BY[name], tenantId, [name]: id });
    if (defined === null) return { field: name, id };
    const { companyId } = ids;
    if (defined.type === 'ShopDefined' && defined.companyId !== companyId) {
      return { field: name, id, ...(companyId != null && { companyId }) };
    }
    this.#defined.set(keyOf(tenantId, name, id), true);
    return undefined;
  }

  /** What is defined under a type, tenant and id, which are all that `streamOf` uses; null without one. */
  async definitionOf(named: Record<string, unknown>): Promise<Reference.State> {
    const stream = Reference.streamOf(named as unknown as Definition);
    return this.#commands.stateOf(Reference, stream);
  }

  /** The kind (1 to 5) of an application: built in, or the tenant's own. */
  async applicationKindOf(tenantId: TenantId, applicationId: number): Promise<number> {
    if (applicationId < Transaction.FIRST_OWN_APPLICATION_ID) {
      if (applicationId >= 1 && applicationId <= 5) return applicationId;
    } else {
      const defined = await this.definitionOf({
        type: 'DefineApplication',
        tenantId,
        applicationId,
      });
      if (defined?.type === 'ApplicationDefined') return defined.kind;
    }
    const unknown = { field: 'applicationId', id: applicationId };
    throw refused({ type: 'ReferenceUnknown', references: [unknown] });
  }

  /** The default company of a payment: that of its shop, or the tenant's only one. */
  async companyOf(tenantId: TenantId, shopId: number | null): Promise<number> {
    if (shopId !== null) {
      const shop = await this.definitionOf({ type: 'DefineShop', tenantId, shopId });
      if (shop?.type === 'ShopDefined') return shop.companyId;
    }
    const companies = await this.#index.companyIdsOf(tenantId);
    const [only] = companies;
    if (only !== undefined && companies.length === 1) return only;
    throw refused({ type: 'CompanyRequired' });
  }

  /** Empty without one. */
  async shopName(tenantId: TenantId, shopId: number | null): Promise<string> {
    if (shopId === null) return '';
    const shop = await this.definitionOf({ type: 'DefineShop', tenantId, shopId });
    return shop?.type === 'ShopDefined' ? shop.name : '';
  }

  /** Empty without one. */
  async productName(tenantId: TenantId, productId: number | null): Promise<string> {
    if (productId === null) return '';
    const product = await this.definitionOf({ type: 'DefineProduct', tenantId, productId });
    return product?.type === 'ProductDefined' ? product.name : '';
  }

  /** The company's name, else the tenant's. */
  async companyNameOf(tenantId: TenantId, companyId: number): Promise<string> {
    const company = await this.definitionOf({ type: 'DefineCompany', tenantId, companyId });
    if (company?.type === 'CompanyDefined') return company.name;
    return (await this.#tenant(tenantId))?.name ?? '';
  }

  async merchantAccount(
    tenantId: TenantId,
    merchantAccountId: number,
  ): Promise<MerchantAccount.MerchantAccount | null> {
    const stream = MerchantAccount.streamOf({ tenantId, merchantAccountId });
    return this.#commands.stateOf(MerchantAccount, stream);
  }

  async merchantAccountsOf(
    tenantId: TenantId,
    companyId: number,
  ): Promise<readonly MerchantAccount.MerchantAccount[]> {
    const ids = await this.#index.merchantAccountIdsOf(tenantId, companyId);
    const accounts = await Promise.all(ids.map((id) => this.merchantAccount(tenantId, id)));
    return accounts.filter((account) => account !== null);
  }

  async settingsOf(tenantId: TenantId): Promise<Tenant.Settings> {
    const tenant = await this.#tenant(tenantId);
    return tenant?.settings ?? Tenant.DEFAULT_SETTINGS;
  }

  /** Days in which chargebacks are to be answered, by `cardBrandId`. */
  async answerDaysOf(tenantId: TenantId): Promise<readonly number[]> {
    return Tenant.answerDaysIn(await this.settingsOf(tenantId));
  }

  #tenant(tenantId: TenantId): Promise<Tenant.State> {
    return this.#commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
  }

  /** The current settings that decide whether a payment on this account may be refunded. */
  async refundPolicyOf(
    tenantId: TenantId,
    merchantAccountId: number | undefined,
  ): Promise<Transaction.RefundPolicy> {
    const account =
      merchantAccountId === undefined
        ? null
        : await this.merchantAccount(tenantId, merchantAccountId);
    const { refundWindowDays } = await this.settingsOf(tenantId);
    return { refundWindowDays, forceAllowRefunds: account?.settings.forceAllowRefunds ?? false };
  }
}

function keyOf(tenantId: TenantId, name: keyof NamedIds, id: number): string {
  return `${tenantId}/${name}/${id}`;
}
