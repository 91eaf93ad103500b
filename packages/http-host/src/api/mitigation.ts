/** The Mitigation interface: the searches of providers of chargeback mitigation. */
import { IN_ORDER, inOrder, mayHoldCardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { AlertSourceName, AlertTypeName, At } from './answer-fields.ts';
import { foundMessage, pageBody, pageSchema, SearchRecordBody } from './search-record-body.ts';
import { paging, searchFilters } from './search-request.ts';
import { apiSlice } from './slice.ts';
import {
  CurrencyCode,
  Day,
  Email,
  type FaceServices,
  ledgerFor,
  optionalClaims,
  pattern,
  text,
} from './wire.ts';

const TAG = 'Mitigation';
const READ = { kind: 'api-key', scope: 'mitigation:read', requiresUserEmail: true } as const;

const { affiliateIds: _, ...filters } = searchFilters;

const TransactionsInput = z
  .object({
    ...optionalClaims,
    ...filters,
    includeUpdated: z.boolean().optional().meta({
      description:
        'The dates also match the last refund, chargeback or alert of a transaction, and what became of it',
    }),
    ...paging,
  })
  .refine(inOrder, IN_ORDER)
  .meta({ id: 'MitigationTransactionSearch' });

/** Exactly the fields that the contract names. */
const ReducedRecord = SearchRecordBody.pick({
  gateway: true,
  transactionId: true,
  orderId: true,
  sent: true,
  email: true,
  sandbox: true,
  applicationId: true,
  status: true,
  statusId: true,
  success: true,
  completed: true,
  currency: true,
  amount: true,
  mid: true,
  descriptor: true,
  customerId: true,
  authCode: true,
  gatewayTransactionId: true,
  firstName: true,
  lastName: true,
  bin: true,
  last4: true,
  refunded: true,
  refundable: true,
  hasAlert: true,
  chargedBack: true,
  originalTransactionId: true,
}).meta({ id: 'MitigationTransactionRecord' });

const TransactionsAnswer = pageSchema(ReducedRecord).meta({
  id: 'MitigationTransactionSearchResult',
});

const day = Day.optional().meta({ description: 'A day in GMT, included', example: '2010-12-01' });
const reference = mayHoldCardNumber(text(255)).optional();

const SearchInput = z
  .object({
    ...optionalClaims,
    email: Email.optional(),
    orderId: mayHoldCardNumber(z.int()).optional(),
    bin: pattern(/^\d{6}$/, { max: 6, detail: 'must be exactly 6 digits' }).optional(),
    last4: pattern(/^\d{4}$/, { max: 4, detail: 'must be 4 digits' }).optional(),
    firstName: text(200).optional(),
    lastName: text(200).optional(),
    authCode: text(64).optional(),
    arn: reference,
    amount: z.number().optional().meta({
      description:
        'The `amount` of the record, matched exactly: what was captured, once anything is',
    }),
    currencyCode: CurrencyCode.optional(),
    dateFrom: day,
    dateTo: day,
    mid: reference,
    descriptorExactMatch: text(100).optional(),
    descriptorContains: text(100).optional(),
  })
  .refine(inOrder, IN_ORDER)
  .meta({ id: 'MitigationSearch' });

const MitigationRecord = ReducedRecord.extend({
  arn: z.string(),
  alertType: AlertTypeName,
  alertSource: AlertSourceName,
  refundedAmount: z.number().meta({ description: 'What has been paid back, in major units' }),
  refundDate: At.nullable().meta({ description: 'When the last refund was paid' }),
  chargebackDate: At.nullable().meta({ description: 'When the last chargeback was opened' }),
  chargebackStatus: z.string().meta({
    description: 'The status of the last chargeback; empty without any',
  }),
  subscriptionActive: z.boolean().meta({
    description: 'Whether a subscription that the payment started or renewed goes on',
  }),
}).meta({ id: 'MitigationRecord' });

const SearchAnswer = z
  .object({
    success: z.literal(true),
    message: z.string(),
    count: z.int().meta({ description: 'Records in this answer' }),
    transactions: z.array(MitigationRecord),
  })
  .meta({ id: 'MitigationSearchResult' });

function mitigationEndpoints(services: FaceServices): Endpoint[] {
  return [transactions(services), search(services)];
}

function transactions(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listMitigationTransactions',
    method: 'POST',
    path: '/api/mitigation/transactions',
    tag: TAG,
    summary: 'List transactions',
    description:
      'The transactions search, the newest first, with the fields that mitigation needs. All filters must hold; of an array, one element. Without any filter: the last 30 days.',
    access: READ,
    body: TransactionsInput,
    responses: { 200: { description: 'A page of transactions', schema: TransactionsAnswer } },
    rejections: ['live_data_forbidden', 'page_out_of_reach'],
    idempotency: 'none',
    async handle(context, { body }) {
      const { parentCompanyId: _, userEmail: __, ...given } = body;
      const page = await ledgerFor(services, context).disputes.transactions(given);
      return { status: 200, body: pageBody(page) };
    },
  });
}

function search(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'searchMitigation',
    method: 'POST',
    path: '/api/mitigation/search',
    tag: TAG,
    summary: 'Search transactions and disputes',
    description:
      'At most 100 transactions, the newest first, with what became of them. All filters must hold. Needed is `email`, `orderId`, `arn`, `authCode`, `bin` with `last4`, `mid` with `amount`, or `amount` with `dateFrom` and `dateTo`.',
    access: READ,
    body: SearchInput,
    responses: { 200: { description: 'What matches', schema: SearchAnswer } },
    rejections: ['search_too_broad'],
    idempotency: 'none',
    async handle(context, { body }) {
      const { parentCompanyId: _, userEmail: __, ...given } = body;
      const found = await ledgerFor(services, context).disputes.search(given);
      const count = found.length;
      return {
        status: 200,
        body: { success: true, message: foundMessage(count), count, transactions: found },
      };
    },
  });
}

export const MITIGATION = apiSlice(mitigationEndpoints, {
  SearchTooBroad: { code: 'search_too_broad' },
});
