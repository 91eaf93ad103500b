/** The books of a tenant: balances and reports. Queries read the tenant's own writes. */
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import type {
  AccountsPage,
  AccountsQuery,
  BooksQuery,
  DisputeRateQuery,
  DisputeRateView,
  EntryView,
  LedgerEntry,
  LedgerView,
  PostingsPage,
  PostingsQuery,
  RecurringView,
  SalesCurrency,
  SalesQuery,
  SalesView,
  Statement,
  StatementQuery,
  StatementView,
  TrialBalance,
} from '@counterfoil/projections';
import type { ReadSide } from '../runtime/read-side.ts';
import type { References } from '../tenants/index.ts';

/** A payment has at most a few hundred journal entries. */
const MAX_ENTRIES = 10_000;

interface BookServices {
  readonly ledger: LedgerView;
  readonly journal: EntryView;
  readonly statements: StatementView;
  readonly disputeRates: DisputeRateView;
  readonly references: References;
  readonly recurring: RecurringView;
  readonly sales: SalesView;
  readonly readSide: ReadSide;
}

type RecurringMonths = RecurringView['months'];

export class Books {
  readonly #services: BookServices;

  constructor(services: BookServices) {
    this.#services = services;
  }

  /** Debits and credits of every account, per currency. */
  async trialBalance(query: BooksQuery): Promise<TrialBalance> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#services.ledger.trialBalance(query);
  }

  /** The balance of each account of each merchant account and currency, in pages. */
  async accounts(query: AccountsQuery): Promise<AccountsPage> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#services.ledger.accounts(query);
  }

  /** The journal entries of a payment, in the order of its events. */
  async entries(tenantId: TenantId, paymentId: string): Promise<readonly LedgerEntry[]> {
    await this.#services.readSide.caughtUp(tenantId);
    const stream = Transaction.streamOf({ tenantId, transactionId: paymentId as TransactionId });
    return this.#services.journal.entriesOf(stream, MAX_ENTRIES);
  }

  /** What was posted to an account, the newest first. */
  async postings(query: PostingsQuery & { readonly tenantId: TenantId }): Promise<PostingsPage> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#services.journal.postings(query);
  }

  /** What a month posted to the books of a merchant account, from its opening to its closing balance. */
  async statement(query: StatementQuery): Promise<Statement> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#services.statements.statement(query);
  }

  /** Chargebacks over captures, by merchant account and month, and the thresholds that they are beside. */
  async disputeRates(
    query: Omit<DisputeRateQuery, 'thresholds'> & { readonly tenantId: TenantId },
  ) {
    const { readSide, disputeRates, references } = this.#services;
    const { disputeThresholds: thresholds } = await references.settingsOf(query.tenantId);
    await readSide.caughtUp(query.tenantId);
    return { thresholds, rates: await disputeRates.rates({ ...query, thresholds }) };
  }

  /** Recurring revenue and churn, month by month. */
  async recurring(query: Parameters<RecurringMonths>[0]): ReturnType<RecurringMonths> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#services.recurring.months(query);
  }

  /** What was captured, refunded and declined, by hour, day or month. */
  async sales(
    query: SalesQuery & { readonly tenantId: TenantId },
  ): Promise<readonly SalesCurrency[]> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#services.sales.sales(query);
  }
}
