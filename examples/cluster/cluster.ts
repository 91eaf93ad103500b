/** Two hosts and four workers on one log and one PostgreSQL, and access to those stores. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore, TenantId } from '@counterfoil/core';
import { ALL_SCOPES, type CustomerVault, openKeysToRead } from '@counterfoil/engine';
import { openSandboxGateway, type SandboxGateway } from '@counterfoil/engine/gateways';
import { openHostDatabase } from '@counterfoil/engine/storage';
import { compose, type Host, readConfig } from '@counterfoil/http-host';
import type { ReadModelStore } from '@counterfoil/projections';
import type { PostgresReadModelStore } from '@counterfoil/projections/postgres';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import type { Credentials } from '@counterfoil/test/caller';
import { compileOnce, Member } from './member.ts';
import type { Options } from './options.ts';
import { openServers } from './stores.ts';

const HOSTS = ['host A', 'host B'] as const;
const WORKERS = ['worker A', 'worker B', 'worker C', 'worker D'] as const;
const MASTER_KEY_BYTES = 32;
/** The hosts' timeout for the sandbox gateway; unknown outcomes are resolved later. */
const GATEWAY_TIMEOUT_MS = 2_000;

const OPERATOR = { actor: 'operator@cluster.example' };
/** In different shards of the read models. */
const SHOP_IDS = [1, 4, 6, 7] as const;
const NARROW_ID = 2 as TenantId;
/** More than the load ever needs. */
const NO_LIMIT = 10_000_000;
/** Requests per minute of the tenant whose rate limit is tested. */
export const NARROW_LIMIT = 40;

/** The stores, opened outside the cluster. */
export interface Inside {
  readonly events: EventStore;
  readonly readModels: ReadModelStore;
  readonly gateway: SandboxGateway;
  readonly keys: CustomerVault | undefined;
}

export interface Cluster {
  readonly hosts: readonly Member[];
  readonly workers: readonly Member[];
  readonly members: readonly Member[];
  /** The servers, for the printed summary. */
  readonly described: string;
  readonly readModelUrl: string;
  /** The tenants of the load. */
  readonly shops: readonly Credentials[];
  /** The tenant with a low rate limit. */
  readonly narrow: Credentials;
  readonly inside: Inside;
}

/** Starts all processes; they end with `making`. */
export async function startCluster(
  { log }: Options,
  making: AsyncDisposableStack,
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-cluster-'));
  making.defer(() => rmSync(folder, { recursive: true, force: true }));
  const servers = await openServers(log, making);
  const { eventStoreUrl, readModelUrl, described } = servers;
  const shared = {
    EVENT_STORE_URL: eventStoreUrl,
    READ_MODEL_URL: readModelUrl,
    MASTER_KEY: randomBytes(MASTER_KEY_BYTES).toString('base64'),
    RUN_PROJECTIONS: 'false',
    LOG_LEVEL: 'warn',
  };
  const own = (name: string) => ({ DATA_DIR: join(folder, name.replace(' ', '-')) });
  const tenants = await onboard({ ...shared, ...own('operator') });
  const env = {
    ...shared,
    PORT: '0',
    GATEWAY_TIMEOUT_MS: String(GATEWAY_TIMEOUT_MS),
    ...(await compileOnce(join(folder, 'compiled'))),
  };
  const made = (role: 'host' | 'worker', names: readonly string[]) =>
    names.map((name) => new Member({ name, role, env: { ...env, ...own(name) } }));
  const hosts = made('host', HOSTS);
  const workers = made('worker', WORKERS);
  const members = [...hosts, ...workers];
  const abandon = () => {
    for (const member of members) member.abandon();
  };
  process.once('exit', abandon);
  making.defer(async () => {
    process.removeListener('exit', abandon);
    await Promise.all(members.map((member) => member.stop()));
  });
  for (const member of members) member.start();
  const inside = await openInside({ ...shared, ...own('observer') }, making);
  return { hosts, workers, members, described, readModelUrl, ...tenants, inside };
}

type Env = Readonly<Record<string, string>>;

/** The tenants, one with a low limit, created as the command line does. */
async function onboard(env: Env): Promise<Pick<Cluster, 'shops' | 'narrow'>> {
  const host = await compose(readConfig(env));
  try {
    const shops: Credentials[] = [];
    for (const id of SHOP_IDS) shops.push(await onboardOne(host, id as TenantId, NO_LIMIT));
    return {
      shops,
      narrow: await onboardOne(host, NARROW_ID, NARROW_LIMIT),
    };
  } finally {
    await host.close();
  }
}

async function onboardOne(
  { tenants, merchantAccounts, commands }: Host,
  tenantId: TenantId,
  requestsPerMinute: number,
): Promise<Credentials> {
  const settings = { requestsPerMinute };
  await tenants.onboard(tenantId, { name: `Tenant ${tenantId}`, settings }, OPERATOR);
  const company = { companyId: 1, name: 'Company', at: commands.clock.now() };
  await tenants.define({ type: 'DefineCompany', tenantId, ...company }, OPERATOR);
  const account = {
    mid: '7001',
    title: 'Main account',
    companyId: 1,
    gatewayId: 1,
    descriptor: 'SHOP*LONDON',
    defaultCurrency: 'GBP',
    currencies: [
      {
        currency: 'GBP',
        gatewayCredentials: { apiKey: '', username: '', password: '', emailAddress: '' },
      },
    ],
    discountRatePercentage: 1.4,
    reservePercentage: 5,
    bankAuthFee: 0.1,
  };
  await merchantAccounts.openOnce(tenantId, 1, account, OPERATOR);
  const request = { kind: 'api', environment: 'live', label: '', scopes: ALL_SCOPES } as const;
  const { key } = await tenants.issueKey(tenantId, request, OPERATOR);
  return { tenantId, key };
}

async function openInside(env: Env, making: AsyncDisposableStack): Promise<Inside> {
  const closing = <Opened extends { close(): unknown }>(opened: Opened): Opened =>
    making.adopt(opened, async (each) => {
      await each.close();
    });
  const config = readConfig(env);
  const events = closing(await openLog(config.eventStoreUrl));
  const readModels: PostgresReadModelStore = closing(
    await openPostgresReadModelStore({ url: config.readModelUrl }),
  );
  const database = closing(await openHostDatabase(config.readModelUrl));
  const gateway = closing(openSandboxGateway({ database: database.pool }));
  const keys = await openKeysToRead(config);
  if (keys !== undefined) closing(keys);
  return { events, readModels, gateway, keys };
}

async function openLog(url: string): Promise<EventStore> {
  if (url.startsWith('postgres')) {
    const { openPostgresEventStore } = await import('@counterfoil/event-stores/postgres');
    return openPostgresEventStore({ url });
  }
  const { openEventStoreDb } = await import('@counterfoil/event-stores/eventstoredb');
  return openEventStoreDb({ url });
}
