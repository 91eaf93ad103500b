/** The books: trial balance and accounts. */

import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { apiSlice } from './slice.ts';
import {
  CurrencyCode,
  type FaceServices,
  Id,
  ledgerFor,
  QueryBoolean,
  queryInteger,
  queryLimit,
} from './wire.ts';

const TAG = 'Ledger';
const ACCESS = { kind: 'api-key', scope: 'ledger:read', requiresUserEmail: false } as const;
const MAX_LIMIT = 100;

const money = z.number().meta({
  description: 'In major units of the currency; exact, also beyond what a double holds',
});

const booksQuery = {
  sandbox: QueryBoolean.optional().meta({ description: 'Absent: the live books' }),
  merchantAccountId: queryInteger(Id).optional(),
  currency: CurrencyCode.optional(),
};

const totals = { debit: money, credit: money };

const AccountBalance = z
  .object({ account: z.string(), ...totals, balance: money })
  .meta({ id: 'AccountBalance' });

const CurrencyBalance = z
  .object({
    currency: z.string(),
    ...totals,
    difference: money,
    accounts: z.array(AccountBalance),
  })
  .meta({ id: 'CurrencyBalance' });

const LedgerAccount = z
  .object({
    merchantAccountId: z.int(),
    currency: z.string(),
    account: z.string(),
    ...totals,
    balance: money,
  })
  .meta({ id: 'LedgerAccount' });

const TrialBalance = z
  .object({
    success: z.literal(true),
    balanced: z.boolean(),
    currencies: z.array(CurrencyBalance),
  })
  .meta({ id: 'TrialBalance' });

const Accounts = z
  .object({
    success: z.literal(true),
    accounts: z.array(LedgerAccount),
    nextCursor: z.string().nullable().meta({ description: '`cursor` of the next page' }),
  })
  .meta({ id: 'LedgerAccounts' });

function ledgerEndpoints(services: FaceServices): Endpoint[] {
  return [trialBalance(services), accounts(services)];
}

function trialBalance(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getTrialBalance',
    method: 'GET',
    path: '/api/ledger/trial-balance',
    tag: TAG,
    summary: 'Trial balance',
    description:
      'Debits and credits of every account, by currency. They are equal after every event.',
    access: ACCESS,
    query: z.object(booksQuery),
    responses: { 200: { description: 'The trial balance', schema: TrialBalance } },
    rejections: ['live_data_forbidden'],
    idempotency: 'none',
    async handle(context, { query }) {
      const balance = await ledgerFor(services, context).books.trialBalance(query);
      return { status: 200, body: { success: true, ...balance } };
    },
  });
}

function accounts(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listLedgerAccounts',
    method: 'GET',
    path: '/api/ledger/accounts',
    tag: TAG,
    summary: 'Ledger accounts',
    description: 'The balance of each account of each merchant account and currency.',
    access: ACCESS,
    query: z.object({
      ...booksQuery,
      account: z.string().max(64).optional(),
      limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
      cursor: z.string().max(1_000).optional(),
    }),
    responses: { 200: { description: 'A page of accounts', schema: Accounts } },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query }) {
      const { cursor, ...asked } = query;
      const page = await ledgerFor(services, context).books.accounts({
        ...asked,
        ...(cursor !== undefined && { after: inCursor(cursor, z.string()) }),
      });
      const nextCursor = page.next === undefined ? null : cursorOf(page.next);
      return { status: 200, body: { success: true, accounts: page.accounts, nextCursor } };
    },
  });
}

export const LEDGER = apiSlice(ledgerEndpoints);
