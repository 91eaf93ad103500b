/** The list of payments of the Card API: the search filters as query parameters, with cursors. */
import { IN_ORDER, inOrder } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { PaymentBody, paymentBody } from './payment-body.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, searchFilters } from './search-request.ts';
import { apiSlice } from './slice.ts';
import {
  type FaceServices,
  ledgerFor,
  QueryBoolean,
  queryIntegers,
  queryLimit,
  queryNumbers,
  queryTexts,
} from './wire.ts';

/**
 * As many ids as fit into the head of a request with the default `MAX_HEADER_BYTES`, besides other
 * headers. Longer lists go into the body of a search.
 */
const MAX_QUERY_ELEMENTS = 250;

const { applicationIds: ids, amounts } = searchFilters;

const integers = queryIntegers(ids.unwrap().max(MAX_QUERY_ELEMENTS)).optional();

function texts<Element extends z.ZodType<string, string>>(
  list: z.ZodOptional<z.ZodArray<Element>>,
) {
  return queryTexts(list.unwrap().max(MAX_QUERY_ELEMENTS)).optional();
}

const ListQuery = z
  .object({
    emails: texts(searchFilters.emails),
    orderIds: integers,
    transactionIds: texts(searchFilters.transactionIds),
    gatewayTransactionIds: texts(searchFilters.gatewayTransactionIds),
    bin: searchFilters.bin,
    last4: searchFilters.last4,
    firstName: searchFilters.firstName,
    lastName: searchFilters.lastName,
    authCodes: texts(searchFilters.authCodes),
    currency: searchFilters.currency,
    dateFrom: searchFilters.dateFrom,
    dateTo: searchFilters.dateTo,
    descriptorContains: searchFilters.descriptorContains,
    sandbox: QueryBoolean.optional(),
    applicationIds: integers,
    productIds: integers,
    campaignIds: integers,
    merchantAccountIds: integers,
    companyIds: integers,
    subscriptionIds: integers,
    affiliateIds: integers,
    amounts: queryNumbers(
      amounts
        .unwrap()
        .max(MAX_QUERY_ELEMENTS)
        .meta({ description: 'The `amount` of the payment, matched exactly' }),
    ).optional(),
    limit: queryLimit({ max: MAX_LIMIT, fallback: DEFAULT_LIMIT }),
    cursor: z.string().max(1_000).optional(),
  })
  .refine(inOrder, IN_ORDER);

const Anchor = z.tuple([z.number(), z.string()]);

const PaymentList = z
  .object({
    success: z.literal(true),
    data: z.array(PaymentBody),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().meta({ description: '`cursor` of the next page' }),
  })
  .meta({ id: 'PaymentList' });

function paymentListEndpoint(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listPayments',
    method: 'GET',
    path: '/v1/payments',
    tag: 'Card API',
    summary: 'List payments',
    description:
      'Payments by the filters of the transaction search, the newest first. A list is a name repeated or its elements joined by commas, 250 at most; with longer ones search by POST /api/transactions/search. Without any filter: the last 30 days.',
    access: { kind: 'api-key', scope: 'payments:read', requiresUserEmail: false },
    query: ListQuery,
    responses: { 200: { description: 'A page of payments', schema: PaymentList } },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query }) {
      const { cursor, amounts: askedAmounts, ...search } = query;
      const [sort, key] = cursor === undefined ? [] : inCursor(cursor, Anchor);
      const page = await ledgerFor(services, context).payments.list({
        ...search,
        askedAmounts,
        ...(sort !== undefined && key !== undefined && { after: { sort, key } }),
      });
      const data = page.payments.map(paymentBody);
      const { moreResults: hasMore, end } = page;
      const nextCursor = hasMore && end !== undefined ? cursorOf([end.sort, end.key]) : null;
      return { status: 200, body: { success: true, data, hasMore, nextCursor } };
    },
  });
}

export const PAYMENT_LIST = apiSlice((services: FaceServices) => [paymentListEndpoint(services)]);
