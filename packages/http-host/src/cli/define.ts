/** `counterfoil define`: merchant accounts and reference data from a file. */
import { readFileSync } from 'node:fs';
import type { TenantId } from '@counterfoil/core';
import { counted } from '@counterfoil/engine';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { Definitions } from '../operator/definitions.ts';
import { inOneLine } from './failures.ts';
import { withOwnHost } from './host-ways.ts';
import { type Session, tenantIdOf } from './session.ts';

const Defined = z.object({ changed: z.array(z.string()) });

export function addDefineCommands(program: Command, session: Session): void {
  program
    .command('define')
    .description(
      'Define companies, shops, products, merchant accounts and the like from a JSON file',
    )
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<file>', 'see the README for its form', readDefinitions)
    .action((tenantId: TenantId, json: unknown) =>
      withOwnHost(session, async (host) => {
        const request = { method: 'POST', path: '/operator/definitions', tenantId, json } as const;
        const { changed } = await host.ask(Defined, request);
        session.print({ tenantId, changed }, (console) => {
          console.log(`Tenant ${tenantId} has what the file defines`);
          console.log(changed.length === 0 ? 'Nothing changed' : changeReport(changed));
        });
      }),
    );
}

function changeReport(changed: readonly string[]): string {
  return [`${counted(changed.length, 'definition')} made or changed:`, ...changed].join('\n  ');
}

/** Checked here, so that a wrong file is refused before anything is opened. */
function readDefinitions(path: string): unknown {
  const content = jsonIn(path);
  const parsed = Definitions.safeParse(content);
  if (parsed.success) return content;
  throw new InvalidArgumentError(inOneLine(parsed.error));
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
