/** Admin: open many merchant accounts with one request, and a result for each line. */
import type { BatchLine, TenantLedger } from '@counterfoil/engine';
import { notACardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { withoutNulls } from '../http/absent-members.ts';
import { type BodyType, type Endpoint, endpoint } from '../http/endpoint.ts';
import { ERRORS, type ErrorDetail, type Refusal, refuse } from '../http/errors.ts';
import { strict } from '../http/input-schema.ts';
import { readInput } from '../http/invalid-input.ts';
import {
  MERCHANT_ACCOUNT_WRITE,
  MERCHANT_ACCOUNTS_PATH,
  MerchantAccountInput,
  writableOf,
} from './merchant-account-body.ts';
import { MAX_LINES, readCsv, readJsonLines, Unreadable } from './merchant-account-lines.ts';
import { apiSlice } from './slice.ts';
import { type FaceServices, ledgerFor, QueryBoolean } from './wire.ts';

/** The code of a line that another line kept from being opened. */
const NOT_ATTEMPTED = 'not_attempted';

const BatchQuery = z.object({
  atomic: QueryBoolean.default(false).meta({
    description: 'true: nothing is opened where a line is refused',
  }),
});

const Line = strict(MerchantAccountInput);

/** Each line is checked by itself: a line that is wrong is refused, and not the request. */
const BatchInput = notACardNumber(z.array(z.unknown()).min(1).max(MAX_LINES)).meta({
  id: 'MerchantAccountBatch',
  override: ({ jsonSchema }: { jsonSchema: { items?: unknown } }) => {
    jsonSchema.items = { $ref: '#/components/schemas/MerchantAccountInput' };
  },
});

const LineError = z
  .object({
    pointer: z.string().meta({ description: 'JSON Pointer into the line, or empty' }),
    detail: z.string().meta({ description: 'What is wrong' }),
  })
  .meta({ id: 'MerchantAccountLineError' });

const LineResultBody = z
  .object({
    line: z.int32().meta({ description: 'From 1; without the header and empty lines' }),
    success: z.boolean(),
    id: z.int().nullable().meta({ description: 'The merchant account id; null when not opened' }),
    message: z.string(),
    code: z
      .string()
      .nullable()
      .meta({
        description: `Null, an error code, or \`${NOT_ATTEMPTED}\` where another line was refused`,
      }),
    errors: z.array(LineError).meta({ description: 'The fields at fault' }),
  })
  .meta({ id: 'MerchantAccountLine' });

type LineResult = Omit<z.output<typeof LineResultBody>, 'errors'> & Pick<LineRefusal, 'errors'>;

const BatchResult = z
  .object({
    success: z.boolean().meta({ description: 'Whether every line was opened' }),
    message: z.string(),
    count: z.int32().meta({ description: 'The lines' }),
    opened: z.int32().meta({ description: 'The lines that were opened' }),
    results: z.array(LineResultBody).meta({ description: 'In the order of the lines' }),
  })
  .meta({ id: 'MerchantAccountBatchResult' });

const CSV_EXAMPLE = `mid,title,companyId,gatewayId,descriptor,defaultCurrency,currencies,apiKey,monthlyCap
700000000003,Online Retail USD,1,1,ONLINE RETAIL,USD,USD;CAD,key-of-the-gateway,50000
`;
const JSON_LINES_EXAMPLE =
  '{"mid":"700000000004","title":"Online Retail JPY","companyId":1,"gatewayId":1,"descriptor":"ONLINE RETAIL","defaultCurrency":"JPY","currencies":[{"currency":"JPY"}]}\n';

const TYPES: readonly BodyType[] = [
  { mediaType: 'text/csv', read: readCsv, example: CSV_EXAMPLE },
  { mediaType: 'application/x-ndjson', read: readJsonLines, example: JSON_LINES_EXAMPLE },
  { mediaType: 'application/jsonl', read: readJsonLines, example: JSON_LINES_EXAMPLE },
];

interface BatchOptions {
  /** What a line is answered that the engine refuses. */
  readonly refusalOf: (error: unknown) => Refusal | undefined;
}

export interface BatchServices extends FaceServices, BatchOptions {}

function batch(services: BatchServices): Endpoint {
  return endpoint({
    operationId: 'openMerchantAccounts',
    action: 'merchantAccounts.batch',
    method: 'POST',
    path: `${MERCHANT_ACCOUNTS_PATH}/batch`,
    tag: 'Admin',
    summary: 'Open many merchant accounts',
    description: `At most ${MAX_LINES} lines: CSV with a header (\`text/csv\`), a JSON object a line (\`application/x-ndjson\`), or an array. The columns are the fields of a merchant account; \`currencies\` has codes with semicolons between them (without it, the default currency), and \`apiKey\`, \`username\`, \`password\` and \`emailAddress\` hold for all of them. An empty cell is absent; a column that is not known is refused. Each line is opened or refused by itself, unless \`atomic\` is true. Under an Idempotency-Key each line is opened once: after a failure in the middle, the same request opens the rest.`,
    access: MERCHANT_ACCOUNT_WRITE,
    query: BatchQuery,
    body: BatchInput,
    bodyTypes: TYPES,
    responses: { 200: { description: 'A result for each line', schema: BatchResult } },
    rejections: ['invalid_request', 'concurrent_update'],
    idempotency: 'money',
    async handle(context, { query: { atomic }, body }) {
      const { principal, idempotencyKey } = context;
      const results = await openLines(ledgerFor(services, context).merchantAccounts, body, {
        tenantId: principal.tenantId,
        refusalOf: services.refusalOf,
        atomic,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      const summary = summaryOf(results);
      // Once what a line lacks is there, the same request opens it.
      return { status: 200, isFinal: summary.success, body: { ...summary, results } };
    },
  });
}

type OpenedLines = Omit<Parameters<TenantLedger['merchantAccounts']['batch']>[0], 'lines'>;

interface LineOptions extends BatchOptions, OpenedLines {
  readonly tenantId: number;
}

/** Opens the accounts of lines, as they were read from a file. Another tenant's line is refused. */
export async function openLines(
  accounts: TenantLedger['merchantAccounts'],
  lines: readonly unknown[],
  { tenantId, refusalOf, ...options }: LineOptions,
): Promise<readonly LineResult[]> {
  const given = lines.map(present);
  checkTenant(tenantId, given);
  const opened = await accounts.batch({ ...options, lines: given.map(settable) });
  return opened.map((line, index) => ({
    line: index + 1,
    ...resultOf(line, lineRefusal(refusalOf, line, given[index])),
  }));
}

/** In a line too, null means absent. */
function present(line: unknown): unknown {
  return line instanceof Unreadable ? line : withoutNulls(Line, line);
}

function checkTenant(tenantId: number, lines: readonly unknown[]): void {
  for (const line of lines) {
    if (typeof line !== 'object' || line === null || !('parentCompanyId' in line)) continue;
    if (line.parentCompanyId !== tenantId) throw refuse('tenant_mismatch');
  }
}

/** What the engine is given of a line; it refuses what has another form. */
function settable(line: unknown): unknown {
  const read = Line.safeParse(line);
  return read.success ? writableOf(read.data) : null;
}

interface LineRefusal {
  readonly code: string;
  readonly message: string;
  readonly errors: readonly Pick<ErrorDetail, 'pointer' | 'detail'>[];
}

/** Undefined where the line was opened. */
function lineRefusal(
  refusalOf: BatchOptions['refusalOf'],
  { account, refused }: BatchLine,
  given: unknown,
): LineRefusal | undefined {
  if (account !== undefined) return undefined;
  if (refused === undefined) {
    return { code: NOT_ATTEMPTED, message: 'Another line was refused', errors: [] };
  }
  if (given instanceof Unreadable) {
    const errors = [{ pointer: '', detail: given.detail }];
    return { code: 'invalid_request', message: ERRORS.invalid_request.title, errors };
  }
  const refusal = refusalOf(refused) ?? refuse('internal_error');
  // In the words of the interface.
  const { errors: found } = readInput(Line, given, 'body');
  const errors = found.length > 0 ? found : (refusal.errors ?? []);
  const shown = errors.map(({ pointer, detail }) => ({ pointer, detail }));
  return { code: refusal.code, message: refusal.message, errors: shown };
}

function resultOf({ account }: BatchLine, refusal: LineRefusal | undefined) {
  return {
    success: refusal === undefined,
    id: account?.merchantAccountId ?? null,
    message: refusal?.message ?? 'Opened',
    code: refusal?.code ?? null,
    errors: refusal?.errors ?? [],
  };
}

export function summaryOf(results: readonly { readonly success: boolean }[]) {
  const count = results.length;
  const opened = results.filter(({ success }) => success).length;
  return { success: opened === count, message: `Opened ${opened} of ${count}`, count, opened };
}

export const MERCHANT_ACCOUNT_BATCH = apiSlice((services: BatchServices) => [batch(services)]);
