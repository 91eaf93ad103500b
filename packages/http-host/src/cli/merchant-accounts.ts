/** `counterfoil merchant-accounts …`: opens the merchant accounts of a file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { TenantId } from '@counterfoil/core';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { summaryOf } from '../api/merchant-account-batch.ts';
import { MAX_LINES as LINES_OF_REQUEST, linesIn, readCsv } from '../api/merchant-account-lines.ts';
import { Refusal } from '../http/errors.ts';
import { MAX_ACCOUNT_LINES as MAX_LINES } from '../operator/endpoints.ts';
import { type HostClient, HostRefused, type HostRequest } from './host-client.ts';
import { type Address, withAddress, withHost } from './host-ways.ts';
import { type Session, tenantIdOf } from './session.ts';

interface AccountFile {
  /** Each a JSON object. */
  readonly lines: readonly string[];
  /** Names the content: the same file opens each of its lines once. */
  readonly digest: string;
}

const READ: Readonly<Record<string, (bytes: Buffer) => readonly string[]>> = {
  '.csv': (bytes) => readCsv(bytes).map((line) => JSON.stringify(line)),
  '.jsonl': linesIn,
  '.ndjson': linesIn,
};
const ENDINGS = Object.keys(READ).join(', ');
/** Progress is shown after each request. */
const LINES_AT_ONCE = Math.min(250, LINES_OF_REQUEST);

const Line = z.object({
  line: z.int(),
  success: z.boolean(),
  id: z.int().nullable(),
  message: z.string(),
  code: z.string().nullable(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })),
});
type Line = z.output<typeof Line>;
const Results = z.object({ results: z.array(Line) });

interface Import {
  readonly tenantId: TenantId;
  readonly file: AccountFile;
  readonly atomic: boolean;
}

export function addMerchantAccountCommands(program: Command, session: Session): void {
  const accounts = program.command('merchant-accounts').description('Open merchant accounts');
  withAddress(
    accounts
      .command('import')
      .description(
        'Open the merchant accounts of a file, CSV or JSON lines; the same file opens them once',
      )
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
      .argument('<file>', `its name ends in ${ENDINGS}`, readFile)
      .option('--atomic', 'open nothing where a line is refused'),
  ).action((tenantId: TenantId, file: AccountFile, options: Address & { atomic?: boolean }) =>
    importAccounts(session, options, { tenantId, file, atomic: options.atomic ?? false }),
  );
}

async function importAccounts(session: Session, address: Address, given: Import): Promise<void> {
  await withHost(
    session,
    address,
    async (host) => {
      const results = await session.withProgress('Merchant accounts', (onProgress) =>
        openedBy(host, given, onProgress),
      );
      const { success, message } = summaryOf(results);
      session.print({ success, message, results }, (console) => {
        for (const each of results) console.log(`${each.line}: ${outcomeOf(each)}`);
        console.log(message);
      });
      if (!success) session.exitCode = 1;
    },
    { readModels: true },
  );
}

/** All lines in one request where they are opened together. */
async function openedBy(
  host: HostClient,
  { tenantId, file: { lines, digest }, atomic }: Import,
  onProgress: (done: number, total: number) => void,
): Promise<readonly Line[]> {
  const size = atomic ? lines.length : LINES_AT_ONCE;
  const opened: Line[] = [];
  for (let from = 0; from < lines.length; from += size) {
    onProgress(from, lines.length);
    const { results } = await asked(host, {
      method: 'POST',
      path: '/api/admin/merchantaccounts/batch',
      query: { atomic },
      tenantId,
      content: {
        type: 'application/x-ndjson',
        data: lines.slice(from, from + size).join('\n'),
      },
      idempotencyKey: `import-${digest}-${from}`,
    });
    opened.push(...results.map((each) => ({ ...each, line: from + each.line })));
  }
  onProgress(lines.length, lines.length);
  return opened;
}

async function asked(host: HostClient, request: HostRequest) {
  try {
    return await host.ask(Results, request);
  } catch (error) {
    if (!(error instanceof HostRefused) || error.code !== 'idempotency_key_reused') throw error;
    const why = 'This file was imported otherwise before: with --atomic, or without';
    throw new HostRefused(error.code, why);
  }
}

function outcomeOf({ id, code, message, errors }: Line): string {
  const faults = errors.map(({ detail }) => detail).join('; ');
  return id === null ? `${code}: ${faults || message}` : `opened as ${id}`;
}

function readFile(path: string): AccountFile {
  const read = READ[extname(path).toLowerCase()];
  if (read === undefined) throw new InvalidArgumentError(`the name must end in ${ENDINGS}`);
  try {
    const bytes = readFileSync(path);
    const lines = read(bytes);
    if (lines.length === 0 || lines.length > MAX_LINES) {
      throw new InvalidArgumentError(`must have 1 to ${MAX_LINES} lines`);
    }
    return { lines, digest: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    const [fault] = error instanceof Refusal ? (error.errors ?? []) : [];
    throw new InvalidArgumentError(fault?.detail ?? (error as Error).message);
  }
}
