/** The face of `@counterfoil/engine`: `openLedger`, and the parts that hosts and tools are made of. */

export { releaseMemory } from '@counterfoil/event-stores/sqlite';
export {
  defineProjection,
  type ListRows,
  type OwnProjection,
  type PersonalRows,
  type ProjectableRecord,
  type ProjectableType,
  type ProjectionDefinition,
  type View,
} from '@counterfoil/projections';
export type { Acting } from './acting.ts';
export { type Activity, subjectText } from './activity/activity.ts';
export type { ActivityLog } from './activity/activity-log.ts';
export { type ActivityRecord, OUTCOMES } from './activity/tenant-activity.ts';
export type { CheckoutSessionInput } from './checkout-sessions/checkout-session-input.ts';
export type {
  CardEntry,
  CheckoutSessionView,
} from './checkout-sessions/tenant-checkout-sessions.ts';
export { type Caller, CommandRunner, SYSTEM } from './command-runner.ts';
export { counted } from './counted.ts';
export type { CustomersPage, CustomerView } from './customers/tenant-customers.ts';
export { deriveKey } from './derive-key.ts';
export type { Disputes } from './disputes/disputes.ts';
export { refusalOf, StorageError } from './failures.ts';
export { ACTION_URL as SANDBOX_ACTION_URL } from './gateways/sandbox/references.ts';
export { keyParts } from './idempotency-key.ts';
export { deterministicUuid, uuidV7 } from './ids.ts';
export { keyedHash } from './keyed-hash.ts';
export type { WrittenLead } from './leads/tenant-leads.ts';
export type { LedgerOptions, Storage } from './ledger-options.ts';
export {
  createLogger,
  LOG_LEVELS,
  type Logger,
  type LogLevel,
  type PinoLogger,
  silentLogger,
} from './logger.ts';
export type { MailResponses } from './mail/mail-responses.ts';
export type { MailViewer, ViewedMail } from './mail/mail-viewer.ts';
export type { MailView } from './mail/tenant-mails.ts';
export {
  GatewayCredentials,
  MAX_LISTED,
  optionalFields,
  requiredFields,
} from './merchant-accounts/account-input.ts';
export type { MerchantAccountView } from './merchant-accounts/account-view.ts';
export type { BatchLine } from './merchant-accounts/batch.ts';
export type { LabelledGauges, MetricsRegistry } from './metrics-registry.ts';
export { type Engine, openEngine } from './open-engine.ts';
export { type Ledger, openLedger } from './open-ledger.ts';
export type { PaymentSubmission, RefundSubmission } from './payments/payment-input.ts';
export type { Payments } from './payments/payments.ts';
export type { FollowedUpView, PaymentView, RefundView } from './payments/tenant-payments.ts';
export type { CustomerKeys, CustomerVault, KeyState } from './personal-keys/customer-keys.ts';
export { findUnreadable, giveUp } from './personal-keys/lost-keys.ts';
export {
  openKeysAsTheyAre,
  openKeysToRead,
  openPersonalKeys,
} from './personal-keys/open-personal-keys.ts';
export { PersonalKeyTable } from './personal-keys/personal-key-table.ts';
export {
  type InputFault,
  type Refusal,
  type RefusalCode,
  Refused,
  refused,
} from './refusal.ts';
export { type RunningWorker, runWorker } from './run-worker.ts';
export { type Clock, openClock, presentIn } from './runtime/clock.ts';
export { inParallel } from './runtime/in-parallel.ts';
export { LEADERSHIP } from './runtime/leadership.ts';
export { Lease, SHARED_LEASE_TTL_MS } from './runtime/lease.ts';
export { processHolder } from './runtime/process-holder.ts';
export { holderFor } from './runtime/projecting/holder.ts';
export { ProjectionThread } from './runtime/projecting/projecting.ts';

export { SharedKeyedMutex, type SharedKeyedMutexOptions } from './runtime/shared-keyed-mutex.ts';
export { type Destination, MAX_MOVE_SECONDS, type Moved, TestClock } from './runtime/test-clock.ts';
export { personFiltersOf } from './saved-searches/saved-search-input.ts';
export type { SavedSearchView } from './saved-searches/tenant-saved-searches.ts';
export { DkimPrivateKey, DkimSelector, DomainName } from './sender-domains/sender-domain-input.ts';
export type { SenderDomainView } from './sender-domains/tenant-sender-domains.ts';
export {
  ConfigError,
  DEFAULT_ACTIVITY_DAYS,
  DEFAULT_WEBHOOK_LOG_DAYS,
  DUE_WORK_INTERVAL_MS,
  GATEWAY_DEFAULTS,
  isMasterKey,
  loadMasterKey,
  MAX_ACTIVITY_DAYS,
  MAX_WEBHOOK_LOG_DAYS,
  type Settings,
} from './settings.ts';
export type { Settled } from './settlements/payouts.ts';
export type { Imported } from './settlements/settlements.ts';
export { ALL_SCOPES, SCOPES } from './slices.ts';
export type { Authentication, Authentications } from './subscriptions/authentications.ts';
export type { Actor, TenantLedger, TenantLedgers } from './tenant-ledger.ts';
export {
  type Environment,
  isApiKey,
  isLeadKey,
  isPaymentKey,
  isTenantKey,
  type KeyKind,
  keyDigest,
  keyPrefix,
  makeKey,
  maskKey,
} from './tenants/api-keys.ts';
export type { Choice, Choices } from './tenants/choices.ts';
export type { KeyDirectory, KeyRecord } from './tenants/key-directory.ts';
export { checkBound, Origin } from './tenants/key-input.ts';
export {
  REFERENCE_KINDS,
  type ReferenceItem,
  type ReferenceKind,
} from './tenants/reference-input.ts';
export type { UnknownReference } from './tenants/refusals.ts';
export type { KeyView, LeadKeyView, Shown, ShownLeadKey } from './tenants/tenant-keys.ts';
export type { ListedTenant } from './tenants/tenant-list.ts';
export type { SettingsView } from './tenants/tenant-settings.ts';
export { type IssuedKey, type KeyRequest, Tenants } from './tenants/tenants.ts';
export { activeTrace, markFailed, type Operation, traced, untraced } from './tracing.ts';
export type { HistoryEntry, TransactionStory } from './transactions/transactions.ts';
export type { Credentials } from './users/credentials.ts';
export type { RoleView } from './users/roles.ts';
export { type SignedIn, type SignIn, SignIns, type Visitor } from './users/sign-in.ts';
export type { UserView } from './users/tenant-users.ts';
export { type KnownUser, Users } from './users/users.ts';
export type { LedgerState } from './watching.ts';
export { hostOf, isLoopback } from './webhooks/addresses.ts';
export type { SignedMessage } from './webhooks/signatures.ts';
export type {
  ShownWebhookEndpoint,
  WebhookEndpointView,
} from './webhooks/tenant-webhook-endpoints.ts';
export type { DeliveryDetail, DeliveryPage, DeliveryView } from './webhooks/tenant-webhooks.ts';
export { DeliveryStatus, EventTypes, SigningSecret, WebhookUrl } from './webhooks/webhook-input.ts';
