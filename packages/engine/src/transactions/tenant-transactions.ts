/** The transactions of one tenant, for one caller. */
import type { SearchFilter, SearchPage, TransactionDetail } from '@counterfoil/projections';
import type { Acting } from '../acting.ts';
import type { Transactions } from './transactions.ts';

export interface Search extends SearchFilter {
  readonly limit?: number;
  readonly pageNumber?: number;
  /** The `end` of the previous page. */
  readonly after?: SearchPage['end'] | undefined;
}

export interface TenantTransactions {
  /** A page of payments and their children, newest first. Reads the caller's own writes. */
  search(search?: Search): Promise<SearchPage>;
  /** Undefined when the tenant has no transaction of that id. */
  detail(id: string): Promise<TransactionDetail | undefined>;
}

/** The query, limited to what this caller may see. */
export function queryOf(
  { tenantId, environment }: Acting,
  { limit, pageNumber, after, ...filter }: Search,
): Parameters<Transactions['search']>[0] {
  return {
    tenantId,
    filter: environment === 'test' ? { ...filter, sandbox: true } : filter,
    ...(limit !== undefined && { limit }),
    ...(pageNumber !== undefined && { pageNumber }),
    ...(after !== undefined && { after }),
  };
}

export function transactionsOf(transactions: Transactions, acting: Acting): TenantTransactions {
  return {
    search: (search = {}) => transactions.search(queryOf(acting, search)),
    async detail(id) {
      const found = await transactions.detail(acting.tenantId, id);
      return acting.environment === 'live' || found?.sandbox === true ? found : undefined;
    },
  };
}
