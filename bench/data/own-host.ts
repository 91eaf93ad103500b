/** A host in this process, with one tenant that has one merchant account at the sandbox. */
import { randomBytes } from 'node:crypto';
import type { TenantId } from '@counterfoil/core';
import { compose, type Host, readConfig } from '@counterfoil/http-host';

export const TENANT = 1 as TenantId;
export const ACTOR = { actor: 'bench@example.test' };
const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };

export interface OwnHost {
  readonly merchantAccountId?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openOwnHost(
  folder: string,
  { merchantAccountId = 1, env = {} }: OwnHost = {},
): Promise<Host> {
  const masterKey = randomBytes(32).toString('base64');
  const host = await compose(
    readConfig({ DATA_DIR: folder, MASTER_KEY: masterKey, LOG_LEVEL: 'error', ...env }),
  );
  await host.tenants.onboard(TENANT, { name: 'Bench' }, ACTOR);
  const company = { companyId: 1, name: 'Bench', at: new Date().toISOString() };
  await host.tenants.define({ type: 'DefineCompany', tenantId: TENANT, ...company }, ACTOR);
  const account = {
    mid: '1',
    title: 'Main',
    companyId: company.companyId,
    gatewayId: 1,
    descriptor: 'BENCH',
    defaultCurrency: 'GBP',
    currencies: [{ currency: 'GBP', gatewayCredentials: NO_CREDENTIALS }],
  };
  await host.merchantAccounts.openOnce(TENANT, merchantAccountId, account, ACTOR);
  return host;
}
