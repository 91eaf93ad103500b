/** Settlement files of acquirers and payouts of gateways: their import, and what is unmatched. */
import { Settlement } from '@counterfoil/core';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { envelopeOf, pageBody, pageOf } from './collections.ts';
import { CSV_TYPE } from './csv.ts';
import { inCursor } from './cursor.ts';
import { apiSlice, rows } from './slice.ts';
import {
  Day,
  type FaceServices,
  Id,
  ledgerFor,
  QueryBoolean,
  queryInteger,
  queryLimit,
  text,
  Uuid,
} from './wire.ts';

const TAG = 'Settlements';
const PATH = '/api/admin/settlements';
const READ = { kind: 'api-key', scope: 'settlements:read', requiresUserEmail: true } as const;
const WRITE = { kind: 'api-key', scope: 'settlements:write', requiresUserEmail: true } as const;
const MAX_FILE_BYTES = 32 * 1_024 * 1_024;
const MAX_LIMIT = 100;
const MAX_GRACE_DAYS = 60;

const EXAMPLE = `reference,kind,gatewayTransactionId,amount,currency,fee,settledDate
payout-1-1,capture,sbx_2b34d8773cd39e88,19.99,GBP,0.40,2026-03-10
`;

const sandbox = QueryBoolean.optional().meta({ description: 'Absent: live data' });
const count = (description: string) => z.int().meta({ description });

const Differences = z
  .object(
    Object.fromEntries(
      Settlement.DIFFERENCE_TYPES.map((type) => [
        type,
        count('Differences of this type').optional(),
      ]),
    ),
  )
  .meta({ id: 'SettlementDifferences', description: 'How many of each type; none are left out' });

const record = {
  id: Uuid.meta({ description: 'The import' }),
  name: z.string().meta({ description: 'The name that it was given; empty without one' }),
  merchantAccountId: z.int(),
  sandbox: z.boolean(),
  status: z.enum(['importing', 'finished']).meta({
    description: '`importing` until the whole file was taken: a repetition completes it',
  }),
  startedAt: z.string().meta({ format: 'date-time', description: 'When it was first begun' }),
  finishedAt: z
    .string()
    .nullable()
    .meta({ format: 'date-time', description: 'When its whole file was taken' }),
  digest: z.string().meta({ description: 'SHA-256 of the file, hex; empty while importing' }),
  lines: count('Lines of the file, without its header'),
  agreed: count('Lines that the books hold: booked by this import or before'),
  differences: Differences,
  from: z.string().meta({ description: 'The first settled date; empty without lines' }),
  to: z.string().meta({ description: 'The last settled date; empty without lines' }),
};
const SettlementBody = z.object(record).meta({ id: 'Settlement' });

const ImportedBody = z
  .object({
    ...record,
    booked: count('Lines that were booked now; the others of `agreed` had been before'),
  })
  .meta({ id: 'ImportedSettlement' });

const SettledBody = z
  .object({
    success: z.literal(true),
    message: z.string(),
    count: count('Payouts that were read now'),
    waiting: count('Payouts that are on their way'),
    items: z.array(ImportedBody).meta({
      description: 'Each with the id of the payout as its `name`, the oldest first',
    }),
  })
  .meta({ id: 'PayoutsSettled' });

const money = z.number().nullable();

