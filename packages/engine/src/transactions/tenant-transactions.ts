/** The transactions of one tenant, for one caller. */
import type { SearchFilter, SearchPage, TransactionDetail } from '@counterfoil/projections';
import type { Acting } from '../acting.ts';
import type { Transactions } from './transactions.ts';

export interface Search extends SearchFilter {
  readonly limit?: number;
  readonly pageNumber?: number;
  /** Where the page before ended: its `end`. */
  readonly after?: SearchPage['end'] | undefined;
}

export interface TenantTransactions {
  /** A page of payments and what belongs to them, the newest first; it shows one's own writes. */
  search(search?: Search): Promise<SearchPage>;
  /** Undefined when the tenant has no transaction of that id. */
  detail(id: string): Promise<TransactionDetail | undefined>;
}

/** A page of everything or of payments alone, as this caller may see it. */
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
