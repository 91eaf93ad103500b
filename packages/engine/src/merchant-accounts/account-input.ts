/** What callers may set of a merchant account: the names of the contract, with types and bounds. */
import { Descriptor, MerchantAccount, Sequence } from '@counterfoil/core';
import { z } from 'zod';
import { notACardNumber } from '../input/card-number-search.ts';
import { bounded, CurrencyCode, Id, keyed, name, pattern, text } from '../input/texts.ts';

const MAX_TEXT_LENGTH = 500;
const MAX_NOTES_LENGTH = 10_000;
/** The largest amount that a JSON number represents exactly in every currency. */
const MAX_AMOUNT = 9_999_999_999_999;
const MAX_FEE = 1_000_000;
const MAX_CURRENCIES = 200;
/** The terms of a payment keep as many. */
const PERCENT_DECIMALS = 6;

const line = text(MAX_TEXT_LENGTH).optional();
/** Identifiers of banks and networks: some pass for card numbers. */
const identifier = notACardNumber(text(MAX_TEXT_LENGTH)).optional();
const lines = pattern(/^([^\p{Cc}\p{Cs}]|[\n\r\t])*$/u, {
  max: MAX_NOTES_LENGTH,
  detail: 'must not contain control characters',
}).optional();
const switched = z.boolean().optional();
const reference = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .optional();
const fee = z.number().min(0).max(MAX_FEE).optional();
const percentage = z
  .number()
  .min(0)
  .max(100)
  .refine((given) => Number(given.toFixed(PERCENT_DECIMALS)) === given, {
    message: `must have at most ${PERCENT_DECIMALS} decimals`,
  })
  .optional();
const prefix = text(Descriptor.MAX_LENGTH).optional();

/** Masked, as it is shown, it means the secret that is there; empty or absent, none. */
const secret = notACardNumber(bounded(MerchantAccount.MAX_SECRET_LENGTH)).default('');

export const GatewayCredentials = z.strictObject({
  apiKey: secret,
  username: secret,
  password: secret,
  emailAddress: secret,
});

const HeldCurrency = z.strictObject({
  currency: CurrencyCode,
  gatewayCredentials: GatewayCredentials.prefault({}),
});

/** What must be given. */
export const requiredFields = {
  mid: notACardNumber(name(64)),
  title: name(200),
  companyId: Id,
  gatewayId: Id,
  descriptor: name(Descriptor.MAX_LENGTH),
  defaultCurrency: CurrencyCode,
  currencies: z.array(HeldCurrency).min(1).max(MAX_CURRENCIES),
};

/** What is empty, zero, false or without limit unless it is given; both networks are enabled. */
export const optionalFields = {
  mcc: pattern(/^(\d{4})?$/, { max: 4, detail: 'must be four digits' }).optional(),
  agent: line,
  acquiringBank: line,
  acquirerBINNetworkA: line,
  acquirerBINNetworkB: line,
  psp: line,
  routingNumber: identifier,
  accountNumber: identifier,
  shorthandSuffix: line,
  dynamicDescriptorEnabled: switched,
  dynamicDescriptorFormat: z.int().min(0).max(Descriptor.LAST_FORMAT).optional(),
  dynamicDescriptorPrefix: prefix,
  dynamicDescriptorPrefix_NetworkB: prefix,
  notes: lines,
  caid: identifier,
  chargebackMitigationNotes: lines,
  merchantDefinedField1: line,
  merchantDefinedField2: line,
  merchantDefinedField3: line,
  customField1: line,
  customField2: line,
  customField3: line,
  enabledNetworkA: switched,
  enabledNetworkB: switched,
  allowPremiumProgram: switched,
  fullyLive: switched,
  allowRetriesFromOtherMids: switched,
  allowInsufficientFundsRetries: switched,
  forceAllowRefunds: switched,
  verticalId: reference,
  brandId: reference,
  chargebackMitigationProviderId: reference,
  processorPortalAccessId: reference,
  midOwnerId: reference,
  maxPrice: z.number().positive().max(MAX_AMOUNT).nullable().optional(),
  monthlyCap: z.number().min(0).max(MAX_AMOUNT).optional(),
  reservePercentage: percentage,
  discountRatePercentage: percentage,
  gatewayTransactionFee: fee,
  chargebackFee: fee,
  rdrFee: fee,
  alertProviderFee: fee,
  cdrnFee: fee,
  bankAuthFee: fee,
  bankDeclineFee: fee,
  bankAVSFee: fee,
  customFee: fee,
  customFeeApprovedOnly: fee,
};

export const AccountInput = z.strictObject({ ...requiredFields, ...optionalFields });
export type AccountInput = z.input<typeof AccountInput>;
export type GivenAccount = z.output<typeof AccountInput>;

export const Opening = AccountInput.extend(keyed);
export type Opening = z.input<typeof Opening>;

/** `rowVersion` is that of the account as the caller read it. */
export const Replacement = AccountInput.extend({ rowVersion: z.int().positive() });
export type Replacement = z.input<typeof Replacement>;

/** A JSON merge patch (RFC 7396): what it makes of the account is checked as a whole. */
export const Amendment = z.strictObject({
  ...keyed,
  patch: notACardNumber(z.record(z.string(), z.unknown())),
  /** Absent: whatever the version is. */
  rowVersion: z.int().positive().optional(),
});
export type Amendment = z.input<typeof Amendment>;

export const Batch = z.strictObject({
  ...keyed,
  /** Each is checked by itself. */
  lines: notACardNumber(z.array(z.unknown()).min(1).max(Sequence.MAX_BLOCK_SIZE).readonly()),
  /** Opens nothing where a line is refused. Default: false. */
  atomic: z.boolean().optional(),
  onProgress: z.custom<(done: number, total: number) => void>().optional(),
});
export type Batch = z.input<typeof Batch>;

export const MAX_LISTED = 100;

export const Listing = z.strictObject({
  companyId: Id.optional(),
  gatewayId: Id.optional(),
  currency: CurrencyCode.optional(),
  limit: z.int().min(1).max(MAX_LISTED).optional(),
  /** The id of the last account of the page before. */
  after: z.int().min(0).optional(),
});
export type Listing = z.input<typeof Listing>;
