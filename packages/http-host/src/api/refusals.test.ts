/** Every domain rejection becomes a documented error with an explanation. */
import type { TransactionId } from '@counterfoil/core';
import { type Refusal, type RefusalCode, refused } from '@counterfoil/engine';
import { describe, expect, it } from 'vitest';
import { ERRORS, isTransient } from '../http/errors.ts';
import { REFUSALS, wireRefusal } from './refusals.ts';
import { API } from './slices.ts';

const ID = '0195a000-0000-7000-8000-000000000001' as TransactionId;
const AT = '2026-01-01T00:00:00.000Z';
const gbp = { currency: 'GBP' } as const;

/** One of each: the table does not compile while a rejection is missing. */
const REJECTIONS: { readonly [Code in RefusalCode]: Refusal & { type: Code } } = {
  SenderUnauthorized: { type: 'SenderUnauthorized' },
  MailKeyConflict: { type: 'MailKeyConflict', emailId: ID },
  MailInvalid: { type: 'MailInvalid', faults: [{ path: 'to', detail: 'is required' }] },
  MailUnknown: { type: 'MailUnknown' },
  MailNotResendable: { type: 'MailNotResendable', reason: 'not-kept' },
  SuppressionUnknown: { type: 'SuppressionUnknown' },
  SmtpPasswordRequired: { type: 'SmtpPasswordRequired' },
  TransactionUnknown: { type: 'TransactionUnknown' },
  TransactionExists: { type: 'TransactionExists' },
  UnknownCurrency: { type: 'UnknownCurrency', currency: 'XXQ' },
  AmountNotPositive: { type: 'AmountNotPositive', amountMinor: 0n, ...gbp },
  WrongStatus: { type: 'WrongStatus', status: 'Voided', command: 'RequestCapture' },
  AttemptUnknown: { type: 'AttemptUnknown', attempt: 3 },
  RequestUnderWay: { type: 'RequestUnderWay', request: 'capture' },
  RequestFailedBefore: { type: 'RequestFailedBefore', request: 'void' },
  RequestUnknown: { type: 'RequestUnknown', request: 'capture' },
  CaptureExceedsAuthorization: {
    type: 'CaptureExceedsAuthorization',
    requestedMinor: 1_234n,
    authorizedMinor: 1_000n,
    ...gbp,
  },
  VoidAfterRefund: { type: 'VoidAfterRefund' },
  SettlementDiffers: { type: 'SettlementDiffers', difference: { type: 'missing' }, id: null },
  SettlementUnknown: { type: 'SettlementUnknown' },
  ReleaseExceedsReserve: {
    type: 'ReleaseExceedsReserve',
    requestedMinor: 2n,
    heldMinor: 1n,
    ...gbp,
  },
  RefundExists: { type: 'RefundExists', refundId: ID },
  NotRefundable: { type: 'NotRefundable', status: 'Declined' },
  RefundBlockedByChargeback: { type: 'RefundBlockedByChargeback' },
  RefundWindowClosed: { type: 'RefundWindowClosed', refundWindowDays: 180 },
  NothingLeftToRefund: { type: 'NothingLeftToRefund' },
  RefundExceedsRemaining: {
    type: 'RefundExceedsRemaining',
    requestedMinor: 1_234n,
    remainingMinor: 1_000n,
    ...gbp,
  },
  RefundItemsNotAllowed: { type: 'RefundItemsNotAllowed' },
  RefundItemsRequired: { type: 'RefundItemsRequired' },
  RefundItemUnknown: { type: 'RefundItemUnknown', storefrontVariantId: 77 },
  RefundQuantityExceeded: {
    type: 'RefundQuantityExceeded',
    storefrontVariantId: 77,
    requested: 3,
    remaining: 2,
  },
  RefundItemExceedsLine: {
    type: 'RefundItemExceedsLine',
    storefrontVariantId: 77,
    requestedMinor: 1_234n,
    remainingMinor: 1_000n,
    ...gbp,
  },
  RefundAdjustmentExceedsOrder: {
    type: 'RefundAdjustmentExceedsOrder',
    requestedMinor: 1_234n,
    remainingMinor: 1_000n,
    ...gbp,
  },
  RefundItemsIncomplete: {
    type: 'RefundItemsIncomplete',
    itemsMinor: 1_234n,
    amountMinor: 1_000n,
    ...gbp,
  },
  RefundUnknown: { type: 'RefundUnknown', refundId: ID },
  ChargebackUnknown: { type: 'ChargebackUnknown', chargebackId: ID },
  AlertUnknown: { type: 'AlertUnknown', alertId: ID },
  ChildExists: { type: 'ChildExists', id: ID },
  TenantUnknown: { type: 'TenantUnknown' },
  TenantExists: { type: 'TenantExists', name: 'Acme' },
  KeyUnknown: { type: 'KeyUnknown', keyId: ID },
  KeyExists: { type: 'KeyExists', keyId: ID },
  KeyNotActive: { type: 'KeyNotActive', keyId: ID },
  ExpiryInThePast: { type: 'ExpiryInThePast', expiresAt: '2001-01-01T00:00:00.000Z' },
  OverlapOutOfRange: { type: 'OverlapOutOfRange', overlapDays: 8, max: 7 },
  BlackListEntryUnknown: { type: 'BlackListEntryUnknown' },
  BlackListEntryExists: { type: 'BlackListEntryExists', entryId: ID },
  BlackListValueInvalid: { type: 'BlackListValueInvalid', kind: 'email' },
  ValueOrTransaction: { type: 'ValueOrTransaction' },
  PayerValueUnknown: { type: 'PayerValueUnknown', kind: 'ip' },
  CheckoutSessionUnknown: { type: 'CheckoutSessionUnknown' },
  CheckoutSessionExists: { type: 'CheckoutSessionExists' },
  CheckoutExpiryOutOfRange: { type: 'CheckoutExpiryOutOfRange', minMinutes: 5, maxMinutes: 60 },
  CheckoutSessionNotOpen: { type: 'CheckoutSessionNotOpen', status: 'expired' },
  CheckoutTryUnderWay: { type: 'CheckoutTryUnderWay' },
  CheckoutTriesUsedUp: { type: 'CheckoutTriesUsedUp', max: 10 },
  LeadKeyNeedsApplication: { type: 'LeadKeyNeedsApplication' },
  LeadKeyUnknown: { type: 'LeadKeyUnknown', leadKeyId: ID },
  SignInRefused: { type: 'SignInRefused' },
  SecondFactorRequired: { type: 'SecondFactorRequired' },
  LinkUnknown: { type: 'LinkUnknown' },
  PasswordTooWeak: { type: 'PasswordTooWeak', min: 12, max: 256 },
  SavedSearchUnknown: { type: 'SavedSearchUnknown' },
  SavedSearchExists: { type: 'SavedSearchExists', searchId: ID },
  TooManySavedSearches: { type: 'TooManySavedSearches', max: 50 },
  SearchOfOnePerson: { type: 'SearchOfOnePerson', filters: ['emails'] },
  SenderDomainUnknown: { type: 'SenderDomainUnknown' },
  SenderDomainExists: { type: 'SenderDomainExists', domainId: ID },
  SenderDomainInvalid: { type: 'SenderDomainInvalid', domain: 'shop' },
  TooManySenderDomains: { type: 'TooManySenderDomains', max: 500 },
  DkimIncomplete: { type: 'DkimIncomplete', missing: 'dkimSelector' },
  DkimKeyInvalid: { type: 'DkimKeyInvalid' },
  WebhookEndpointUnknown: { type: 'WebhookEndpointUnknown' },
  WebhookDeliveryUnknown: { type: 'WebhookDeliveryUnknown' },
  WebhookEndpointDisabled: { type: 'WebhookEndpointDisabled' },
  WebhookSourceExists: { type: 'WebhookSourceExists', endpointId: ID },
  TooManyWebhookEndpoints: { type: 'TooManyWebhookEndpoints', max: 200 },
  WebhookUrlRefused: { type: 'WebhookUrlRefused', reason: 'address' },
  UserUnknown: { type: 'UserUnknown' },
  UserExists: { type: 'UserExists', userId: ID },
  TooManyUsers: { type: 'TooManyUsers', max: 5_000 },
  LastOwner: { type: 'LastOwner' },
  RoleUnknown: { type: 'RoleUnknown', roleId: 'night' },
  RoleNotDefined: { type: 'RoleNotDefined', roleId: 'night' },
  RoleNameTaken: { type: 'RoleNameTaken', roleId: 'owner' },
  RoleBuiltIn: { type: 'RoleBuiltIn', roleId: 'owner' },
  RoleInUse: { type: 'RoleInUse', roleId: 'night' },
  TooManyRoles: { type: 'TooManyRoles', max: 200 },
  DefinitionExists: { type: 'DefinitionExists' },
  DefinitionUnknown: { type: 'DefinitionUnknown' },
  ActiveOwnerRequired: { type: 'ActiveOwnerRequired' },
  RetriesNotAscending: { type: 'RetriesNotAscending', retryAfterDays: [3, 1] },
  SubscriptionUnknown: { type: 'SubscriptionUnknown' },
  SubscriptionExists: { type: 'SubscriptionExists' },
  RebillAmountNotPositive: { type: 'RebillAmountNotPositive', amountMinor: 0n },
  SubscriptionInactive: { type: 'SubscriptionInactive', unsubscribedAt: AT },
  SubscriptionIsFrozen: { type: 'SubscriptionIsFrozen', frozenAt: AT },
  RebillNotDue: { type: 'RebillNotDue', rebillAt: AT },
  RebillOutOfOrder: {
    type: 'RebillOutOfOrder',
    cycle: 4,
    attempt: 1,
    nextCycle: 3,
    nextAttempt: 2,
  },
  RebillUnknown: { type: 'RebillUnknown', transactionId: ID },
  CustomerUnknown: { type: 'CustomerUnknown' },
  CustomerExists: { type: 'CustomerExists' },
  CustomerErased: { type: 'CustomerErased' },
  TooManyEmails: { type: 'TooManyEmails', max: 100 },
  PaymentMethodUnknown: { type: 'PaymentMethodUnknown', paymentMethodId: ID },
  PaymentMethodExists: { type: 'PaymentMethodExists', paymentMethodId: ID },
  TooManyPaymentMethods: { type: 'TooManyPaymentMethods', max: 20 },
  ErasureNotRequested: { type: 'ErasureNotRequested' },
  MerchantAccountUnknown: { type: 'MerchantAccountUnknown' },
  MerchantAccountExists: { type: 'MerchantAccountExists' },
  StaleRowVersion: { type: 'StaleRowVersion', rowVersion: 3, current: 4 },
  CurrencyRepeated: { type: 'CurrencyRepeated', ...gbp },
  CredentialMasked: { type: 'CredentialMasked', ...gbp, field: 'apiKey' },
  DefaultCurrencyNotHeld: { type: 'DefaultCurrencyNotHeld', ...gbp },
  FeeTooFine: { type: 'FeeTooFine', field: 'chargebackFee', ...gbp },
  ReservedApplicationId: { type: 'ReservedApplicationId', applicationId: 9 },
  OverMonthlyCap: {
    type: 'OverMonthlyCap',
    capMinor: 1_234n,
    usedMinor: 1_200n,
    reservedMinor: 34n,
  },
  BlockSizeOutOfRange: { type: 'BlockSizeOutOfRange', size: 0, max: 1_000 },
  SequenceExhausted: { type: 'SequenceExhausted', sequence: 'order' },
  IdempotencyKeyReused: { type: 'IdempotencyKeyReused' },
  InputInvalid: {
    type: 'InputInvalid',
    faults: [{ path: 'plans/0/name', detail: 'is not known' }],
  },
  ReferenceUnknown: { type: 'ReferenceUnknown', references: [{ field: 'shopId', id: 3 }] },
  CompanyRequired: { type: 'CompanyRequired' },
  CustomerMismatch: { type: 'CustomerMismatch', customerId: 5 },
  EmailTaken: { type: 'EmailTaken' },
  EmailInvalid: { type: 'EmailInvalid' },
  NotAPayment: { type: 'NotAPayment', paymentId: ID },
  LiveDataForbidden: { type: 'LiveDataForbidden' },
  MonthsOutOfRange: {
    type: 'MonthsOutOfRange',
    from: '2026-02',
    to: '2026-01',
    months: 0,
    max: 120,
  },
  DaysOutOfRange: {
    type: 'DaysOutOfRange',
    from: '2026-02-01',
    to: '2026-01-31',
    days: 0,
    max: 14,
  },
  CardOrToken: { type: 'CardOrToken' },
  CardInvalid: { type: 'CardInvalid', faults: [{ field: 'cvv', detail: 'must be 3 digits' }] },
  AmountInvalid: { type: 'AmountInvalid', field: 'amount', ...gbp, reason: 'AmountTooLarge' },
  AmountTooFine: { type: 'AmountTooFine', field: 'amount', ...gbp, decimals: 2 },
  TokenUnknown: { type: 'TokenUnknown' },
  AmountNotTaken: { type: 'AmountNotTaken', amountMinor: 5_124n, currency: 'KWD' },
  NoMerchantAccount: {
    type: 'NoMerchantAccount',
    skipped: [{ merchantAccountId: 1, reason: 'currency-not-held' }],
  },
  DisputeUnmatched: { type: 'DisputeUnmatched' },
  TooMuchEvidence: { type: 'TooMuchEvidence', max: 20 },
  EvidenceTooLarge: { type: 'EvidenceTooLarge', max: 1 },
  EvidenceTypeUnknown: { type: 'EvidenceTypeUnknown' },
  EvidenceUnknown: { type: 'EvidenceUnknown', digest: 'ab' },
  EvidenceMissing: { type: 'EvidenceMissing' },
  DisputeUnknown: { type: 'DisputeUnknown' },
  DisputeDiffers: { type: 'DisputeDiffers', field: 'amount' },
  DisputeMatchedBefore: { type: 'DisputeMatchedBefore', transactionId: ID },
  PageOutOfReach: { type: 'PageOutOfReach' },
  SearchTooBroad: { type: 'SearchTooBroad' },
  ClockCannotGoBack: { type: 'ClockCannotGoBack', now: AT },
  ClockMoveTooLong: { type: 'ClockMoveTooLong', now: AT, maxYears: 10 },
  ClockBeyondEnd: { type: 'ClockBeyondEnd', end: AT },
  ConcurrentUpdate: { type: 'ConcurrentUpdate' },
  StreamBusy: { type: 'StreamBusy' },
  PaymentBusy: { type: 'PaymentBusy' },
  LedgerClosed: { type: 'LedgerClosed', begun: false },
  SignInDelayed: { type: 'SignInDelayed', retryAt: AT },
  ReadModelsBehind: { type: 'ReadModelsBehind' },
  ReadModelsBuilding: { type: 'ReadModelsBuilding' },
  LogUnavailable: { type: 'LogUnavailable' },
  DatabaseUnavailable: { type: 'DatabaseUnavailable' },
  LogReadOnly: { type: 'LogReadOnly' },
  SharedDatabaseUnavailable: { type: 'SharedDatabaseUnavailable' },
  GatewayFailed: { type: 'GatewayFailed', gatewayId: 9 },
  CredentialsRefused: { type: 'CredentialsRefused', gatewayId: 9, merchantAccountId: 3 },
  GatewayBusy: { type: 'GatewayBusy', gatewayId: 9 },
  GatewayUnknown: { type: 'GatewayUnknown', gatewayId: 9 },
  ClockHeldUp: { type: 'ClockHeldUp', reason: 'The host is stopping', now: AT },
};

