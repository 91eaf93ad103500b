/** One row of the transactions search: what is stored of it, how it is found, and how it is shown. */
import { emailIdentity, Transaction, toMajor } from '@counterfoil/core';
import { z } from 'zod';
import type { FieldKind, FieldValue, Place, Walk } from '../read-model-store.ts';
import { hash64 } from '../stores/hash64.ts';
import { instant } from './instant.ts';
import { keyOf } from './live-model.ts';
import { packed } from './packed.ts';
import type { ReferenceNames } from './reference-names.ts';

const id = z.int();
const optionalId = z.int().nullable();
const text = z.string();

/** What a record keeps. Names are not in it: they are looked up when it is shown. */
const Stored = z.strictObject({
  tenantId: id,
  transactionId: text,
  originalTransactionId: text.nullable(),
  sandbox: z.boolean(),
  orderId: id,
  customerId: id,
  sentMs: z.number(),
  completedMs: z.number().nullable(),
  /** The last refund, chargeback or alert, or what became of it; null without any since it was sent. */
  changedMs: z.number().nullable(),
  email: text,
  firstName: text,
  lastName: text,
  statusId: id,
  currency: text,
  /** Exact in JSON up to the largest amount that is taken. */
  amountMinor: z.number(),
  /** What was asked of the card, of a payment alone: `amountMinor` is what was taken, once that is known. */
  askedMinor: z.number().nullable(),
  applicationId: id,
  kind: id,
  originalApplicationId: id,
  companyId: id,
  shopId: optionalId,
  campaignId: optionalId,
  affiliateId: optionalId,
  productId: optionalId,
  subscriptionId: optionalId,
  paymentNumber: id,
  attempt: id,
  merchantAccountId: optionalId,
  gateway: text,
  mid: text,
  midName: text,
  descriptor: text,
  authCode: text,
  gatewayTransactionId: text,
  arn: text,
  bin: text,
  last4: text,
  binCountry: text,
  ipCountry: text,
  refunded: z.boolean(),
  /** Refundable as far as the payment itself goes; the refund window is judged when it is shown. */
  mayRefund: z.boolean(),
  capturedMs: z.number().nullable(),
  hasAlert: z.boolean(),
  chargedBack: z.boolean(),
  refundSourceId: id,
  alertTypeId: id,
  alertSourceId: id,
});
export type StoredRecord = z.output<typeof Stored>;

export const storedRecord = packed(
  Stored,
  // biome-ignore format: the list of the fields, twice
  ([
    tenantId, transactionId, originalTransactionId, sandbox, orderId, customerId, sentMs,
    completedMs, changedMs, email, firstName, lastName, statusId, currency, amountMinor,
    askedMinor, applicationId, kind, originalApplicationId, companyId, shopId, campaignId,
    affiliateId, productId, subscriptionId, paymentNumber, attempt, merchantAccountId, gateway,
    mid, midName, descriptor, authCode, gatewayTransactionId, arn, bin, last4, binCountry,
    ipCountry, refunded, mayRefund, capturedMs, hasAlert, chargedBack, refundSourceId,
    alertTypeId, alertSourceId,
  ]) => ({
    tenantId, transactionId, originalTransactionId, sandbox, orderId, customerId, sentMs,
    completedMs, changedMs, email, firstName, lastName, statusId, currency, amountMinor,
    askedMinor, applicationId, kind, originalApplicationId, companyId, shopId, campaignId,
    affiliateId, productId, subscriptionId, paymentNumber, attempt, merchantAccountId, gateway,
    mid, midName, descriptor, authCode, gatewayTransactionId, arn, bin, last4, binCountry,
    ipCountry, refunded, mayRefund, capturedMs, hasAlert, chargedBack, refundSourceId,
    alertTypeId, alertSourceId,
  }),
);

