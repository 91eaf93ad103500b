/** The books of one tenant, for one caller. */
import type { TrialBalance } from '@counterfoil/projections';
import type { Acting } from '../acting.ts';
import type { Books } from './books.ts';

type Scoped<Query> = Omit<Query, 'tenantId' | 'sandbox'> & { readonly sandbox?: boolean };

export interface TenantBooks {
  trialBalance(query?: Scoped<Parameters<Books['trialBalance']>[0]>): Promise<TrialBalance>;
  accounts(query: Scoped<Parameters<Books['accounts']>[0]>): ReturnType<Books['accounts']>;
  /** The journal entries of a payment, in the order of its events; empty for another tenant's payment. */
  entries(paymentId: string): ReturnType<Books['entries']>;
  recurring(query: Scoped<Parameters<Books['recurring']>[0]>): ReturnType<Books['recurring']>;
}

export function booksOf(books: Books, { tenantId, environment }: Acting): TenantBooks {
  const scoped = <Query extends { readonly sandbox?: boolean }>(query: Query) => ({
    ...query,
    tenantId,
    sandbox: environment === 'test' || (query.sandbox ?? false),
  });
  return {
    trialBalance: (query = {}) => books.trialBalance(scoped(query)),
    accounts: (query) => books.accounts(scoped(query)),
    entries: async (paymentId) => {
      const entries = await books.entries(tenantId, paymentId);
      return environment === 'live' ? entries : entries.filter(({ sandbox }) => sandbox);
    },
    recurring: (query) => books.recurring(scoped(query)),
  };
}
