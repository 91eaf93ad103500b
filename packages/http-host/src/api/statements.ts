/** Statements of a merchant account: a month of its books, as JSON or CSV. */
import { Month } from '@counterfoil/engine/input';
import type { Statement, StatementCurrency } from '@counterfoil/projections';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { type Cell, CSV_TYPE, csvOf } from './csv.ts';
import { apiSlice } from './slice.ts';
import {
  CurrencyCode,
  type FaceServices,
  Id,
  ledgerFor,
  QueryBoolean,
  queryInteger,
} from './wire.ts';

const money = (description: string) => z.number().meta({ description });

/** The amounts of a currency, in the order in which they add up. */
const opening = { openingBalance: money('What the acquirer owed when the month began') };
const sales = {
  gross: money('Captured'),
  voided: money('Of captures that were voided, in the month of the void'),
  refunds: money('Refunds that were paid, RDR credits among them'),
  chargebacks: money('Chargebacks that were opened'),
  chargebackReversals: money('Chargebacks that were won or withdrawn'),
};
const rest = {
  totalFees: money('All fees'),
  reserveHeld: money('Held of captures'),
  reserveReleased: money('Released after the hold, or given back by voids'),
  settled: money('What reached the bank, less what the acquirer took back'),
  closingBalance: money(
    'What the acquirer owed when the month ended: openingBalance + gross - voided - refunds - chargebacks + chargebackReversals - totalFees - reserveHeld + reserveReleased - settled',
  ),
  margin: money('gross - voided - refunds - chargebacks + chargebackReversals - totalFees'),
};

const StatementFee = z
  .object({
    account: z.string().meta({ description: 'The account of the fee', example: 'fees:discount' }),
    amount: money('Charged, less what voids gave back'),
  })
  .meta({ id: 'StatementFee' });

const CurrencyStatement = z
  .object({
    currency: z.string(),
    ...opening,
    ...sales,
    fees: z.array(StatementFee).meta({ description: 'Each fee that was charged' }),
    ...rest,
  })
  .meta({ id: 'StatementCurrency' });

const StatementAnswer = z
  .object({
    success: z.literal(true),
    merchantAccountId: z.int(),
    sandbox: z.boolean(),
    month: z.string(),
    currencies: z.array(CurrencyStatement).meta({
      description: 'Those with anything posted up to the end of the month; they are never added up',
    }),
  })
  .meta({ id: 'Statement' });

function statementEndpoint(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getStatement',
    action: 'books.statement',
    recorded: 'exports',
    method: 'GET',
    path: '/api/ledger/statements',
    tag: 'Ledger',
    summary: 'Statement of a merchant account',
    description:
      'What a month (GMT) posted to the books of a merchant account, from its opening to its closing balance: the sum of its journal entries. An entry belongs to the month in which its event happened. With `Accept: text/csv` a row for each amount: `merchantAccountId,month,currency,item,amount`.',
    access: { kind: 'api-key', scope: 'ledger:read', requiresUserEmail: false },
    query: z.object({
      merchantAccountId: queryInteger(Id.meta({ example: 1 })),
      month: Month.meta({ description: 'The month, in GMT', example: '2026-02' }),
      currency: CurrencyCode.optional(),
      sandbox: QueryBoolean.optional().meta({ description: 'Absent: the live books' }),
    }),
    responses: {
      200: { description: 'The statement', schema: StatementAnswer, orElse: CSV_TYPE },
    },
    rejections: ['live_data_forbidden', 'not_acceptable'],
    idempotency: 'none',
    async handle(context, { query }) {
      const as = context.accepted(['application/json', CSV_TYPE, 'application/problem+json']);
      if (as === undefined) throw refuse('not_acceptable');
      const statement = await ledgerFor(services, context).books.statement(query);
      if (as !== CSV_TYPE) return { status: 200, body: { success: true, ...statement } };
      return {
        status: 200,
        raw: statementCsv(statement),
        contentType: `${CSV_TYPE}; charset=utf-8; header=present`,
      };
    },
  });
}

const COLUMNS = ['merchantAccountId', 'month', 'currency', 'item', 'amount'] as const;

export function statementCsv(statement: Statement): string {
  return csvOf(
    COLUMNS,
    statement.currencies.flatMap((each) => rowsOf(statement, each)),
  );
}

/** In the order of the JSON members; each fee is an item of its own. */
function rowsOf(
  { merchantAccountId, month }: Statement,
  { currency, fees, ...amounts }: StatementCurrency,
): Cell[][] {
  const items: (readonly [string, Cell])[] = [];
  for (const name of AMOUNTS) {
    if (name === 'totalFees') items.push(...fees.map((fee) => [fee.account, fee.amount] as const));
    items.push([name, amounts[name]]);
  }
  return items.map(([item, amount]) => [merchantAccountId, month, currency, item, amount]);
}

const AMOUNTS = Object.keys({ ...opening, ...sales, ...rest }) as (
  | keyof typeof opening
  | keyof typeof sales
  | keyof typeof rest
)[];

export const STATEMENTS = apiSlice((services: FaceServices) => [statementEndpoint(services)]);
