/** A host in this process, with one tenant that has one merchant account at the sandbox. */
import { randomBytes } from 'node:crypto';
import type { Position, TenantId } from '@counterfoil/core';
import { compose, type Host, readConfig } from '@counterfoil/http-host';

export const TENANT = 1 as TenantId;
export const ACTOR = { actor: 'bench@example.test' };
const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };
const REST_MS = 600_000;

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

/** Resolves when the followers and the read models have applied what the log holds. */
export async function atRest({ events, engine }: Host): Promise<void> {
  const head = (await events.head()) as Position;
  for (const progress of [engine.followerProgress, engine.stores.progress]) {
    const isReached = await progress.reached(head, { timeoutMs: REST_MS });
    if (!isReached) throw new Error(`the host is not at rest after ${REST_MS} ms`);
  }
}
