/** A merchant account as callers see it: the settings with masked secrets, names, and the rest of it. */
import type { MerchantAccount, TenantId } from '@counterfoil/core';
import type { ReferenceNames } from '@counterfoil/projections';
import { CredentialVault } from './credential-vault.ts';

type Settings = MerchantAccount.Settings;

/** The field names are those of the contract. */
export interface MerchantAccountView extends Settings {
  readonly id: number;
  readonly parentCompanyId: number;
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
  /** Since when the monthly cap keeps live payments out; null while it does not. */
  readonly capLimited: string | null;
  readonly company: string;
  readonly parentCompany: string;
  /** Empty where the ledger was opened without the gateway. */
  readonly gateway: string;
  /** Nothing defines the names of these ids: always empty. */
  readonly vertical: '';
  readonly brand: '';
  readonly chargebackMitigationProvider: '';
  readonly processorPortalAccess: '';
}

/** The settings as they may be sent back. */
export function shownSettings(settings: Settings): Settings {
  const currencies = settings.currencies.map(({ currency, gatewayCredentials }) => ({
    currency,
    gatewayCredentials: CredentialVault.masked(gatewayCredentials),
  }));
  return { ...settings, currencies };
}

export interface ViewContext {
  readonly tenantId: TenantId;
  readonly names: ReferenceNames;
  readonly gatewayNames: ReadonlyMap<number, string>;
  readonly capLimited: string | null;
}

export function viewOf(
  { merchantAccountId, settings, rowVersion }: MerchantAccount.MerchantAccount,
  { tenantId, names, gatewayNames, capLimited }: ViewContext,
): MerchantAccountView {
  return {
    id: merchantAccountId,
    parentCompanyId: tenantId,
    parentCompany: names.parentCompany,
    company: names.company(settings.companyId),
    gateway: gatewayNames.get(settings.gatewayId) ?? '',
    vertical: '',
    brand: '',
    chargebackMitigationProvider: '',
    processorPortalAccess: '',
    capLimited,
    rowVersion,
    ...shownSettings(settings),
  };
}
