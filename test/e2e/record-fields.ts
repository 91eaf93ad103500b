/** The fields of the contract's records with their types, and a check of a record against them. */
import { expect } from 'vitest';
import type { Json } from './running-host.ts';

type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'time' | 'time?' | 'string?' | 'array';
export type Fields = Readonly<Record<string, Kind>>;

function fields(kinds: Partial<Record<Kind, string>>): Fields {
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, kind as Kind]),
    ),
  );
}

export const TRANSACTION = fields({
  string: `gateway messageID email application billingCode data status currency pricePoint product
    campaign storeName storeDomain storeRootDomain midName mid company parentCompany bin sessionId
    name originalApplication storeCurrency alertSourceName alertTypeName refundSourceName
    serviceSession partnerSession cardBrand`,
  integer: `orderId applicationID customerID shortcodeID statusID premium pricePointID productID
    campaignID shopId merchantAccountId companyId parentCompanyId last4 attempt paymentNumber
    totalAttempt refundSource alertType alertSource originalApplicationId blackListing cardBrandId`,
  number: 'priceVal',
  boolean: 'success refundable refunded hasAlert chargedBack authOnly walletPayA walletPayB',
  time: 'sent',
  'time?': 'completed',
  'string?': 'originalMessageId',
  array: 'childTransactions',
});

export const SEARCH_RECORD = fields({
  string: `gateway transactionId email status mid descriptor authCode gatewayTransactionId firstName
    lastName bin last4 originalTransactionId application application2 storeName storeDomain
    storeRootDomain originalApplication midName company alertSource alertType refundSource
    binCountry ipCountry campaign affiliate product currency`,
  integer: `orderId applicationId statusId customerId applicationId2 shopId originalApplicationId
    merchantAccountId companyId parentCompanyId subId refundSourceId alertTypeId alertSourceId
    submitOrderId campaignId affiliateId productId paymentNumber attempt`,
  boolean: 'sandbox success refunded refundable hasAlert chargedBack',
  time: 'sent',
  'time?': 'completed',
  number: 'amount',
});

export const ADDRESS = fields({
  string: `addressType email messageId firstName lastName address city postalCode state countryCode
    phone`,
  integer: 'orderId',
});

export const SUBSCRIPTION = fields({
  integer: 'parentCompanyId companyId id customerID orderId',
  number: 'rebillAmount frequency merchantAccountId',
  string: 'company subscription subscriptionDescription midName mid',
  boolean: 'active frozen',
  time: 'subDate realStartDate',
  'time?': 'unsubDate rebillDate',
});

export const SESSION = fields({
  string: 'id ip useragent url ipCity ipCountryCode',
  time: 'timestamp',
});

export const LINE_ITEM = fields({
  integer: `Quantity StorefrontVariantId StorefrontProductId ShopId CurrencyId DiscountCodeId
    SalesStrategyId`,
  number: 'UnitPrice UnitCost DiscountAmount CustomDiscountAmount',
  string: 'MessageId',
});

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  'string?': (value) => value === null || typeof value === 'string',
  integer: Number.isSafeInteger,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  time: (value) => typeof value === 'string' && ISO_8601.test(value),
  'time?': (value) => value === null || IS.time(value),
  array: Array.isArray,
};

/** Fails with the names of the fields that are missing or of another type. */
export function expectFields(record: Json, wanted: Fields): void {
  const wrong = Object.entries(wanted)
    .filter(([name, kind]) => !Object.hasOwn(record, name) || !IS[kind](record[name]))
    .map(([name, kind]) => `${name} should be ${kind} and is ${JSON.stringify(record[name])}`);
  expect(wrong).toEqual([]);
}