/** The search transaction record of the contract. Empty: '' and 0; dates that are not known: null. */
export interface SearchRecord {
  readonly gateway: string;
  readonly transactionId: string;
  readonly orderId: number;
  readonly sent: string;
  readonly email: string;
  readonly sandbox: boolean;
  readonly application: string;
  readonly applicationId: number;
  readonly status: string;
  readonly statusId: number;
  readonly success: boolean;
  readonly completed: string | null;
  readonly currency: string;
  readonly amount: number;
  readonly mid: string;
  readonly descriptor: string;
  readonly customerId: number;
  readonly authCode: string;
  readonly gatewayTransactionId: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly bin: string;
  readonly last4: string;
  readonly refunded: boolean;
  readonly refundable: boolean;
  readonly hasAlert: boolean;
  readonly chargedBack: boolean;
  readonly originalTransactionId: string;
  readonly application2: string;
  readonly applicationId2: number;
  readonly shopId: number;
  readonly storeName: string;
  readonly storeDomain: string;
  readonly storeRootDomain: string;
  readonly originalApplication: string;
  readonly originalApplicationId: number;
  readonly merchantAccountId: number;
  readonly midName: string;
  readonly companyId: number;
  readonly company: string;
  readonly parentCompanyId: number;
  readonly subId: number;
  readonly alertSource: string;
  readonly alertSourceId: number;
  readonly alertType: string;
  readonly alertTypeId: number;
  readonly refundSource: string;
  readonly refundSourceId: number;
  readonly binCountry: string;
  readonly ipCountry: string;
  readonly submitOrderId: number;
  readonly campaign: string;
  readonly campaignId: number;
  readonly affiliate: string;
  readonly affiliateId: number;
  readonly product: string;
  readonly productId: number;
  readonly paymentNumber: number;
  readonly attempt: number;
}

/** The fields by which records are found. */
export const RECORD_FIELDS = {
  email: 'text',
  orderId: 'integer',
  customerId: 'integer',
  gatewayTransactionId: 'text',
  bin6: 'integer',
  bin8: 'integer',
  last4: 'integer',
  firstName: 'text',
  lastName: 'text',
  authCode: 'text',
  currency: 'text',
  descriptor: 'text',
  applicationId: 'integer',
  productId: 'integer',
  campaignId: 'integer',
  merchantAccountId: 'integer',
  mid: 'text',
  companyId: 'integer',
  subscriptionId: 'integer',
  affiliateId: 'integer',
  amount: 'text',
  askedAmount: 'text',
  arn: 'text',
  kind: 'stored',
  changedMs: 'range',
} as const satisfies Record<string, FieldKind>;
export type RecordField = keyof typeof RECORD_FIELDS;

/** Each of a pair can be broad where both together are one customer, one card or one sale. */
export const RECORD_COMPANIONS: Readonly<Record<string, readonly RecordField[]>> = {
  firstName: ['lastName'],
  lastName: ['firstName'],
  bin6: ['last4'],
  last4: ['bin6'],
  amount: ['mid'],
  mid: ['amount'],
};

/** Live and sandbox records of a tenant never meet. */
export function partitionOf(tenantId: number, sandbox: boolean): string {
  return `${tenantId}/${sandbox ? 'sandbox' : 'live'}`;
}

/** One writing for texts that are compared without regard to case. */
export function folded(value: string): string {
  return value.toLowerCase();
}

/** What a record is found by, each by itself: a check of one field is not to cost that of all. */
const FOUND_BY: Readonly<Record<RecordField, (record: StoredRecord) => FieldValue | null>> = {
  email: ({ email }) => orNull(emailIdentity(email)),
  orderId: ({ orderId }) => orderId,
  customerId: ({ customerId }) => customerId,
  gatewayTransactionId: ({ gatewayTransactionId }) => orNull(gatewayTransactionId),
  bin6: ({ bin }) => (bin.length >= 6 ? Number(bin.slice(0, 6)) : null),
  bin8: ({ bin }) => (bin.length === 8 ? Number(bin) : null),
  last4: ({ last4 }) => (last4 === '' ? null : Number(last4)),
  firstName: ({ firstName }) => orNull(folded(firstName)),
  lastName: ({ lastName }) => orNull(folded(lastName)),
  authCode: ({ authCode }) => orNull(authCode),
  currency: ({ currency }) => currency,
  descriptor: ({ descriptor }) => orNull(folded(descriptor)),
  applicationId: ({ applicationId }) => applicationId,
  productId: ({ productId }) => productId,
  campaignId: ({ campaignId }) => campaignId,
  merchantAccountId: ({ merchantAccountId }) => merchantAccountId,
  mid: ({ mid }) => orNull(mid),
  companyId: ({ companyId }) => companyId,
  subscriptionId: ({ subscriptionId }) => subscriptionId,
  affiliateId: ({ affiliateId }) => affiliateId,
  amount: (record) => String(amountOf(record)),
  askedAmount: ({ askedMinor, currency }) =>
    askedMinor === null ? null : String(toMajor(BigInt(askedMinor), currency)),
  arn: ({ arn }) => orNull(arn),
  kind: ({ kind }) => kind,
  changedMs: ({ changedMs }) => changedMs,
};

