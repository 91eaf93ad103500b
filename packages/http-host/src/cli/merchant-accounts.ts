/** `counterfoil merchant-accounts …`: opens the merchant accounts of a file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Sequence, type TenantId } from '@counterfoil/core';
import { type Command, InvalidArgumentError } from 'commander';
import { openLines, summaryOf } from '../api/merchant-account-batch.ts';
import { readCsv, readJsonLines } from '../api/merchant-account-lines.ts';
import { wireRefusalOf } from '../api/refusals.ts';
import { Refusal } from '../http/errors.ts';
import { withProgressBar } from './progress-bar.ts';
import { OPERATOR, type Session, tenantIdOf } from './session.ts';

interface AccountFile {
  readonly lines: readonly unknown[];
  /** Names the content: the same file opens each of its lines once. */
  readonly idempotencyKey: string;
}

const READ: Readonly<Record<string, (bytes: Buffer) => unknown[]>> = {
  '.csv': readCsv,
  '.jsonl': readJsonLines,
  '.ndjson': readJsonLines,
};
const MAX_LINES = Sequence.MAX_BLOCK_SIZE;

export function addMerchantAccountCommands(program: Command, session: Session): void {
  program
    .command('merchant-accounts')
    .description('Open merchant accounts')
    .command('import')
    .description(
      'Open the merchant accounts of a file, CSV or JSON lines; the same file opens them once',
    )
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<file>', `its name ends in ${Object.keys(READ).join(', ')}`, readFile)
    .option('--atomic', 'open nothing where a line is refused')
    .action((tenantId: TenantId, file: AccountFile, { atomic = false }: { atomic?: boolean }) =>
      importAccounts(session, tenantId, { ...file, atomic }),
    );
}

async function importAccounts(
  session: Session,
  tenantId: TenantId,
  { lines, ...options }: AccountFile & { readonly atomic: boolean },
): Promise<void> {
  const { console, stderr } = session;
  await session.withHost(async ({ engine }) => {
    const { merchantAccounts } = engine.ledgers.as({ tenantId, ...OPERATOR });
    const results = await withProgressBar(stderr, 'Merchant accounts', (onProgress) =>
      openLines(merchantAccounts, lines, {
        tenantId,
        refusalOf: wireRefusalOf,
        onProgress,
        ...options,
      }),
    );
    for (const { line, id, code, message, errors } of results) {
      const faults = errors.map(({ detail }) => detail).join('; ');
      const outcome = id === null ? `${code}: ${faults || message}` : `opened as ${id}`;
      console.log(`${line}: ${outcome}`);
    }
    const { success, message } = summaryOf(results);
    console.log(message);
    if (!success) session.exitCode = 1;
  });
}

function readFile(path: string): AccountFile {
  const read = READ[extname(path).toLowerCase()];
  if (read === undefined) {
    throw new InvalidArgumentError(`the name must end in ${Object.keys(READ).join(', ')}`);
  }
  try {
    const bytes = readFileSync(path);
    const lines = read(bytes);
    if (lines.length === 0 || lines.length > MAX_LINES) {
      throw new InvalidArgumentError(`must have 1 to ${MAX_LINES} lines`);
    }
    return { lines, idempotencyKey: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    const [fault] = error instanceof Refusal ? (error.errors ?? []) : [];
    throw new InvalidArgumentError(fault?.detail ?? (error as Error).message);
  }
}
