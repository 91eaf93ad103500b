/** A host in a process of its own, as users start it, that can be killed at any instant. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventStore, TenantId } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { ALL_SCOPES, compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { openSandboxGateway, type SandboxGateway } from '@counterfoil/http-host/gateways';
import { openSqliteReadModelStore, type ReadModelStore } from '@counterfoil/projections';
import { vi } from 'vitest';
import { Caller } from './caller.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const POLLING = { timeout: 20_000, interval: 20 };
const OPERATOR = { actor: 'operator@example.com' };
const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };
const TENANT_ID = 1 as TenantId;

/** What lies in the folder of a host, opened beside it. */
export interface Beside {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly gateway: SandboxGateway;
}

export class KilledHost {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'counterfoil-crash-'));
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #url = '';
  #key = '';
  /** Everything that the processes have written, line by line or in parts of lines. */
  readonly output: string[] = [];

  constructor() {
    const { PATH } = process.env;
    this.#env = { PATH, DATA_DIR: this.folder, PORT: '0', LOG_LEVEL: 'info' };
  }

  /** Onboards a tenant before the first start. */
  async onboard(): Promise<void> {
    const host = await compose({
      ...readConfig({ DATA_DIR: this.folder }),
      logLevel: 'silent',
    });
    const { tenants, ledger } = host;
    const settings = { requestsPerMinute: 10_000_000 };
    await tenants.onboard(TENANT_ID, { name: 'Tenant', settings }, OPERATOR);
    const company = { companyId: 1, name: 'Company', at: ledger.clock.now() };
    await tenants.define({ type: 'DefineCompany', tenantId: TENANT_ID, ...company }, OPERATOR);
    for (const account of [1, 2]) {
      await tenants.openMerchantAccount(
        TENANT_ID,
        account,
        {
          mid: `70${account}`,
          title: `Account ${account}`,
          companyId: 1,
          gatewayId: 1,
          descriptor: `SHOP*LONDON ${account}`,
          defaultCurrency: 'GBP',
          currencies: [{ currency: 'GBP', gatewayCredentials: NO_CREDENTIALS }],
          allowRetriesFromOtherMids: true,
          discountRatePercentage: 1.4,
          reservePercentage: 5,
          bankAuthFee: 0.1,
          bankDeclineFee: 0.2,
          chargebackFee: 15,
        },
        OPERATOR,
      );
    }
    const request = { kind: 'api', environment: 'live', label: '', scopes: ALL_SCOPES } as const;
    this.#key = (await tenants.issueKey(TENANT_ID, request, OPERATOR)).key;
    await host.close();
  }

  get caller(): Caller {
    return new Caller(() => this.#url, { tenantId: TENANT_ID, key: this.#key });
  }

  /** Starts the host; answers once it is ready. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [CLI, 'start'], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let written = '';
    const read = (chunk: Buffer) => {
      this.output.push(String(chunk));
      written += String(chunk);
      const url = /listens on (http:\S+)/.exec(written)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`the host ended with ${code}:\n${written}`)));
    this.#url = await promise;
    // It listens while the read models are still being prepared.
    await vi.waitUntil(async () => (await fetch(`${this.#url}/readyz`)).status === 200, POLLING);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Looks into the files beside the running host. */
  async beside<Result>(look: (files: Beside) => Promise<Result>): Promise<Result> {
    const at = (name: string) => join(this.folder, name);
    const events = await openSqliteEventStore({ path: at('events.db'), follow: true });
    const store = openSqliteReadModelStore({ path: at('read-models.db') });
    const gateway = openSandboxGateway({ path: at('sandbox-gateway.db') });
    try {
      return await look({ events, store, gateway });
    } finally {
      await gateway.close();
      await store.close();
      await events.close();
    }
  }

  /** Runs another command of the command line on the same folder; answers what it printed. */
  async command(...words: readonly string[]): Promise<{ code: number | null; text: string }> {
    const child = spawn(process.execPath, [CLI, ...words], { env: this.#env });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        text += String(chunk);
      });
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, text };
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
