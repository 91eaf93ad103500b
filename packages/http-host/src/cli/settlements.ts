/** `counterfoil settlements import` and `counterfoil settle`: files of acquirers, payouts of gateways. */
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Transform } from 'node:stream';
import type { TenantId } from '@counterfoil/core';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type Address, withAddress, withHost } from './host-ways.ts';
import { type Session, tenantIdOf, wholeNumber } from './session.ts';

const Import = z.looseObject({
  name: z.string(),
  lines: z.int(),
  booked: z.int(),
  agreed: z.int(),
  differences: z.record(z.string(), z.int()),
});
const Imported = z.object({ item: Import });
const Settled = z.object({ items: z.array(Import), waiting: z.int() });

interface File {
  readonly path: string;
  readonly bytes: number;
}

interface OfAccount extends Address {
  readonly merchantAccount: number;
  readonly sandbox?: boolean;
}

interface Options extends OfAccount {
  readonly name?: string;
  readonly graceDays?: number;
}

export function addSettlementCommands(program: Command, session: Session): void {
  const settlements = program.command('settlements').description('Settlement files of acquirers');
  withAddress(
    settlements
      .command('import')
      .description(
        'Book the lines of a CSV file that agree with the books; the same file books them once',
      )
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
      .argument(
        '<file>',
        'see the reference of POST /api/admin/settlements for its columns',
        fileAt,
      )
      .requiredOption('--merchant-account <id>', 'the account that it is of', wholeNumber)
      .option('--name <name>', 'names the file within its account; its file name when absent')
      .option('--grace-days <days>', 'after which a movement is missing in the file', wholeNumber)
      .option('--sandbox', 'it is of sandbox data'),
  ).action((tenantId: TenantId, file: File, options: Options) =>
    importFile(session, tenantId, { file, options }),
  );
  withAddress(
    program
      .command('settle')
      .description('Book the lines of what the gateway of an account has paid out, each once')
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
      .requiredOption('--merchant-account <id>', 'the account that was paid', wholeNumber)
      .option('--since <day>', 'payouts made from this day on, those with differences again')
      .option('--sandbox', 'payouts of sandbox data'),
  ).action((tenantId: TenantId, options: OfAccount & { readonly since?: string }) =>
    settle(session, tenantId, options),
  );
}

async function settle(
  session: Session,
  tenantId: TenantId,
  options: OfAccount & { readonly since?: string },
): Promise<void> {
  const { merchantAccount: merchantAccountId, since, sandbox } = options;
  await withHost(
    session,
    options,
    async (host) => {
      const path = '/api/admin/settlements/payouts';
      const query = { merchantAccountId, since, sandbox };
      const settled = await host.ask(Settled, { method: 'POST', path, tenantId, query });
      session.print(settled, (console) => {
        for (const each of settled.items) print(console, each, `${each.name}: `);
        console.log(`${settled.items.length} payouts read, ${settled.waiting} are on their way`);
      });
    },
    { readModels: true },
  );
}

function print(
  console: Console,
  { lines, booked, agreed, differences }: z.output<typeof Import>,
  title = '',
): void {
  console.log(`${title}${lines} lines: ${booked} booked, ${agreed - booked} before`);
  for (const [type, count] of Object.entries(differences)) console.log(`${type}: ${count}`);
}

async function importFile(
  session: Session,
  tenantId: TenantId,
  { file, options }: { readonly file: File; readonly options: Options },
): Promise<void> {
  const { merchantAccount: merchantAccountId, graceDays, sandbox } = options;
  const name = options.name ?? basename(file.path);
  const query = { merchantAccountId, name, graceDays, sandbox };
  await withHost(
    session,
    options,
    async (host) => {
      const { item } = await session.withProgress('Settlement', (onProgress) =>
        host.ask(Imported, {
          method: 'POST',
          path: '/api/admin/settlements',
          tenantId,
          query,
          content: { type: 'text/csv', data: () => contentOf(file, onProgress) },
        }),
      );
      session.print(item, (console) => print(console, item));
    },
    { readModels: true },
  );
}

/** The file, telling how much of it has been sent. */
function contentOf({ path, bytes }: File, onProgress: (done: number, total: number) => void) {
  let sent = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      onProgress(sent, bytes);
      done(null, chunk);
    },
  });
  return createReadStream(path)
    .on('error', (error) => counting.destroy(error))
    .pipe(counting);
}

function fileAt(path: string): File {
  try {
    accessSync(path, constants.R_OK);
    const stats = statSync(path);
    if (!stats.isFile()) throw new Error(`${path} is not a file`);
    return { path, bytes: stats.size };
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
