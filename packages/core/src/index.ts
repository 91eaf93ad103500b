/** The face of `@counterfoil/core`: the ledger's domain, its events, and the port of the log. */
export {
  catalog,
  decodeEvent,
  decodeRecord,
  type EncodedData,
  type Event,
  encodeEvent,
  isSealedEvent,
  openerOf,
  type Rejection,
  type Sealing,
  sealerOf,
  subjectsOf,
} from './catalog.ts';
export * as BlackList from './domain/black-list.ts';
export * as BlackListKinds from './domain/black-list-kinds.ts';
export * as CheckoutSession from './domain/checkout-session.ts';
export * as Customer from './domain/customer.ts';
export * as CustomerIdClaim from './domain/customer-id-claim.ts';
export * as Descriptor from './domain/descriptor.ts';
export * as Dispute from './domain/dispute.ts';
export * as DisputeEvidence from './domain/dispute-evidence.ts';
export * as DisputeProvider from './domain/dispute-provider.ts';
export * as Email from './domain/email.ts';
export * as EmailClaim from './domain/email-claim.ts';
export * as Lead from './domain/lead.ts';
export * as MailProfile from './domain/mail-profile.ts';
export * as MerchantAccount from './domain/merchant-account.ts';
export * as MonthlyCap from './domain/monthly-cap.ts';
export * as Reference from './domain/reference.ts';
export * as Routing from './domain/routing.ts';
export * as SavedSearches from './domain/saved-searches.ts';
export * as SenderDomains from './domain/sender-domains.ts';
export * as Sequence from './domain/sequence.ts';
export * as Settlement from './domain/settlement.ts';
export * as Subscription from './domain/subscription/index.ts';
export * as Tenant from './domain/tenant.ts';
export * as Transaction from './domain/transaction/index.ts';
export * as Users from './domain/users.ts';
export * as WebhookEndpoints from './domain/webhook-endpoints.ts';
export * from './event-store.ts';
export {
  type CheckedSubscription,
  checkedAppend,
  checkedAppends,
  checkedRead,
  checkedStream,
  checkedSubscription,
} from './event-store-calls.ts';
export {
  type Accepted,
  type CommandContext,
  type Execution,
  type Executor,
  execute,
  executeTogether,
  type Loaded,
  load,
  loadRecords,
  MAX_DECISIONS,
  type Recorded,
  type StateCache,
  type Step,
} from './execute.ts';
export {
  type Aggregate,
  type AnyCommand,
  type CommandOf,
  type Decision,
  type EventOf,
  fold,
  never,
  type RejectionOf,
  type StateOf,
  type Tagged,
} from './kernel/aggregate.ts';
export { type Currency, currencyCodes, currencyOf } from './kernel/currency.ts';
export {
  domainOfEmail,
  emailIdentity,
  isEmail,
  MAX_EMAIL_LENGTH,
  mailDomain,
  withAsciiDomain,
} from './kernel/email.ts';
export type {
  EncodedEvent,
  EventMetadata,
  RecordedEvent,
  StoredEvent,
} from './kernel/envelope.ts';
export {
  DamagedEvent,
  type EventSchema,
  type EventSchemas,
  type EventsOf,
  event,
  Instant,
  Minor,
  type Upcast,
} from './kernel/event-schema.ts';
export { canonicalJson, fingerprint, fingerprintOf } from './kernel/fingerprint.ts';
export {
  CommandId,
  categoryOf,
  eventIdOf,
  type Position,
  type StreamName,
  streamName,
  TenantId,
  TransactionId,
} from './kernel/ids.ts';
export { mergePatch } from './kernel/merge-patch.ts';
export * from './kernel/money.ts';
export {
  type AnyVault,
  type DistantVault,
  isDistant,
  type PersonalDataVault,
  type Subject,
} from './kernel/personal-data.ts';
export {
  ACCOUNTS,
  type Account,
  type JournalEntry,
  type JournalLine,
  journal,
  MONEY_EVENTS,
} from './ledger/journal.ts';
export { createMemoryEventStore } from './memory-event-store.ts';
export * as Policies from './policies.ts';