describe('a refusal of the engine', () => {
  const all = Object.values(REJECTIONS) as Refusal[];

  it.each(all)('$type has a documented code', (rejection) => {
    const refusal = wireRefusal(rejection);
    const code = REFUSALS[rejection.type].code;
    expect(refusal.code).toBe(code);
    expect(refusal.status).toBe(ERRORS[code].status);
    // A sentence, not the name of a type, with every fact filled in.
    expect(refusal.message).toMatch(/^\S+ .*[^.]$/);
    expect(refusal.message).not.toMatch(/undefined|null|NaN|\[object|1234/);
  });

  it('stands in the table of one slice', () => {
    const codes = API.flatMap(({ refusals }) => Object.keys(refusals));
    expect(codes).toEqual([...new Set(codes)]);
  });

  it('shows amounts as callers write them', () => {
    expect(wireRefusal(REJECTIONS.RefundExceedsRemaining).message).toBe(
      '12.34 GBP is more than the 10.00 GBP that can still be refunded',
    );
  });

  it('is the fault of the host only where no caller could do otherwise', () => {
    const failures = all.filter((rejection) => wireRefusal(rejection).status === 500);
    expect(failures.map(({ type }) => type)).toEqual([
      'ErasureNotRequested',
      'BlockSizeOutOfRange',
      'SequenceExhausted',
    ]);
  });

  it('may be accepted later where the interface says so, and only there', () => {
    const later = all.filter((each) => refused(each).isTransient).map(({ type }) => type);
    const saidSo = all.filter((each) => isTransient(wireRefusal(each).code));
    expect(later).toEqual(saidSo.map(({ type }) => type));
  });
});
