/** The face of `@counterfoil/projections`: read models, their worker, and the queries over them. */
import type { Projection } from './projection.ts';
import { blackList } from './views/black-list.ts';
import { customers } from './views/customers.ts';
import { disputes } from './views/disputes.ts';
import { leads } from './views/leads.ts';
import { ledger } from './views/ledger.ts';
import { expectVersions } from './views/live-model.ts';
import { recurring } from './views/recurring.ts';
import { reference } from './views/reference.ts';
import { settlements } from './views/settlements.ts';
import { subscriptions } from './views/subscriptions.ts';
import { transactions } from './views/transactions.ts';

export {
  type Erasing,
  type FindStates,
  listedByCustomer,
  walkedByCustomer,
} from './erasing.ts';
export type { Parking } from './folder.ts';
export { leaseOf } from './holdings.ts';
export { LEASE_TTL_MS } from './lease.ts';
export {
  defineProjection,
  type ListRows,
  type OwnProjection,
  type PersonalRows,
  type ProjectableRecord,
  type ProjectableType,
  type ProjectionDefinition,
  type View,
  viewOf,
} from './own-projection.ts';
export { Progress, type ProjectionMessage, type ProjectionRequest } from './progress.ts';
export type {
  Applied,
  DerivedDocument,
  Projection,
  Recorded,
  States,
} from './projection.ts';
export * from './read-model-store.ts';
export {
  bringUpInBackground,
  bringUpToDate,
  type Difference,
  differencesOf,
  dropOldBuilds,
  type OneRebuild,
  outdatedOf,
  type RebuildOptions,
  type RebuildProgress,
  type Rebuilt,
  rebuild,
  rollBack,
  swap,
} from './rebuild.ts';
export {
  type Checkpoints,
  DEFAULT_SHARDS,
  earliest,
  type Hold,
  latest,
  MOST_SHARDS,
  shardOf,
} from './shards.ts';
export { createMemoryReadModelStore } from './stores/memory.ts';
export { openSqliteReadModelStore, type SqliteReadModelOptions } from './stores/sqlite.ts';
export { positionIn } from './stores/sqlite-schema.ts';
export {
  type BlackListPage,
  type BlackListQuery,
  BlackListView,
  blackList,
  type ListedEntry,
} from './views/black-list.ts';
export {
  type CustomerListQuery,
  CustomerListView,
  customers,
  type RegisteredCustomer,
} from './views/customers.ts';
export {
  type DisputedAmount,
  type DisputeRate,
  type DisputeRateQuery,
  DisputeRateView,
  type DisputeStatus,
} from './views/dispute-rates.ts';
export {
  type DisputeQuery,
  type DisputeRecord,
  DisputeView,
  disputes,
  QUEUE_STATUS,
  type QueueStatus,
  type UnmatchedDispute,
  unmatchedDisputes,
} from './views/disputes.ts';
export {
  LEAD_STATUS,
  type LeadPage,
  type LeadRecord,
  type LeadStatus,
  LeadView,
  leads,
} from './views/leads.ts';
export {
  type AccountBalance,
  type AccountsPage,
  type AccountsQuery,
  type BooksQuery,
  LedgerView,
  ledger,
  type TrialBalance,
  type TrialBalanceCurrency,
} from './views/ledger.ts';
export {
  EntryView,
  type LedgerEntry,
  ledgerEntryOf,
  type Posting,
  type PostingsPage,
  type PostingsQuery,
} from './views/ledger-entries.ts';
export { type MitigationRecord, MitigationView, type ReducedRecord } from './views/mitigation.ts';
export {
  type AlertDeadline,
  alertDeadlines,
  type ChargebackDeadline,
  chargebackDeadlines,
  type OpenIntent,
  type OpenReason,
  openIntents,
  type PaymentExpiry,
  paymentExpiries,
  type ReserveRelease,
  reserveReleases,
} from './views/open-work.ts';
export {
  type DueRebill,
  type DueRebillsQuery,
  dueRebills,
  type PendingRebill,
  pendingRebills,
} from './views/rebill-work.ts';
export {
  monthAfter,
  monthsIn,
  type RecurringCurrency,
  type RecurringMonth,
  type RecurringQuery,
  RecurringView,
  recurring,
} from './views/recurring.ts';
export { type KnownKey, merchantAccountsOf, ReferenceView, reference } from './views/reference.ts';
export {
  type Defined,
  type KnownAccount,
  ReferenceNames,
  type Shop,
} from './views/reference-names.ts';
export {
  type SalesCurrency,
  type SalesQuery,
  type SalesUnit,
  SalesView,
  type Sold,
  type SoldBrand,
} from './views/sales.ts';
export type { SearchRecord } from './views/search-record.ts';
export {
  type AcquirerIdField,
  paymentsByAcquirerId,
  type SettlementBooks,
  type UnsettledMovement,
  unsettledIn,
} from './views/settlement-matching.ts';
export {
  type SettlementRecord,
  type SettlementsPage,
  type SettlementsQuery,
  SettlementView,
  settlements,
  type UnmatchedQuery,
  type UnmatchedRecord,
} from './views/settlements.ts';
export {
  type Statement,
  type StatementCurrency,
  type StatementQuery,
  StatementView,
} from './views/statements.ts';
export {
  renderSubscription,
  renderSubscriptionDetail,
  type SubscriptionContext,
  type SubscriptionDetail,
  type SubscriptionRecord,
} from './views/subscription-record.ts';
export {
  type CustomerOfTenant,
  type CustomerSubscriptionsQuery,
  type EmailSubscriptionsQuery,
  SUBSCRIPTION_STATUS,
  type SubscriptionListQuery,
  type SubscriptionStatus,
  SubscriptionView,
  subscriptionStatusOf,
  subscriptions,
} from './views/subscriptions.ts';
export {
  type AddressRecord,
  type CartLine,
  type DetailQuery,
  DetailView,
  type FoundPayment,
  type TransactionDetail,
} from './views/transaction-detail.ts';
export type { TransactionRecord } from './views/transaction-record.ts';
export { transactions } from './views/transactions.ts';
export {
  DEFAULT_DAYS,
  DEFAULT_LIMIT,
  MAX_JUMP,
  MAX_LIMIT,
  PageOutOfReach,
  type SearchFilter,
  type SearchPage,
  type SearchQuery,
  SearchView,
} from './views/transactions-search.ts';
export type { OpenWorkPage, OpenWorkQuery } from './views/work-list.ts';
export {
  createProjector,
  MAX_BATCH_EVENTS,
  PROJECTIONS_LEASE,
  type Projector,
  type ProjectorOptions,
  runProjections,
} from './worker.ts';

/** All projections of the ledger, as the host runs them. */
export const PROJECTIONS: readonly Projection[] = [
  reference,
  transactions,
  disputes,
  ledger,
  subscriptions,
  recurring,
  settlements,
  blackList,
  leads,
  customers,
];
expectVersions(PROJECTIONS);

export {
  type UnansweredPage,
  type UnansweredPayment,
  type UnansweredQuery,
  UnansweredView,
} from './views/unanswered.ts';
