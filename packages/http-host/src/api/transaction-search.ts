/** The transaction searches of Customer Service and Admin: one contract at two paths. */
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { pageBody, pageSchema, SearchRecordBody } from './search-record-body.ts';
import { SearchInput } from './search-request.ts';
import { apiSlice } from './slice.ts';
import { type FaceServices, ledgerFor } from './wire.ts';

export const SearchAnswer = pageSchema(SearchRecordBody).meta({ id: 'TransactionSearchResult' });

function searchEndpoints(services: FaceServices): Endpoint[] {
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
  services: FaceServices,
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
      const { parentCompanyId: _, userEmail: __, ...search } = body;
      const page = await ledgerFor(services, context).transactions.search(search);
      return { status: 200, body: pageBody(page) };
    },
  });
}

export const SEARCH = apiSlice(searchEndpoints);