const UnmatchedBody = z
  .object({
    type: z.enum(Settlement.DIFFERENCE_TYPES).meta({
      description:
        '`missing-here`: the books have no such movement. `missing-there`: a movement that no file had. `settled`: another line settled it before. `unreadable`: what no line of a file says, see `detail`. The others: what the file and the books disagree about',
    }),
    since: z.string().meta({
      description: 'The settled date of the line, or the day on which the movement was booked',
    }),
    ageDays: count('Days since then'),
    merchantAccountId: z.int(),
    settlementId: Uuid.meta({ description: 'The import that found it' }),
    line: z
      .int()
      .nullable()
      .meta({ description: 'In the file; null for `missing-there`, and of a payout' }),
    reference: z.string().meta({ description: 'Of the line; empty for `missing-there`' }),
    kind: z.string().nullable().meta({ description: 'What the line or the movement is' }),
    gatewayTransactionId: z.string().meta({ description: 'Of the line or the movement' }),
    arn: z.string().meta({ description: 'Of the line or the movement' }),
    transactionId: Uuid.nullable().meta({ description: 'The payment, where it is known' }),
    childId: Uuid.nullable().meta({
      description: 'The refund or chargeback that is missing in the files',
    }),
    amount: money.meta({ description: 'As the file says; of `missing-there` as the books say' }),
    currency: z.string(),
    fee: money.meta({ description: 'As the file says; of `missing-there` as the books say' }),
    expected: z.union([z.number(), z.string()]).nullable().meta({
      description:
        'What the books say instead: an amount, a currency, or the reference of the line that settled it',
    }),
    detail: z.string().meta({ description: 'Why a line is unreadable' }),
  })
  .meta({ id: 'UnmatchedSettlement' });

const listing = {
  merchantAccountId: queryInteger(Id).optional(),
  sandbox,
  limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
  cursor: z.string().max(1_000).optional(),
};

function placeOf(cursor: string | undefined) {
  return cursor === undefined ? {} : { after: inCursor(cursor, z.string()) };
}

function settlementEndpoints(services: FaceServices): Endpoint[] {
  return [
    importFile(services),
    settlePayouts(services),
    list(services),
    unmatched(services),
    get(services),
  ];
}

function importFile(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'importSettlement',
    action: 'settlements.import',
    method: 'POST',
    path: PATH,
    tag: TAG,
    summary: 'Import a settlement file',
    description:
      'A CSV file in UTF-8 with a header. Columns in any order: `reference` (of the line, unique in the account), `kind` (`capture`, `refund`, `chargeback`, `reversal` of a chargeback, `reserve` for a part of the reserve that was released, `fee`), `gatewayTransactionId` or `arn`, `amount` (positive, before fees and reserve), `currency`, `fee` (what the acquirer kept of it; 0 when absent), `settledDate` (`yyyy-mm-dd`). A line that agrees with the books is booked: debit bank, credit acquirer receivable; what the acquirer takes back, the reverse. Everything else is a difference, listed under `/unmatched`. A line is booked once, however often and in whatever order it is imported: repeat an import that was cut off.',
    access: WRITE,
    query: z.object({
      merchantAccountId: queryInteger(Id.meta({ example: 1 })),
      name: text(200).min(1).optional().meta({
        description:
          'Names the file within its account: the same name again completes or repeats its import',
      }),
      graceDays: queryInteger(z.int().min(0).max(MAX_GRACE_DAYS)).optional().meta({
        description:
          'What was booked so many days before the last settled date and is in no file is `missing-there`. Absent: 3',
      }),
      sandbox,
    }),
    upload: { mediaType: CSV_TYPE, maxBytes: MAX_FILE_BYTES, example: EXAMPLE },
    responses: {
      201: {
        description: 'The file was taken',
        schema: envelopeOf(ImportedBody, 'SettlementImported'),
      },
    },
    rejections: ['live_data_forbidden', 'reference_unknown', 'overloaded'],
    idempotency: 'none',
    async handle(context, { query }) {
      const { settlements } = ledgerFor(services, context);
      const item = await settlements.import(query, context.content());
      const found = Object.values(item.differences).reduce((sum, each) => sum + each, 0);
      const message = `${item.booked} of ${item.lines} lines booked, ${found} differences`;
      return {
        status: 201,
        headers: { Location: `${PATH}/${item.id}` },
        body: { success: true, message, item },
      };
    },
  });
}

