/** `counterfoil settlements …`: imports a settlement file of an acquirer. */
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { TenantId } from '@counterfoil/core';
import { type Command, InvalidArgumentError } from 'commander';
import { withProgressBar } from './progress-bar.ts';
import { OPERATOR, type Session, tenantIdOf, wholeNumber } from './session.ts';

interface File {
  readonly path: string;
  readonly bytes: number;
}

interface Options {
  readonly merchantAccount: number;
  readonly name?: string;
  readonly graceDays?: number;
  readonly sandbox?: boolean;
}

export function addSettlementCommands(program: Command, session: Session): void {
  program
    .command('settlements')
    .description('Settlement files of acquirers')
    .command('import')
    .description(
      'Book the lines of a CSV file that agree with the books; the same file books them once',
    )
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<file>', 'see the reference of POST /api/admin/settlements for its columns', fileAt)
    .requiredOption('--merchant-account <id>', 'the account that it is of', wholeNumber)
    .option('--name <name>', 'names the file within its account; its file name when absent')
    .option('--grace-days <days>', 'after which a movement is missing in the file', wholeNumber)
    .option('--sandbox', 'it is of sandbox data')
    .action((tenantId: TenantId, file: File, options: Options) =>
      importFile(session, tenantId, { file, options }),
    );
}

async function importFile(
  session: Session,
  tenantId: TenantId,
  { file, options }: { readonly file: File; readonly options: Options },
): Promise<void> {
  const { console, stderr } = session;
  const { merchantAccount: merchantAccountId, graceDays, sandbox } = options;
  const request = { merchantAccountId, name: options.name ?? basename(file.path) };
  await session.withHost(async ({ engine }) => {
    const { settlements } = engine.ledgers.as({ tenantId, ...OPERATOR });
    const done = await withProgressBar(stderr, 'Settlement', (onProgress) =>
      settlements.import(
        {
          ...request,
          ...(graceDays !== undefined && { graceDays }),
          ...(sandbox !== undefined && { sandbox }),
        },
        createReadStream(file.path),
        ({ bytes }) => onProgress(bytes, file.bytes),
      ),
    );
    console.log(`${done.lines} lines: ${done.booked} booked, ${done.agreed - done.booked} before`);
    for (const [type, count] of Object.entries(done.differences)) console.log(`${type}: ${count}`);
  });
}

function fileAt(path: string): File {
  try {
    return { path, bytes: statSync(path).size };
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
