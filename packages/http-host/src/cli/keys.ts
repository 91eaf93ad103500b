/** `counterfoil keys …`: issue, list, rotate and revoke API keys. */
import type { TenantId } from '@counterfoil/core';
import { ALL_SCOPES, type Environment } from '@counterfoil/engine';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { OPERATOR, type Session, tenantIdOf, wholeNumber } from './session.ts';

interface CreateOptions {
  readonly environment: Environment;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string;
}

export function addKeyCommands(program: Command, session: Session): void {
  const keys = program.command('keys').description('Issue, list, rotate and revoke API keys');
  keys
    .command('create')
    .description('Issue an API key; it is shown once')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .addOption(
      new Option('--environment <name>', 'live, or test for sandbox data only')
        .choices(['live', 'test'])
        .default('live'),
    )
    .option('--label <text>', 'what the key is for', '')
    .option('--scopes <scope...>', 'what the key may do', [...ALL_SCOPES])
    .option('--expires-at <instant>', 'ISO 8601; never when absent', instant)
    .action((tenantId: TenantId, options: CreateOptions) =>
      session.withHost(async (host) => {
        const issued = await host.tenants.issueKey(tenantId, { kind: 'api', ...options }, OPERATOR);
        session.console.log(
          `id:  ${issued.keyId}\nkey: ${issued.key}\nKeep the key: it is not shown again.`,
        );
      }),
    );
  keys
    .command('list')
    .description('List the keys of a tenant')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .action((tenantId: TenantId) =>
      session.withHost(async (host) => {
        const rows = (await host.tenants.keysOf(tenantId)).map((key) => ({
          id: key.keyId,
          key: key.hint,
          kind: key.kind,
          label: key.label,
          scopes: key.scopes.join(' '),
          issued: key.issuedAt,
          expires: key.expiresAt ?? 'never',
          revoked: key.revokedAt ?? '',
        }));
        session.console.table(rows);
      }),
    );
  keys
    .command('rotate')
    .description('Issue a successor with the same rights')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<key-id>', 'the key to replace')
    .option('--overlap-days <days>', 'how long the old key lives on, 0 to 7', wholeNumber, 0)
    .action((tenantId: TenantId, keyId: string, { overlapDays }: { overlapDays: number }) =>
      session.withHost(async (host) => {
        const issued = await host.tenants.rotateKey(tenantId, { keyId, overlapDays }, OPERATOR);
        session.console.log(
          `id:  ${issued.keyId}\nkey: ${issued.key}\nKeep the key: it is not shown again.`,
        );
      }),
    );
  keys
    .command('revoke')
    .description('Revoke a key at once')
    .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
    .argument('<key-id>', 'the key to revoke')
    .action((tenantId: TenantId, keyId: string) =>
      session.withHost(async (host) => {
        await host.tenants.revokeKey(tenantId, keyId, OPERATOR);
        session.console.log(`Key ${keyId} is revoked`);
      }),
    );
}

function instant(text: string): string {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new InvalidArgumentError('must be an instant, such as 2030-01-31T12:00:00Z');
}
