/** A host in this process, in memory or in a folder, with a clock that is moved by hand, and tenants in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Tenant, TenantId } from '@counterfoil/core';
import { ALL_SCOPES, createLogger } from '@counterfoil/engine';
import type { SandboxGateway } from '@counterfoil/engine/gateways';
import { type ComposeOptions, compose, type Host } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { openSqliteReadModelStore, type ReadModelStore } from '@counterfoil/projections';

const OPERATOR = { actor: 'operator@example.com' };
const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };

type Account = Parameters<Host['merchantAccounts']['openOnce']>[2];

export interface Onboarding {
  readonly settings?: Partial<Tenant.Settings>;
  /** Of company 1 and the sandbox, unless told otherwise. */
  readonly accounts: readonly (Omit<Partial<Account>, 'currencies'> & {
    readonly id: number;
    readonly currencies?: readonly string[];
  })[];
}

/** Onboards a tenant with merchant accounts. */
export async function onboard(
  { tenants, merchantAccounts, commands }: Host,
  tenantId: TenantId,
  { settings, accounts }: Onboarding,
): Promise<void> {
  const unlimited = { requestsPerMinute: 10_000_000, ...settings };
  await tenants.onboard(tenantId, { name: `Tenant ${tenantId}`, settings: unlimited }, OPERATOR);
  const company = { companyId: 1, name: 'Company', at: commands.clock.now() };
  await tenants.define({ type: 'DefineCompany', tenantId, ...company }, OPERATOR);
  for (const { id, currencies = ['GBP'], ...own } of accounts) {
    const account = {
      mid: `70${id}`,
      title: `Account ${id}`,
      companyId: 1,
      gatewayId: 1,
      descriptor: `SHOP*LONDON ${id}`,
      defaultCurrency: 'GBP',
      currencies: currencies.map((currency) => ({ currency, gatewayCredentials: NO_CREDENTIALS })),
      discountRatePercentage: 1.4,
      ...own,
    };
    await merchantAccounts.openOnce(tenantId, id, account, OPERATOR);
  }
}

/** A key with all scopes, of a tenant whose read models have it all. */
export async function issueKey(
  { tenants, readSide }: Host,
  tenantId: TenantId,
  environment: 'live' | 'test' = 'live',
): Promise<string> {
  const request = { kind: 'api', environment, label: '', scopes: ALL_SCOPES } as const;
  const { key } = await tenants.issueKey(tenantId, request, OPERATOR);
  await readSide.caughtUp(tenantId);
  return key;
}

/** A logger whose lines are kept. */
export function loggerTo(
  lines: string[],
  level: 'trace' | 'warn' | 'error',
): NonNullable<ComposeOptions['logger']> {
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return createLogger({ level, destination });
}

export interface LocalHostOptions {
  readonly onDisk?: boolean;
  /** What the clock shows at first. */
  readonly begin: string;
  readonly gatewayTimeoutMs: number;
  readonly logLevel: Parameters<typeof loggerTo>[1];
}

export class LocalHost {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'counterfoil-local-'));
  readonly logs: string[] = [];
  nowMs: number;
  url = '';
  readonly #options: LocalHostOptions;
  #host: Host | undefined;

  constructor(options: LocalHostOptions) {
    this.#options = options;
    this.nowMs = Date.parse(options.begin);
  }

  get host(): Host {
    if (this.#host === undefined) throw new Error('the host does not run');
    return this.#host;
  }

  get gateway(): SandboxGateway {
    return this.host.gateways.gateways[0] as SandboxGateway;
  }

  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  async open(): Promise<void> {
    const { onDisk = false, gatewayTimeoutMs, logLevel } = this.#options;
    const memory = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:' };
    const config = readConfig({
      PORT: '0',
      DATA_DIR: this.folder,
      GATEWAY_TIMEOUT_MS: String(gatewayTimeoutMs),
      ...(onDisk ? {} : memory),
    });
    const options: ComposeOptions = {
      clock: { now: () => this.now },
      logger: loggerTo(this.logs, logLevel),
    };
    this.#host = await compose(config, options);
    this.url = await this.#host.listen();
  }

  async close(): Promise<void> {
    await this.#host?.close();
    this.#host = undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The read models, opened to be written: a rebuild makes builds of its own beside the live ones. */
  async withWritableReadModels(work: (store: ReadModelStore) => Promise<void>): Promise<void> {
    if (this.#options.onDisk !== true) return work(this.host.readModels);
    const store = openSqliteReadModelStore({ path: join(this.folder, 'read-models.db') });
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }
}
