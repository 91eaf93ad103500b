/** The transaction searches of Customer Service and Admin: one contract at two paths. */

import { counted, type Transactions } from '@counterfoil/engine';
import type { SearchFilter } from '@counterfoil/projections';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { SearchRecordBody } from './search-record-body.ts';
import { SearchInput } from './search-request.ts';
import { apiSlice } from './slice.ts';
import { sandboxOf } from './wire.ts';

export const SearchAnswer = z
  .object({
    success: z.literal(true),
    message: z.string(),
    count: z.int().meta({ description: 'Records in this page' }),
    pageNumber: z.int(),
    moreResults: z.boolean().meta({ description: 'Whether another page follows' }),
    transactions: z.array(SearchRecordBody),
  })
  .meta({ id: 'TransactionSearchResult' });

export interface SearchServices {
  readonly transactions: Transactions;
}

function searchEndpoints(services: SearchServices): Endpoint[] {
  return [
    searchAt(services, {
      operationId: 'searchCustomerTransactions',
      path: '/customerapi/search',
      tag: 'Customer Service',
    }),
    searchAt(services, {
      operationId: 'searchTransactions',
      path: '/api/transactions/search',
      tag: 'Admin',
    }),
  ];
}

function searchAt(
  { transactions }: SearchServices,
  named: { operationId: string; path: string; tag: string },
): Endpoint {
  return endpoint({
    ...named,
    method: 'POST',
    summary: 'Search transactions',
    description:
      'Payments and their refunds, chargebacks and alerts, the newest first. All filters must hold; of an array, one element. Without any filter: the last 30 days.',
    access: { kind: 'api-key', scope: 'transactions:read', requiresUserEmail: true },
    body: SearchInput,
    responses: { 200: { description: 'A page of transactions', schema: SearchAnswer } },
    rejections: ['live_data_forbidden', 'page_out_of_reach'],
    idempotency: 'none',
    async handle(context, { body }) {
      const { parentCompanyId: _, userEmail: __, pageNumber, limit, ...filter } = body;
      const { tenantId } = context.principal;
      const page = await transactions.search({
        tenantId,
        filter: filterOf(context, filter),
        pageNumber,
        limit,
      });
      const { count, moreResults } = page;
      const message = count === 0 ? 'No transaction matches' : counted(count, 'transaction');
      return {
        status: 200,
        body: {
          success: true,
          message,
          count,
          pageNumber,
          moreResults,
          transactions: page.transactions,
        },
      };
    },
  });
}

type Filters = { [Name in keyof SearchFilter]?: SearchFilter[Name] | undefined };

/** The given filters, limited to what the key may see. */
export function filterOf({ principal }: RequestContext, filters: Filters): SearchFilter {
  const given = Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined),
  ) as SearchFilter;
  return { ...given, sandbox: sandboxOf(principal, filters.sandbox) };
}

export const SEARCH = apiSlice(searchEndpoints);
