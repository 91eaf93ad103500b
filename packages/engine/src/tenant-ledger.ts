/** The slices of a ledger for one caller of one tenant. */
import { TenantId } from '@counterfoil/core';
import type {
  OwnProjection,
  SearchFilter,
  SearchPage,
  TransactionDetail,
  TrialBalance,
  View,
} from '@counterfoil/projections';
import type { Acting } from './acting.ts';
import type { Books } from './books/books.ts';
import type { Caller } from './command-runner.ts';
import { TenantCustomers } from './customers/tenant-customers.ts';
import type { Engine } from './open-engine.ts';
import { TenantPayments } from './payments/tenant-payments.ts';
import { TenantSubscriptions } from './subscriptions/tenant-subscriptions.ts';
import type { Transactions } from './transactions/transactions.ts';

/** Who acts, and for which tenant. */
export interface Actor extends Caller {
  readonly tenantId: number;
  /** `test` makes and sees sandbox data only. Default: `live`. */
  readonly environment?: 'live' | 'test';
}

export interface Search extends SearchFilter {
  readonly limit?: number;
  readonly pageNumber?: number;
  /** Where the page before ended: its `end`. */
  readonly after?: SearchPage['end'];
}

export interface TenantTransactions {
  /** A page of payments and what belongs to them, the newest first; it shows one's own writes. */
  search(search?: Search): Promise<SearchPage>;
  /** Undefined when the tenant has no transaction of that id. */
  detail(id: string): Promise<TransactionDetail | undefined>;
}

type Scoped<Query> = Omit<Query, 'tenantId' | 'sandbox'> & { readonly sandbox?: boolean };

export interface TenantBooks {
  trialBalance(query?: Scoped<Parameters<Books['trialBalance']>[0]>): Promise<TrialBalance>;
  accounts(query: Scoped<Parameters<Books['accounts']>[0]>): ReturnType<Books['accounts']>;
  recurring(query: Scoped<Parameters<Books['recurring']>[0]>): ReturnType<Books['recurring']>;
}

export interface TenantLedger {
  readonly payments: TenantPayments;
  readonly subscriptions: TenantSubscriptions;
  readonly customers: TenantCustomers;
  readonly transactions: TenantTransactions;
  readonly books: TenantBooks;
  /** The rows of a projection that the ledger was opened with; they show one's own writes. */
  view<Row>(projection: OwnProjection<Row>): View<Row>;
}

/** Throws a ZodError for what is no tenant id. */
export function ledgerOf(engine: Engine, actor: Actor): TenantLedger {
  const { environment = 'live', tenantId: id, ...caller } = actor;
  const tenantId = TenantId.parse(id);
  const acting: Acting = { tenantId, environment, caller, now: () => engine.clock.now() };
  return {
    payments: new TenantPayments(engine.payments, acting),
    subscriptions: new TenantSubscriptions(engine.subscriptions, acting),
    customers: new TenantCustomers(engine, acting),
    transactions: transactionsOf(engine.transactions, acting),
    books: booksOf(engine.books, acting),
    view: (projection) =>
      engine.ownProjections.view(projection, { tenantId, sandbox: environment === 'test' }),
  };
}

function transactionsOf(
  transactions: Transactions,
  { tenantId, environment }: Acting,
): TenantTransactions {
  return {
    search: ({ limit, pageNumber, after, ...filter } = {}) =>
      transactions.search({
        tenantId,
        filter: environment === 'test' ? { ...filter, sandbox: true } : filter,
        ...(limit !== undefined && { limit }),
        ...(pageNumber !== undefined && { pageNumber }),
        ...(after !== undefined && { after }),
      }),
    async detail(id) {
      const found = await transactions.detail(tenantId, id);
      return environment === 'live' || found?.sandbox === true ? found : undefined;
    },
  };
}

function booksOf(books: Books, { tenantId, environment }: Acting): TenantBooks {
  const scoped = <Query extends { readonly sandbox?: boolean }>(query: Query) => ({
    ...query,
    tenantId,
    sandbox: environment === 'test' || (query.sandbox ?? false),
  });
  return {
    trialBalance: (query = {}) => books.trialBalance(scoped(query)),
    accounts: (query) => books.accounts(scoped(query)),
    recurring: (query) => books.recurring(scoped(query)),
  };
}
