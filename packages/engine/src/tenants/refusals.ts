/** What tenants and their definitions are refused with, beside the rejections of the core. */

/** A reference of a request to something that is defined for the tenant. */
export interface UnknownReference {
  readonly field: string;
  readonly id: number;
  /** Where the reference exists, but belongs to another company than this one. */
  readonly companyId?: number;
}

export type TenantRefusal =
  | { readonly type: 'ReferenceUnknown'; readonly references: readonly UnknownReference[] }
  /** The tenant has several companies, and nothing says which of them is meant. */
  | { readonly type: 'CompanyRequired' }
  /** Known users alone may act, and none of them is an owner who is active. */
  | { readonly type: 'ActiveOwnerRequired' };
