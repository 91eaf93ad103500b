/** A host with tenants to be lived in: in memory or in a folder, with a clock that is moved by hand. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { TenantId } from '@counterfoil/core';
import { ALL_SCOPES, createLogger } from '@counterfoil/engine';
import type { SandboxGateway } from '@counterfoil/engine/gateways';
import { compose, type Host } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import {
  alertDeadlines,
  openIntents,
  openSqliteReadModelStore,
  paymentExpiries,
  type ReadModelStore,
  reserveReleases,
} from '@counterfoil/projections';
import { vi } from 'vitest';
import { Caller } from './caller.ts';
import type { Side } from './lives.ts';
import { modelOf } from './model.ts';

const BEGIN = '2026-01-05T08:00:00.000Z';
/** How far the clock goes with every look at what is still open, so that all of it becomes due. */
const STEP_MS = 60_000;
const POLLING = { timeout: 20_000, interval: 10 };
const COMPANY = 5;
const OPERATOR = { actor: 'operator@example.com' };
const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };

export class World {
  readonly logs: string[] = [];
  readonly #folder: string;
  readonly #onDisk: boolean;
  #nowMs = Date.parse(BEGIN);
  #host: Host | undefined;
  #url = '';

  constructor({ onDisk }: { onDisk: boolean }) {
    this.#onDisk = onDisk;
    this.#folder = mkdtempSync(join(tmpdir(), 'counterfoil-life-'));
  }

  get host(): Host {
    if (this.#host === undefined) throw new Error('the host does not run');
    return this.#host;
  }

  get gateway(): SandboxGateway {
    return this.host.gateways.gateways[0] as SandboxGateway;
  }

  get now(): string {
    return new Date(this.#nowMs).toISOString();
  }

  pause(ms: number): void {
    this.#nowMs += ms;
  }

  async open(): Promise<void> {
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        this.logs.push(String(chunk));
        done();
      },
    });
    const memory = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:' };
    const config = readConfig({
      PORT: '0',
      DATA_DIR: this.#folder,
      // An answer that is lost is lost at once: the slow card's comes in time.
      GATEWAY_TIMEOUT_MS: '8000',
      ...(this.#onDisk ? {} : memory),
    });
    const clock = { now: () => this.now };
    const logger = createLogger({ level: 'trace', destination });
    this.#host = await compose(config, { clock, logger });
    this.#url = await this.#host.listen();
  }

  async close(): Promise<void> {
    await this.#host?.close();
    this.#host = undefined;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The read models, opened for writing: a rebuild creates builds beside the live ones. */
  async withWritableReadModels(work: (store: ReadModelStore) => Promise<void>): Promise<void> {
    if (!this.#onDisk) return work(this.host.readModels);
    const store = openSqliteReadModelStore({ path: join(this.#folder, 'read-models.db') });
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }

  /** The bytes of every file that the host has written. */
  bytes(): { readonly name: string; readonly content: Buffer }[] {
    return readdirSync(this.#folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => ({ name, content: readFileSync(join(parentPath, name)) }));
  }

  /** Onboards a tenant with two merchant accounts, the second for soft declines of the first. */
  async side(id: number, refundWindowDays: number): Promise<Side> {
    const { tenants, readSide } = this.host;
    const tenantId = id as TenantId;
    const settings = { requestsPerMinute: 1_000_000, refundWindowDays, reserveHoldDays: 4 };
    await tenants.onboard(tenantId, { name: `Tenant ${id}`, settings }, OPERATOR);
    const company = { companyId: COMPANY, name: 'Company' };
    const at = this.now;
    await tenants.define({ type: 'DefineCompany', tenantId, ...company, at }, OPERATOR);
    for (const account of [1, 2]) {
      await tenants.openMerchantAccount(
        tenantId,
        id * 10 + account,
        {
          mid: `70${id}${account}`,
          title: `Account ${account}`,
          companyId: COMPANY,
          gatewayId: 1,
          descriptor: `SHOP*${id} LONDON ${account}`,
          defaultCurrency: 'GBP',
          currencies: ['GBP', 'EUR', 'JPY', 'KWD'].map((currency) => ({
            currency,
            gatewayCredentials: NO_CREDENTIALS,
          })),
          allowRetriesFromOtherMids: id % 2 === 0,
          discountRatePercentage: 1.4,
          reservePercentage: 10,
          gatewayTransactionFee: 0.05,
          bankAuthFee: 0.1,
          bankDeclineFee: 0.2,
          chargebackFee: 15,
          alertProviderFee: 3,
        },
        OPERATOR,
      );
    }
    const caller = async (environment: 'live' | 'test') => {
      const request = { kind: 'api', environment, label: '', scopes: ALL_SCOPES } as const;
      const { key } = await tenants.issueKey(tenantId, request, OPERATOR);
      return new Caller(() => this.#url, { tenantId: id, key });
    };
    const side = { live: await caller('live'), test: await caller('test'), refundWindowDays };
    await readSide.caughtUp(tenantId);
    return side;
  }

  /** Waits until the sweeper and the notices have nothing left to do. */
  async settle(): Promise<void> {
    await vi.waitUntil(async () => {
      this.pause(STEP_MS);
      const { work } = await openIntents(this.host.readModels, { limit: 1_000 });
      if (await this.#isOverdue()) return false;
      return work.every(({ reasons }) => reasons.every((reason) => reason === 'action'));
    }, POLLING);
    await vi.waitUntil(() => this.#noticesAreIn(), POLLING);
    const head = await this.host.events.head();
    if (head === undefined) return;
    await vi.waitUntil(async () => {
      const live = await this.host.readModels.live('ledger');
      return ((await live?.checkpoint()) ?? '') >= head;
    }, POLLING);
  }

  /** Whether something waits whose time has come. */
  async #isOverdue(): Promise<boolean> {
    const first = { limit: 1 };
    const { readModels } = this.host;
    const [held, alerts, waiting] = await Promise.all([
      reserveReleases(readModels, first),
      alertDeadlines(readModels, first),
      paymentExpiries(readModels, first),
    ]);
    const dues = [
      ...held.work.map(({ dueAt }) => dueAt),
      ...alerts.work.map(({ deadline }) => deadline),
      ...waiting.work.map(({ dueAt }) => dueAt),
    ];
    return dues.some((dueAt) => dueAt <= this.now);
  }

  async #noticesAreIn(): Promise<boolean> {
    const { payments } = await modelOf(this.host.events, {
      vault: this.host.commands.executor.vault,
    });
    for (const { gatewayTransactionId, capturedAt, children } of payments.values()) {
      if (capturedAt === undefined) continue;
      for (const { kind } of await this.gateway.noticesOf(gatewayTransactionId)) {
        if (![...children.values()].some((child) => child.kind === kind)) return false;
      }
    }
    return true;
  }
}
