/** `counterfoil disputes …`: who may report chargebacks and alerts by signed messages. */
import type { TenantId } from '@counterfoil/core';
import type { Command } from 'commander';
import type { Host } from '../composition-root.ts';
import { OPERATOR, type Session, tenantIdOf } from './session.ts';

export function addDisputeCommands(program: Command, session: Session): void {
  const disputes = program
    .command('disputes')
    .description('Say who reports chargebacks and alerts by signed messages');
  disputes
    .command('set-secret')
    .description('Set the secret of a provider; it is shown once, and the one before ends in a day')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<provider>', 'a name for who reports, such as acme-alerts')
    .option('--secret <secret>', 'whsec_ and 24 to 64 bytes in base64; a new one when absent')
    .action((tenantId: TenantId, provider: string, options: { readonly secret?: string }) =>
      session.withHost(async (host) => {
        const { secret } = await disputesOf(host, tenantId).setProviderSecret({
          provider,
          ...options,
        });
        session.console.log(`secret: ${secret}\nKeep the secret: it is not shown again.`);
      }),
    );
  disputes
    .command('remove')
    .description('Refuse what a provider signs from now on')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<provider>', 'the name that it was given')
    .action((tenantId: TenantId, provider: string) =>
      session.withHost(async (host) => {
        await disputesOf(host, tenantId).removeProvider(provider);
        session.console.log(`Messages of ${provider} are refused`);
      }),
    );
}

function disputesOf({ engine }: Host, tenantId: TenantId) {
  return engine.as({ tenantId, ...OPERATOR }).disputes;
}
