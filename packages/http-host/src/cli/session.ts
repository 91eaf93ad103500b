/** Shared by all commands: the environment, and the configured ledger opened for one task. */
import { Console } from 'node:console';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TenantId } from '@counterfoil/core';
import { type Caller, holderFor, LEADERSHIP, SHARED_LEASE_TTL_MS } from '@counterfoil/engine';
import { hostDatabaseUrlOf, openReadModels } from '@counterfoil/engine/storage';
import { InvalidArgumentError } from 'commander';
import { compose, type Host } from '../composition-root.ts';
import { type Config, readConfig } from '../config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment and the output streams of a command line. */
export interface Terminal {
  readonly env: Environment;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Access to the data folder or databases identifies the operator; no name is asked for. */
export const OPERATOR: Caller = { actor: 'operator@localhost' };

/** A graceful shutdown releases its lease; that of a killed host has to expire. */
const LOOKS = 30;
const LOOK_PAUSE_MS = SHARED_LEASE_TTL_MS / 20;

/** One run of the command line: its environment, output and exit code. */
export class Session {
  readonly env: Environment;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly console: Console;
  exitCode = 0;

  constructor({ env, stdout, stderr }: Terminal) {
    this.env = env;
    this.stdout = stdout;
    this.stderr = stderr;
    this.console = new Console({ stdout, stderr });
  }

  config(): Config {
    return readConfig(this.env);
  }

  /**
   * A log in a file has one writer: a command that writes is refused while a host runs on it. With
   * shared stores it writes beside the hosts and leaves background work to them.
   */
  async withHost(work: (host: Host) => Promise<void>): Promise<void> {
    return atWork(await compose(this.#quietConfig(), { serves: false }), work);
  }

  /** For work that needs the background tasks of a host, and no other host running them. */
  async withOnlyHost(work: (host: Host) => Promise<void>): Promise<void> {
    const config = this.#quietConfig();
    if (hostDatabaseUrlOf(config) !== undefined) await refuseBesideHosts(config);
    return atWork(await compose(config), work);
  }

  #quietConfig(): Config {
    return { ...this.config(), logLevel: 'error' };
  }
}

/** Hosts run on these stores, and the command requires that none does. */
export class HostsRunning extends Error {
  override readonly name = 'HostsRunning';
}

async function atWork(host: Host, work: (host: Host) => Promise<void>): Promise<void> {
  try {
    await work(host);
  } finally {
    await host.close();
  }
}

export async function refuseBesideHosts(config: Config): Promise<void> {
  const leases = await openReadModels(config.readModelUrl);
  try {
    const holder = holderFor(config);
    for (let look = 0; look < LOOKS; look += 1) {
      const wanted = { name: LEADERSHIP, holder, nowMs: Date.now(), ttlMs: SHARED_LEASE_TTL_MS };
      if ((await leases.acquireLease(wanted)) !== undefined) {
        await leases.releaseLease(LEADERSHIP, holder);
        return;
      }
      await sleep(LOOK_PAUSE_MS);
    }
  } finally {
    await leases.close();
  }
  throw new HostsRunning(
    'hosts are running on these stores: ask one of them with --url, or stop them',
  );
}

export function tenantIdOf(text: string): TenantId {
  const parsed = TenantId.safeParse(Number(text));
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('must be a positive whole number');
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a whole number');
}