export function placeOf(record: StoredRecord): Place {
  // Written out: an object that grows field by field costs several times as much.
  const fields: Record<RecordField, FieldValue | null> = {
    email: FOUND_BY.email(record),
    orderId: FOUND_BY.orderId(record),
    customerId: FOUND_BY.customerId(record),
    gatewayTransactionId: FOUND_BY.gatewayTransactionId(record),
    bin6: FOUND_BY.bin6(record),
    bin8: FOUND_BY.bin8(record),
    last4: FOUND_BY.last4(record),
    firstName: FOUND_BY.firstName(record),
    lastName: FOUND_BY.lastName(record),
    authCode: FOUND_BY.authCode(record),
    currency: FOUND_BY.currency(record),
    descriptor: FOUND_BY.descriptor(record),
    applicationId: FOUND_BY.applicationId(record),
    productId: FOUND_BY.productId(record),
    campaignId: FOUND_BY.campaignId(record),
    merchantAccountId: FOUND_BY.merchantAccountId(record),
    mid: FOUND_BY.mid(record),
    companyId: FOUND_BY.companyId(record),
    subscriptionId: FOUND_BY.subscriptionId(record),
    affiliateId: FOUND_BY.affiliateId(record),
    amount: FOUND_BY.amount(record),
    askedAmount: FOUND_BY.askedAmount(record),
    arn: FOUND_BY.arn(record),
    kind: FOUND_BY.kind(record),
    changedMs: FOUND_BY.changedMs(record),
  };
  return { partition: partitionOf(record.tenantId, record.sandbox), sort: record.sentMs, fields };
}

function orNull(value: string): string | null {
  return value === '' ? null : value;
}

/** Whether a record matches a walk, checked on the record itself and not on the index entry. */
export function isAskedFor(record: StoredRecord, walk: Omit<Walk, 'limit'>): boolean {
  const { from, to, orRange } = walk;
  const isWithin = (value: FieldValue | null, low?: number, high?: number) =>
    typeof value === 'number' && value >= (low ?? value) && value <= (high ?? value);
  return (
    partitionOf(record.tenantId, record.sandbox) === walk.partition &&
    (isWithin(record.sentMs, from, to) ||
      (orRange !== undefined &&
        isWithin(fieldOf(record, orRange.field), orRange.from, orRange.to))) &&
    walk.where.every(({ field, anyOf }) => {
      const value = fieldOf(record, field);
      return value !== null && (anyOf.includes(value) || isTwin(value, anyOf));
    })
  );
}

function fieldOf(record: StoredRecord, field: string): FieldValue | null {
  if (field === 'key') return keyOf(record.tenantId, record.transactionId);
  return FOUND_BY[field as RecordField](record);
}

/** Stores may keep hashes of texts: two texts of one hash are found together, as rare as that is. */
function isTwin(value: FieldValue, anyOf: readonly FieldValue[]): boolean {
  return (
    typeof value === 'string' &&
    anyOf.some((other) => typeof other === 'string' && hash64(other) === hash64(value))
  );
}

function amountOf({ amountMinor, currency }: StoredRecord): number {
  return toMajor(BigInt(amountMinor), currency);
}

