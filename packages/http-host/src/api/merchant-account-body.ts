/** Merchant accounts as Admin shows and takes them. */
import { MerchantAccount } from '@counterfoil/core';
import { GatewayCredentials, optionalFields, requiredFields } from '@counterfoil/engine';
import { z } from 'zod';
import { adminAccess, ignored, patchOf, RowVersion, sameId } from './collections.ts';
import { CurrencyCode } from './wire.ts';

export const MERCHANT_ACCOUNTS_PATH = '/api/admin/merchantaccounts';
export const MERCHANT_ACCOUNT_READ = adminAccess('merchant-accounts:read');
export const MERCHANT_ACCOUNT_WRITE = adminAccess('merchant-accounts:write');

const rowVersion = RowVersion.optional();

const Masked = z
  .object({
    apiKey: z.string(),
    username: z.string(),
    password: z.string(),
    emailAddress: z.string(),
  })
  .meta({
    id: 'MaskedCredentials',
    description: 'Of a secret that is kept only asterisks are shown; empty where there is none',
  });

const HeldCurrency = z
  .object({ currency: z.string(), gatewayCredentials: Masked })
  .meta({ id: 'MerchantAccountCurrency' });

const label = {
  description:
    'The label of the account; a payment shows as `midName` what it was when the account was tried',
};
const held = {
  description: 'The currencies that it takes, each with the credentials for the gateway',
};
const nameless = z.string().meta({ description: 'Empty: nothing names these ids' });

/** What is shown, and cannot be set. */
const shownFields = {
  parentCompanyId: z.int(),
  parentCompany: z.string(),
  company: z.string(),
  gateway: z
    .string()
    .meta({ description: 'The name of the gateway; empty where the host lacks it' }),
  vertical: nameless,
  brand: nameless,
  chargebackMitigationProvider: nameless,
  processorPortalAccess: nameless,
  capLimited: z.iso.datetime().nullable().meta({
    description:
      'Since when live payments find no room under `monthlyCap`; null while they do, and from the first of the next month',
  }),
};

export const MerchantAccountBody = z
  .object({
    id: z.int().meta({ description: 'The merchant account id' }),
    rowVersion: z
      .int()
      .meta({ description: 'Grows with every change of the account; also the ETag', example: 1 }),
    ...MerchantAccount.Settings.shape,
    title: z.string().meta(label),
    currencies: z.array(HeldCurrency).meta(held),
    ...shownFields,
  })
  .meta({ id: 'MerchantAccount' });

export const ChangedMerchantAccount = z
  .object({
    success: z.boolean(),
    message: z.string().meta({ description: 'What was done' }),
    returnVal: MerchantAccountBody,
  })
  .meta({ id: 'MerchantAccountResult' });

const shownNames = Object.keys(shownFields) as (keyof typeof shownFields)[];

/** Members of the answer that may be sent back. The tenant is compared before. */
const readOnlyFields = {
  id: sameId,
  ...ignored(...shownNames),
};

/** Members that a line of a file may have, and that are ignored. */
export const READ_ONLY_NAMES: ReadonlySet<string> = new Set([
  'rowVersion',
  ...Object.keys(readOnlyFields),
]);

const CredentialsInput = GatewayCredentials.meta({
  id: 'GatewayCredentials',
  description:
    'Kept encrypted, and never shown. A masked secret, as it is shown, means the one that is kept; an empty or absent one removes it.',
});

const currencies = z
  .array(
    z
      .object({ currency: CurrencyCode, gatewayCredentials: CredentialsInput.optional() })
      .meta({ id: 'MerchantAccountCurrencyInput' }),
  )
  .min(1)
  .max(200)
  .meta(held);

const writableFields = {
  ...requiredFields,
  title: requiredFields.title.meta(label),
  currencies,
  ...optionalFields,
};

export const MerchantAccountInput = z
  .object({ ...writableFields, ...readOnlyFields, ...ignored('rowVersion') })
  .meta({ id: 'MerchantAccountInput' });

export const MerchantAccountReplacement = z
  .object({ ...writableFields, ...readOnlyFields, rowVersion })
  .meta({ id: 'MerchantAccountReplacement' });

const patchedSecret = GatewayCredentials.shape.apiKey.unwrap().optional();
const CredentialsPatch = z
  .object({
    apiKey: patchedSecret,
    username: patchedSecret,
    password: patchedSecret,
    emailAddress: patchedSecret,
  })
  .meta({
    id: 'GatewayCredentialsPatch',
    description:
      'Kept encrypted, and never shown. An absent secret stays; an empty one is removed.',
  });
const patchedCurrencies = z
  .array(
    z
      .object({ currency: CurrencyCode, gatewayCredentials: CredentialsPatch.optional() })
      .meta({ id: 'MerchantAccountCurrencyPatch' }),
  )
  .min(1)
  .max(200)
  .meta(held);

export const MerchantAccountPatch = z
  .object({
    ...patchOf({ ...writableFields, currencies: patchedCurrencies }),
    ...readOnlyFields,
    rowVersion: z.nullish(RowVersion),
  })
  .meta({
    id: 'MerchantAccountPatch',
    description:
      'A JSON merge patch (RFC 7396): null resets an optional field to its default; `currencies` is replaced as a whole, but for secrets that it does not name',
  });

type Writable = Pick<z.output<typeof MerchantAccountInput>, keyof typeof writableFields>;

/** The members that can be set. */
export function writableOf<Body extends object>(
  body: Body,
): Pick<Body, keyof Body & keyof Writable> {
  const entries = Object.entries(body).filter(
    ([name, value]) => name in writableFields && value !== undefined,
  );
  return Object.fromEntries(entries) as Pick<Body, keyof Body & keyof Writable>;
}
