/** The books: trial balance and accounts. */
import { DAYS_IN_ORDER, daysInOrder } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { At, UuidText } from './answer-fields.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { apiSlice } from './slice.ts';
import {
  CurrencyCode,
  Day,
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

const Posting = z
  .object({
    transactionId: UuidText.meta({ description: 'The payment' }),
    description: z.string().meta({ description: 'The event that posted it' }),
    revision: z.int().meta({ description: 'Its place among the events of the payment, from 0' }),
    at: At.meta({ description: 'When it holds in the business' }),
    merchantAccountId: z.int(),
    ...totals,
  })
  .meta({
    id: 'LedgerPosting',
    description: 'What one journal entry posted to the account',
  });

const Entries = z
  .object({
    success: z.literal(true),
    account: z.string(),
    currency: z.string(),
    entries: z.array(Posting).meta({ description: 'The newest first' }),
    nextCursor: z.string().nullable().meta({ description: '`cursor` of the next page' }),
  })
  .meta({ id: 'LedgerEntries' });

const Place = z.strictObject({ sort: z.number(), key: z.string().max(1_000) });

function ledgerEndpoints(services: FaceServices): Endpoint[] {
  return [trialBalance(services), accounts(services), entries(services)];
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

function entries(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listLedgerEntries',
    method: 'GET',
    path: '/api/ledger/entries',
    tag: TAG,
    summary: 'Entries of an account',
    description:
      'What each journal entry posted to an account, with the payment that it is of, the newest first. All pages without days add up to the balance of the account.',
    access: ACCESS,
    query: z
      .object({
        sandbox: booksQuery.sandbox,
        account: z
          .string()
          .min(1)
          .max(64)
          .meta({ description: 'By its name in the trial balance', example: 'sales' }),
        currency: CurrencyCode.meta({ description: 'Its currency', example: 'GBP' }),
        merchantAccountId: booksQuery.merchantAccountId,
        from: Day.optional().meta({
          description: 'The first day, GMT. Absent: since the beginning',
        }),
        to: Day.optional().meta({ description: 'The last day, GMT. Absent: until now' }),
        limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
        cursor: z.string().max(1_000).optional(),
      })
      .refine(daysInOrder, DAYS_IN_ORDER),
    responses: { 200: { description: 'A page of entries', schema: Entries } },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query }) {
      const { cursor, ...asked } = query;
      const { postings, moreResults, end } = await ledgerFor(services, context).books.postings({
        ...asked,
        ...(cursor !== undefined && { after: inCursor(cursor, Place) }),
      });
      const { account, currency } = asked;
      const nextCursor = moreResults && end !== undefined ? cursorOf(end) : null;
      return {
        status: 200,
        body: { success: true, account, currency, entries: postings, nextCursor },
      };
    },
  });
}

export const LEDGER = apiSlice(ledgerEndpoints);
