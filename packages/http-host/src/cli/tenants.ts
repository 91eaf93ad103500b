/** `counterfoil tenants …`: onboarding and settings. */
import type { TenantId } from '@counterfoil/core';
import type { Command } from 'commander';
import { OPERATOR, tenantIdOf, wholeNumber, withHost } from './session.ts';

interface SettingOptions {
  readonly requestsPerMinute?: number;
  readonly refundWindowDays?: number;
  readonly reserveHoldDays?: number;
}

export function addTenantCommands(program: Command): void {
  const tenants = program
    .command('tenants')
    .description('Onboard tenants and change their settings');
  withSettings(
    tenants
      .command('onboard')
      .description('Onboard a tenant')
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
      .argument('<name>', 'its name'),
  ).action((tenantId: TenantId, name: string, settings: SettingOptions) =>
    withHost(async (host) => {
      await host.tenants.onboard(tenantId, { name, settings }, OPERATOR);
      console.log(`Tenant ${tenantId} is onboarded`);
    }),
  );
  withSettings(
    tenants
      .command('set')
      .description('Change settings of a tenant')
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf),
  ).action((tenantId: TenantId, settings: SettingOptions) =>
    withHost(async (host) => {
      await host.tenants.changeSettings(tenantId, settings, OPERATOR);
      console.log(`The settings of tenant ${tenantId} are kept`);
    }),
  );
}

function withSettings(command: Command): Command {
  return command
    .option('--requests-per-minute <count>', 'rate limit of each environment', wholeNumber)
    .option('--refund-window-days <days>', 'how long a capture may be refunded', wholeNumber)
    .option('--reserve-hold-days <days>', 'how long a rolling reserve is held', wholeNumber);
}
