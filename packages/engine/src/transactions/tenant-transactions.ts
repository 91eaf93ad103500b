/** The transactions of one tenant, for one caller. */
import { TransactionId } from '@counterfoil/core';
import type { SearchPage, TransactionDetail } from '@counterfoil/projections';
import { z } from 'zod';
import type { Acting } from '../acting.ts';
import { checkedCalls } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { type Search, SearchInput } from './search-input.ts';
import type { Transactions } from './transactions.ts';

export interface TenantTransactions {
  /** A page of payments and their children, newest first. Reads the caller's own writes. */
  search(search?: Search): Promise<SearchPage>;
  /** Undefined when the tenant has no transaction of that id. */
  detail(id: string): Promise<TransactionDetail | undefined>;
}

/** The query, limited to what this caller may see. */
export function queryOf(
  { tenantId, environment }: Acting,
  { limit, pageNumber, after, ...given }: Search,
): Parameters<Transactions['search']>[0] {
  const filter = definedOf(given);
  return {
    tenantId,
    filter: environment === 'test' ? { ...filter, sandbox: true } : filter,
    ...definedOf({ limit, pageNumber, after }),
  };
}

export function transactionsOf(transactions: Transactions, acting: Acting): TenantTransactions {
  return checkedCalls<TenantTransactions>(
    {
      search: (search = {}) => transactions.search(queryOf(acting, search)),
      async detail(id) {
        const { success, data } = TransactionId.safeParse(id);
        if (!success) return undefined;
        const found = await transactions.detail(acting.tenantId, data);
        return acting.environment === 'live' || found?.sandbox === true ? found : undefined;
      },
    },
    { search: [SearchInput.optional()], detail: [z.string()] },
  );
}
