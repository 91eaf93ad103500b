/** A host in a process of its own, with the tenants and keys that the fuzzer sends its requests as. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventStore, Position } from '@counterfoil/core';
import { ALL_SCOPES, type KeyRequest } from '@counterfoil/engine';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { vi } from 'vitest';
import { CALLER, issueKey, openTenant, type Running, type TenantId } from '../e2e/running-host.ts';
import { examinationOf } from '../http-host/doctor-findings.ts';
import { Documented } from '../http-host/documented.ts';
import { CHILD_ENV } from '../setup/child-env.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const POLLING = { timeout: 30_000, interval: 20 };
const NO_LIMIT = 10_000_000;
/** Keys are issued for a time to come; by now both of these are long past. */
const SET_UP_AT = '2020-01-01T00:00:00.000Z';
const EXPIRES_AT = '2020-01-02T00:00:00.000Z';

/** A tenant with keys of every kind. */
export interface Tenancy {
  readonly id: number;
  /** May do everything with live data. */
  readonly key: string;
  /** May do everything with sandbox data. */
  readonly testKey: string;
  readonly expiredKey: string;
  readonly revokedKey: string;
  /** By scope, a key that has all but this one. */
  readonly keyWithout: Readonly<Record<string, string>>;
}

/** `moving` gets valid requests, `still` invalid ones; `other` is another tenant. */
export type TenancyName = 'moving' | 'still' | 'other';

const TENANCIES: Readonly<Record<TenancyName, number>> = { moving: 11, still: 12, other: 13 };

export class FuzzedHost {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #log: EventStore;
  readonly url: string;
  readonly tenancies: Readonly<Record<TenancyName, Tenancy>>;
  readonly documented: Documented;

  private constructor(parts: {
    folder: string;
    child: ChildProcess;
    log: EventStore;
    url: string;
    tenancies: Readonly<Record<TenancyName, Tenancy>>;
    documented: Documented;
  }) {
    this.#folder = parts.folder;
    this.#child = parts.child;
    this.#log = parts.log;
    this.url = parts.url;
    this.tenancies = parts.tenancies;
    this.documented = parts.documented;
  }

  /** Starts a host, set up and ready. */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<FuzzedHost> {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-fuzz-'));
    const tenancies = await setUp(folder);
    const { child, url } = await spawnHost(folder, env);
    const log = await openSqliteEventStore({ path: join(folder, 'events.db'), follow: true });
    const documented = new Documented(await (await fetch(`${url}/openapi.json`)).json());
    return new FuzzedHost({ folder, child, log, url, tenancies, documented });
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Whether the process is there at all. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The last position of the log. */
  async head(): Promise<Position | undefined> {
    return this.#log.head();
  }

  /** The events of this tenant that came into the log after a position. */
  async eventsSince(after: Position | undefined, tenantId: number): Promise<string[]> {
    const found: string[] = [];
    const from = after === undefined ? {} : { after };
    for await (const batch of this.#log.subscribe({ ...from, untilHead: true })) {
      for (const event of batch) {
        if (event.tenantId === tenantId) found.push(`${event.type} ${event.metadata}`);
      }
    }
    return found;
  }

  /** One figure of /metrics. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }

  /** What the doctor finds wrong, beside the host or without it. */
  async complaints(): Promise<readonly string[]> {
    const { checks } = await examinationOf(this.#folder);
    return checks.flatMap(({ check, findings, skipped }) => [
      ...findings.map(({ message }) => `${check}: ${message}`),
      ...(skipped === undefined ? [] : [`${check} was left out: ${skipped}`]),
    ]);
  }

  async stop(): Promise<void> {
    // The last one to close the log takes its write-ahead log in.
    await this.#log.close();
    if (!this.isAlive) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Onboards the tenants before the first start, as an operator would. */
async function setUp(folder: string): Promise<Readonly<Record<TenancyName, Tenancy>>> {
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' });
  const host = await compose(config, { clock: { now: () => SET_UP_AT } });
  const running: Running = { host, url: '', close: () => host.close() };
  const tenancies: Partial<Record<TenancyName, Tenancy>> = {};
  for (const [name, id] of Object.entries(TENANCIES)) {
    tenancies[name as TenancyName] = await tenancyOf(running, id);
  }
  await host.close();
  return tenancies as Record<TenancyName, Tenancy>;
}

async function tenancyOf(running: Running, id: number): Promise<Tenancy> {
  const settings = { requestsPerMinute: NO_LIMIT };
  const { key } = await openTenant(running, id, { settings });
  const keyWithout: Record<string, string> = {};
  for (const scope of ALL_SCOPES) {
    const scopes = ALL_SCOPES.filter((each) => each !== scope);
    keyWithout[scope] = await issueKey(running, id, { scopes });
  }
  const { tenants } = running.host;
  const request: KeyRequest = { kind: 'api', environment: 'live', label: '', scopes: ALL_SCOPES };
  const revoked = await tenants.issueKey(id as TenantId, request, CALLER);
  await tenants.revokeKey(id as TenantId, revoked.keyId, CALLER);
  return {
    id,
    key,
    keyWithout,
    testKey: await issueKey(running, id, { environment: 'test' }),
    expiredKey: await issueKey(running, id, { expiresAt: EXPIRES_AT }),
    revokedKey: revoked.key,
  };
}

async function spawnHost(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [CLI, 'start'], {
    env: {
      ...CHILD_ENV,
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'error',
      // Cards that never get an answer would otherwise be what the whole run waits for.
      GATEWAY_TIMEOUT_MS: '50',
      FAILED_AUTHENTICATIONS_PER_MINUTE: String(NO_LIMIT),
      // A machine that is busy with other things is no fault of the host.
      MAX_LOOP_DELAY_MS: '60000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A run that is broken off must not leave it behind.
  process.once('exit', () => child.kill('SIGKILL'));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let written = '';
  child.stdout.on('data', (chunk: Buffer) => {
    written += String(chunk);
    const url = /listens on (http:\S+)/.exec(written)?.[1];
    if (url !== undefined) resolve(url);
  });
  // It logs errors alone, and they are the other half of a failure here.
  child.stdout.pipe(process.stderr);
  child.stderr.pipe(process.stderr);
  child.once('exit', (code) => reject(new Error(`the host ended with ${code}:\n${written}`)));
  const url = await promise;
  await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, POLLING);
  return { child, url };
}