function settlePayouts(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'settlePayouts',
    action: 'settlements.settle',
    method: 'POST',
    path: `${PATH}/payouts`,
    tag: TAG,
    summary: 'Settle the payouts of a gateway',
    description:
      'Reads what the gateway of a merchant account has paid out, and books its lines as those of a file, each payout as an import with its id as the name. Once, however often it is done: an import that was cut off is completed. The host does it every six hours too. Refused (400) for an account whose gateway says no payouts, as the sandbox does not: on the demo, which has no other gateway, the sample is refused.',
    access: WRITE,
    query: z.object({
      merchantAccountId: queryInteger(Id.meta({ example: 1 })),
      since: Day.optional().meta({
        description:
          'Payouts that were made on this day (GMT) or later, those with differences again. Absent: what is new, and of the last 35 days at first',
      }),
      sandbox,
    }),
    responses: { 200: { description: 'They are settled', schema: SettledBody } },
    rejections: [
      'live_data_forbidden',
      'reference_unknown',
      'invalid_request',
      'gateway_error',
      'overloaded',
    ],
    idempotency: 'none',
    async handle(context, { query }) {
      const { settlements } = ledgerFor(services, context);
      const { items, waiting } = await settlements.settle(query);
      const message = `${items.length} payouts read, ${waiting} are on their way`;
      const body = { success: true, message, count: items.length, waiting, items } as const;
      return { status: 200, body };
    },
  });
}

function list(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listSettlements',
    method: 'GET',
    path: PATH,
    tag: TAG,
    summary: 'List imports of settlement files',
    description: 'The newest first.',
    access: READ,
    query: z.object(listing),
    responses: {
      200: { description: 'A page of imports', schema: pageOf(SettlementBody, 'Settlements') },
    },
    rejections: ['live_data_forbidden'],
    idempotency: 'none',
    async handle(context, { query: { cursor, ...query } }) {
      const { settlements } = ledgerFor(services, context);
      const page = await settlements.list({ ...query, ...placeOf(cursor) });
      return { status: 200, body: pageBody(page) };
    },
  });
}

function unmatched(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listUnmatchedSettlements',
    method: 'GET',
    path: `${PATH}/unmatched`,
    tag: TAG,
    summary: 'List what is unmatched',
    description:
      'Every difference between a settlement file and the books that no later line has resolved, the oldest first.',
    access: READ,
    query: z.object({
      ...listing,
      settlementId: Uuid.optional().meta({ description: 'Found by this import' }),
    }),
    responses: {
      200: {
        description: 'A page of differences',
        schema: pageOf(UnmatchedBody, 'UnmatchedSettlements'),
      },
    },
    rejections: ['live_data_forbidden'],
    idempotency: 'none',
    async handle(context, { query: { cursor, ...query } }) {
      const { settlements } = ledgerFor(services, context);
      const page = await settlements.unmatched({ ...query, ...placeOf(cursor) });
      return { status: 200, body: pageBody(page) };
    },
  });
}

function get(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getSettlement',
    method: 'GET',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Read an import of a settlement file',
    description: 'What the file came to.',
    access: READ,
    params: z.object({ id: Uuid.meta({ description: 'The import' }) }),
    query: z.object({ sandbox }),
    responses: {
      200: { description: 'The import', schema: envelopeOf(SettlementBody, 'SettlementAnswer') },
    },
    rejections: ['live_data_forbidden', 'not_found'],
    idempotency: 'none',
    async handle(context, { params, query }) {
      const { settlements } = ledgerFor(services, context);
      const item = await settlements.get(params.id, query);
      if (item === undefined) throw refuse('not_found');
      return { status: 200, body: { success: true, message: '', item } };
    },
  });
}

export const SETTLEMENTS = apiSlice(
  settlementEndpoints,
  rows({
    SettlementUnknown: { code: 'not_found' },
    SettlementDiffers: {
      code: 'payment_state',
      text: ({ difference }) => `A settlement line differs from the books: ${difference.type}`,
    },
  }),
);
