/** `counterfoil disputes …`: who may report chargebacks and alerts by signed messages. */
import { readFileSync } from 'node:fs';
import type { TenantId } from '@counterfoil/core';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { withOwnHost } from './host-ways.ts';
import { type Session, tenantIdOf } from './session.ts';

const Secret = z.object({ item: z.object({ provider: z.string(), secret: z.string() }) });
const Removed = z.object({ item: z.object({ provider: z.string() }) });

export function addDisputeCommands(program: Command, session: Session): void {
  const disputes = program
    .command('disputes')
    .description('Say who reports chargebacks and alerts by signed messages');
  disputes
    .command('set-secret')
    .description('Set the secret of a provider; it is shown once, and the one before ends in a day')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<provider>', 'a name for who reports, such as acme-alerts')
    .option(
      '--secret-file <path>',
      'holds whsec_ and 24 to 64 bytes in base64; a new secret when absent',
      textIn,
    )
    .action((tenantId: TenantId, provider: string, options: { readonly secretFile?: string }) =>
      withOwnHost(session, async (host) => {
        const { item } = await host.ask(Secret, {
          method: 'PUT',
          path: pathOf(provider),
          tenantId,
          json: { secret: options.secretFile },
        });
        session.print(item, (console) =>
          console.log(`secret: ${item.secret}\nKeep the secret: it is not shown again.`),
        );
      }),
    );
  disputes
    .command('remove')
    .description('Refuse what a provider signs from now on')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<provider>', 'the name that it was given')
    .action((tenantId: TenantId, provider: string) =>
      withOwnHost(session, async (host) => {
        const request = { method: 'DELETE', path: pathOf(provider), tenantId } as const;
        const { item } = await host.ask(Removed, request);
        session.print(item, (console) => console.log(`Messages of ${provider} are refused`));
      }),
    );
}

function pathOf(provider: string): string {
  return `/operator/disputeproviders/${encodeURIComponent(provider)}`;
}

/** A secret on the command line would stand in the list of processes. */
function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
