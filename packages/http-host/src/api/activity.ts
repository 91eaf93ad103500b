/** Admin: the activity of a tenant, in pages or as a file. */
import { type ActivityRecord, OUTCOMES } from '@counterfoil/engine';
import { IN_ORDER, inOrder, mayHoldCardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { At } from './answer-fields.ts';
import { ADMIN, adminAccess, pageBody, pageOf } from './collections.ts';
import { CSV_TYPE, csvOf } from './csv.ts';
import { inCursor } from './cursor.ts';
import { Environment } from './keys.ts';
import { apiSlice } from './slice.ts';
import { Day, type FaceServices, ledgerFor, queryInteger, text } from './wire.ts';

const MAX_LIMIT = 100;
const JSON_LINES_TYPES = ['application/x-ndjson', 'application/jsonl'] as const;

const Outcome = z.enum(OUTCOMES).meta({
  description:
    '`done`: carried out, also where the gateway declined · `refused`: for a reason of the request · `failed`: for another reason; it may have been carried out · `replayed`: answered as the request before it under the same `Idempotency-Key`',
});

const fields = {
  id: z.string().meta({ format: 'uuid', description: 'Records sort by it: by time' }),
  at: At.meta({ description: 'When it was answered' }),
  environment: Environment,
  actor: z.string().meta({ description: '`UserEmail`, or the key that named nobody' }),
  keyId: z.string().nullable().meta({ description: 'null: not by a key' }),
  requestId: z.string().nullable().meta({ description: '`X-Request-Id` of the answer' }),
  action: z.string().meta({ description: 'What was asked for', example: 'payments.refund' }),
  subject: z.string().nullable().meta({
    description: 'The id that it was about; null where there is none, or none was known',
  }),
  outcome: Outcome,
  code: z.string().nullable().meta({ description: 'Of the error that was answered' }),
  remoteAddress: z.string().nullable().meta({ description: 'Where the request came from' }),
};
const Item = z.object(fields).meta({ id: 'Activity' });

const Query = z
  .object({
    environment: Environment.optional().meta({ description: 'Default: `live`' }),
    actor: text(255).optional().meta({ description: 'Exactly as recorded' }),
    keyId: text(255).optional().meta({ description: 'By this key' }),
    action: text(100).optional().meta({
      description: 'As the reference names it for each operation',
      example: 'payments.refund',
    }),
    subject: text(100).optional().meta({ description: 'The id that it was about' }),
    outcome: Outcome.optional(),
    dateFrom: Day.optional().meta({ description: 'The first day, in GMT' }),
    dateTo: Day.optional().meta({ description: 'The last day, in GMT' }),
    limit: queryInteger(z.int().min(1).max(MAX_LIMIT))
      .optional()
      .meta({
        description: `Items of a page. Default: ${MAX_LIMIT}. Not for a file`,
      }),
    cursor: mayHoldCardNumber(z.string().max(1_000)).optional().meta({
      description: '`next` of the page before. Not for a file',
    }),
  })
  .refine(inOrder, IN_ORDER);

function activityEndpoints(services: FaceServices): Endpoint[] {
  return [
    endpoint({
      operationId: 'listActivity',
      action: 'activity.export',
      recorded: 'exports',
      method: 'GET',
      path: '/api/admin/activity',
      tag: ADMIN,
      summary: 'List activity',
      description:
        'A record for each command, each one that was refused, and each read of a detail, of a customer and of a file, the newest first. Filters hold together. With `Accept: text/csv` or `application/x-ndjson` all records that match are one file, of any length: a row or a JSON object a line.',
      access: adminAccess('activity:read'),
      query: Query,
      responses: {
        200: {
          description: 'A page of records, or all of them as a file',
          schema: pageOf(Item, 'Activity'),
          orElse: [CSV_TYPE, ...JSON_LINES_TYPES],
        },
      },
      rejections: ['not_acceptable'],
      idempotency: 'none',
      async handle(context, { query: { limit, cursor, ...filter } }) {
        const type = context.accepted([
          'application/json',
          CSV_TYPE,
          ...JSON_LINES_TYPES,
          'application/problem+json',
        ]);
        if (type === undefined) throw refuse('not_acceptable');
        const { activity } = ledgerFor(services, context);
        if (type === 'application/json' || type === 'application/problem+json') {
          const after = cursor === undefined ? undefined : inCursor(cursor, z.string().max(64));
          const page = await activity.list({ ...filter, limit, after });
          return { status: 200, body: pageBody(page) };
        }
        refusePaging({ limit, cursor });
        const pages = await activity.export(filter);
        const isCsv = type === CSV_TYPE;
        return {
          status: 200,
          chunks: isCsv ? activityCsv(pages) : jsonChunks(pages),
          contentType: isCsv
            ? `${CSV_TYPE}; charset=utf-8; header=present`
            : `${type}; charset=utf-8`,
        };
      },
    }),
  ];
}

/** A file has all records. */
function refusePaging(given: Readonly<Record<string, unknown>>): void {
  const errors = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => ({ pointer: `/query/${name}`, detail: 'A file has all records' }));
  if (errors.length > 0) throw refuse('invalid_request', undefined, { errors });
}

type Pages = AsyncIterable<readonly ActivityRecord[]>;

const COLUMNS = Object.keys(fields) as (keyof typeof fields)[];

/** A row for each record, below the names of the columns. */
export async function* activityCsv(pages: Pages): AsyncGenerator<string> {
  yield csvOf(COLUMNS, []);
  for await (const page of pages) {
    yield csvOf(
      undefined,
      page.map((record) => COLUMNS.map((name) => record[name] ?? '')),
    );
  }
}

async function* jsonChunks(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((each) => `${JSON.stringify(each)}\n`).join('');
}

export const ACTIVITY = apiSlice(activityEndpoints);
