/** A host in a separate process that can be killed at any instant. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { EventStore, TenantId } from '@counterfoil/core';
import { type CustomerVault, openKeysToRead } from '@counterfoil/engine';
import {
  openSandboxGateway,
  SANDBOX_CARDS,
  type SandboxGateway,
} from '@counterfoil/engine/gateways';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { openSqliteReadModelStore, type ReadModelStore } from '@counterfoil/projections';
import { vi } from 'vitest';
import { CHILD_ENV, SOON } from '../setup/child-env.ts';
import { Caller } from './caller.ts';
import { issueKey, onboard } from './local-host.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const POLLING = { timeout: 60_000, interval: 20 };
const TENANT_ID = 1 as TenantId;
const CARD = new RegExp(SANDBOX_CARDS.map(({ number }) => number).join('|'));
/** A log line that reports an internal error. */
const FAULT = /"level":(50|60)/;
/** The last lines are kept for diagnosis. */
const KEPT_LINES = 40;

/** What lies in the folder of a host, opened beside it. */
export interface Beside {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly gateway: SandboxGateway;
  readonly keys: CustomerVault | undefined;
}

export interface KilledHostOptions {
  /** Variables beside the ones that every host here has. */
  readonly env?: Readonly<Record<string, string>>;
}

export class KilledHost {
  readonly #root: string = mkdtempSync(join(tmpdir(), 'counterfoil-crash-'));
  readonly folder: string = join(this.#root, 'data');
  /** Output that must not occur: internal errors, card numbers, unexpected exits. */
  readonly faults: string[] = [];
  readonly #env: NodeJS.ProcessEnv;
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;
  #url = '';
  #key = '';

  constructor({ env = {} }: KilledHostOptions = {}) {
    const own = { DATA_DIR: this.folder, PORT: '0', LOG_LEVEL: 'info', ...SOON };
    this.#env = { ...CHILD_ENV, ...own, ...env };
  }

  /** Onboards a tenant before the first start; the first of its two accounts may have a cap. */
  async onboard({ monthlyCap = 0 }: { readonly monthlyCap?: number } = {}): Promise<void> {
    const host = await compose({ ...readConfig({ DATA_DIR: this.folder }), logLevel: 'silent' });
    const accounts = [1, 2].map((id) => ({
      id,
      allowRetriesFromOtherMids: true,
      reservePercentage: 5,
      bankAuthFee: 0.1,
      bankDeclineFee: 0.2,
      chargebackFee: 15,
      monthlyCap: id === 1 ? monthlyCap : 0,
    }));
    await onboard(host, TENANT_ID, { accounts });
    this.#key = await issueKey(host, TENANT_ID);
    await host.close();
  }

  get caller(): Caller {
    return new Caller(() => this.#url, { tenantId: TENANT_ID, key: this.#key });
  }

  get url(): string {
    return this.#url;
  }

  /** Starts the host; answers once it is ready. */
  async start(): Promise<void> {
    const child = this.spawn();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    createInterface(child.stdout as Readable).on('line', (line) => {
      const url = /listens on (http:\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) =>
      reject(new Error(`the host ended with ${code}:\n${this.#lines.join('\n')}`)),
    );
    this.#url = await promise;
    // It listens while the read models are still being prepared.
    await vi.waitUntil(async () => (await fetch(`${this.#url}/readyz`)).status === 200, POLLING);
  }

  /** Starts the host, and waits for nothing. */
  spawn(): ChildProcess {
    const child = spawn(process.execPath, [CLI, 'start'], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => this.#read(line));
    }
    // Only a signal of ours ends a host, or an orderly end after it.
    child.once('exit', (code, signal) => {
      if (code !== 0 && signal === null) this.faults.push(`the host ended with ${code}`);
    });
    return child;
  }

  #read(line: string): void {
    if (FAULT.test(line) || CARD.test(line)) this.faults.push(line);
    this.#lines.push(line);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }

  /** Answers whether it was the signal that ended the host. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<boolean> {
    const child = this.#child;
    if (child === undefined) return false;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child.signalCode === signal;
  }

  /** Sends SIGTERM without waiting. */
  beginStop(): void {
    this.#child?.kill('SIGTERM');
  }

  /** Looks into the files beside the running host. */
  async beside<Result>(look: (files: Beside) => Promise<Result>): Promise<Result> {
    const at = (name: string) => join(this.folder, name);
    const events = await openSqliteEventStore({ path: at('events.db'), follow: true });
    const store = openSqliteReadModelStore({ path: at('read-models.db') });
    const gateway = openSandboxGateway({ path: at('sandbox-gateway.db') });
    const keys = await openKeysToRead(readConfig({ DATA_DIR: this.folder }));
    try {
      return await look({ events, store, gateway, keys });
    } finally {
      await keys?.close();
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
    rmSync(this.#root, { recursive: true, force: true });
  }
}
