/** What callers are answered when tenants and definitions are refused. */
import type { UnknownReference } from '@counterfoil/engine';
import { rows } from './slice.ts';

export const TENANT_REFUSALS = rows({
  TenantUnknown: { code: 'not_found' },
  TenantExists: { code: 'duplicate' },
  MerchantAccountUnknown: { code: 'not_found' },
  MerchantAccountExists: { code: 'duplicate' },
  CurrencyRepeated: {
    code: 'invalid_request',
    errors: ({ currency }) => [{ pointer: '/currencies', detail: `holds ${currency} twice` }],
  },
  CredentialMasked: {
    code: 'invalid_request',
    text: ({ currency, field }) =>
      `${field} of ${currency} is masked, and no secret is kept that it could mean`,
  },
  DefaultCurrencyNotHeld: {
    code: 'invalid_request',
    text: ({ currency }) => `currencies does not hold the default currency ${currency}`,
  },
  FeeTooFine: {
    code: 'amount_precision',
    text: ({ field, currency }) => `${field} has more decimals than ${currency}`,
  },
  ReservedApplicationId: {
    code: 'invalid_request',
    text: ({ applicationId }) =>
      `An application of your own has an id from 100 on, not ${applicationId}`,
  },
  ReferenceUnknown: {
    code: 'reference_unknown',
    errors: ({ references }) =>
      references.map((each) => ({ pointer: `/${each.field}`, detail: textOfReference(each) })),
  },
  CompanyRequired: {
    code: 'reference_unknown',
    errors: () => [{ pointer: '/companyId', detail: 'Name one of your companies' }],
  },
});

function textOfReference({ field, id, companyId }: UnknownReference): string {
  const unknown = `There is no ${field} ${id}`;
  return companyId === undefined ? unknown : `${unknown} of company ${companyId}`;
}
