/** A host with tenants to be lived in. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TenantId } from '@counterfoil/core';
import {
  alertDeadlines,
  openIntents,
  paymentExpiries,
  reserveReleases,
} from '@counterfoil/projections';
import { vi } from 'vitest';
import { Caller } from './caller.ts';
import type { Side } from './lives.ts';
import { issueKey, LocalHost, onboard } from './local-host.ts';
import { modelOf } from './model.ts';

const BEGIN = '2026-01-05T08:00:00.000Z';
/** How far the clock goes with every look at what is still open, so that all of it becomes due. */
const STEP_MS = 60_000;
const POLLING = { timeout: 20_000, interval: 10 };

export class World extends LocalHost {
  readonly #tenants: TenantId[] = [];

  constructor({ onDisk }: { onDisk: boolean }) {
    // An answer that is lost is lost at once: the slow card's comes in time.
    super({ onDisk, begin: BEGIN, gatewayTimeoutMs: 8_000, logLevel: 'trace' });
  }

  pause(ms: number): void {
    this.nowMs += ms;
  }

  /** The bytes of every file that the host has written. */
  bytes(): { readonly name: string; readonly content: Buffer }[] {
    return readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => ({ name, content: readFileSync(join(parentPath, name)) }));
  }

  /** Onboards a tenant with two merchant accounts, the second for soft declines of the first. */
  async side(id: number, refundWindowDays: number): Promise<Side> {
    const tenantId = id as TenantId;
    const accounts = [1, 2].map((account) => ({
      id: id * 10 + account,
      descriptor: `SHOP*${id} LONDON ${account}`,
      currencies: ['GBP', 'EUR', 'JPY', 'KWD'],
      allowRetriesFromOtherMids: id % 2 === 0,
      reservePercentage: 10,
      gatewayTransactionFee: 0.05,
      bankAuthFee: 0.1,
      bankDeclineFee: 0.2,
      chargebackFee: 15,
      alertProviderFee: 3,
    }));
    const settings = { refundWindowDays, reserveHoldDays: 4 };
    await onboard(this.host, tenantId, { settings, accounts });
    this.#tenants.push(tenantId);
    const caller = async (environment: 'live' | 'test') => {
      const key = await issueKey(this.host, tenantId, environment);
      return new Caller(() => this.url, { tenantId: id, key });
    };
    return { live: await caller('live'), test: await caller('test'), refundWindowDays };
  }

  /** Waits until the sweeper and the notices have nothing left to do. */
  async settle(): Promise<void> {
    await vi.waitUntil(async () => {
      this.pause(STEP_MS);
      await this.#caughtUp();
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

  /** What was acknowledged may be missing in the read models for a moment: nothing would be open. */
  async #caughtUp(): Promise<void> {
    const { readSide } = this.host;
    await Promise.all(this.#tenants.map((tenantId) => readSide.caughtUp(tenantId)));
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
