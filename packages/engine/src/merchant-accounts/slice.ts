/** Merchant accounts: their settings and credentials. */
import type { GatewayParts } from '../gateways/slice.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import { AccountReads } from './account-reads.ts';
import { CredentialVault } from './credential-vault.ts';
import { MerchantAccounts } from './merchant-accounts.ts';
import {
  MERCHANT_ACCOUNT_CALLS,
  MERCHANT_ACCOUNT_INPUTS,
  TenantMerchantAccounts,
} from './tenant-merchant-accounts.ts';

export type MerchantAccountParts = PartsOf<typeof MERCHANT_ACCOUNTS>;

export const MERCHANT_ACCOUNTS = slice({
  scopes: {
    'merchant-accounts:read': 'Read and list merchant accounts',
    'merchant-accounts:write': 'Open and change merchant accounts',
  },
  make(parts: Base & TenantParts & GatewayParts) {
    const credentials = new CredentialVault(parts.stores.masterKey);
    return {
      credentials,
      merchantAccounts: new MerchantAccounts({ ...parts, vault: credentials }),
      accountReads: new AccountReads(parts),
    };
  },
  tenant: (parts) => ({
    merchantAccounts: tenantPart(
      MERCHANT_ACCOUNT_INPUTS,
      (acting) => new TenantMerchantAccounts(parts, acting),
      MERCHANT_ACCOUNT_CALLS,
    ),
  }),
});