/** What flags need besides the record: the tenant's refund window, and the time they are asked at. */
export function renderRecord(
  record: StoredRecord,
  names: ReferenceNames,
  nowMs: number,
): SearchRecord {
  const status = statusName(record.statusId);
  const shop = names.shop(record.shopId);
  // Only an ecommerce order has a storefront to name.
  const isEcommerce = kindOfOrigin(record, names) === Transaction.APPLICATION_KIND.Ecommerce;
  const original = record.originalTransactionId;
  return {
    gateway: record.gateway,
    transactionId: record.transactionId,
    orderId: record.orderId,
    sent: instant(record.sentMs),
    email: record.email,
    sandbox: record.sandbox,
    application: names.application(record.applicationId),
    applicationId: record.applicationId,
    status,
    statusId: record.statusId,
    success: record.kind === Transaction.APPLICATION_KIND.Void || Transaction.succeeded(status),
    completed: record.completedMs === null ? null : instant(record.completedMs),
    currency: record.currency,
    amount: amountOf(record),
    mid: record.mid,
    descriptor: record.descriptor,
    customerId: record.customerId,
    authCode: record.authCode,
    gatewayTransactionId: record.gatewayTransactionId,
    firstName: record.firstName,
    lastName: record.lastName,
    bin: record.bin,
    last4: record.last4,
    refunded: record.refunded,
    refundable: isRefundableNow(record, names, nowMs),
    hasAlert: record.hasAlert,
    chargedBack: record.chargedBack,
    originalTransactionId: original ?? '',
    application2: names.kind(record.kind),
    applicationId2: record.kind,
    shopId: record.shopId ?? 0,
    storeName: shop.name,
    storeDomain: isEcommerce ? shop.domain : '',
    storeRootDomain: isEcommerce ? shop.rootDomain : '',
    originalApplication: original === null ? '' : names.application(record.originalApplicationId),
    originalApplicationId: record.originalApplicationId,
    merchantAccountId: record.merchantAccountId ?? 0,
    midName: record.midName,
    companyId: record.companyId,
    company: names.company(record.companyId),
    parentCompanyId: record.tenantId,
    subId: record.subscriptionId ?? 0,
    alertSource: nameIn(Transaction.ALERT_SOURCE, record.alertSourceId),
    alertSourceId: record.alertSourceId,
    alertType: nameIn(Transaction.ALERT_TYPE, record.alertTypeId),
    alertTypeId: record.alertTypeId,
    refundSource: nameIn(Transaction.REFUND_SOURCE, record.refundSourceId),
    refundSourceId: record.refundSourceId,
    binCountry: record.binCountry,
    ipCountry: record.ipCountry,
    submitOrderId: record.orderId,
    campaign: names.campaign(record.campaignId),
    campaignId: record.campaignId ?? 0,
    affiliate: names.affiliate(record.affiliateId),
    affiliateId: record.affiliateId ?? 0,
    product: names.product(record.productId),
    productId: record.productId ?? 0,
    paymentNumber: record.paymentNumber,
    attempt: record.attempt,
  };
}

function kindOfOrigin(record: StoredRecord, names: ReferenceNames): number {
  return record.originalTransactionId === null
    ? record.kind
    : names.kindOf(record.originalApplicationId);
}

function isRefundableNow(record: StoredRecord, names: ReferenceNames, nowMs: number): boolean {
  if (!record.mayRefund || record.capturedMs === null) return false;
  const policy = names.refundPolicy(record.merchantAccountId);
  return Transaction.isWithinRefundWindow(record.capturedMs, policy, nowMs);
}

function statusName(statusId: number): Transaction.Status {
  const status = Transaction.statusOfId(statusId);
  if (status === undefined) throw new RangeError(`no status has the id ${statusId}`);
  return status;
}

type ClosedList = Readonly<Record<string, number>>;

/** The names of the contract's closed lists by their ids, as far as they were asked for. */
const namesOf = new Map<ClosedList, ReadonlyMap<number, string>>();

/** The name of an id in one of the contract's closed lists; 0 is `None` there. */
export function nameIn(list: ClosedList, wanted: number): string {
  let names = namesOf.get(list);
  if (names === undefined) {
    names = new Map(Object.entries(list).map(([name, id]) => [id, name]));
    namesOf.set(list, names);
  }
  return names.get(wanted) ?? '';
}
