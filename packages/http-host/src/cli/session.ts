/** What the commands share: the configured ledger opened for one piece of work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TenantId } from '@counterfoil/core';
import { type Caller, holderFor, LEADERSHIP, SHARED_LEASE_TTL_MS } from '@counterfoil/engine';
import { hostDatabaseUrlOf, openReadModels } from '@counterfoil/engine/storage';
import { InvalidArgumentError } from 'commander';
import { compose, type Host } from '../composition-root.ts';
import { type Config, readConfig } from '../config.ts';

/** Whoever runs a command has the data folder, or the databases, and is not asked for a name. */
export const OPERATOR: Caller = { actor: 'operator@localhost' };

/** Hosts that have just ended in order leave nothing; of one that was killed the lease runs out. */
const LOOKS = 30;
const LOOK_PAUSE_MS = SHARED_LEASE_TTL_MS / 20;

/**
 * A log in a file has one writer: a command that writes is refused while a host runs on it. Stores that
 * hosts share are written beside them, and what follows from it is left to them.
 */
export async function withHost<Result>(work: (host: Host) => Promise<Result>): Promise<Result> {
  return atWork(await compose(quietConfig(), { serves: false }), work);
}

/** For what needs all that a host does by itself, and so that no other host does it. */
export async function withOnlyHost<Result>(work: (host: Host) => Promise<Result>): Promise<Result> {
  const config = quietConfig();
  if (hostDatabaseUrlOf(config) !== undefined) await refuseBesideHosts(config);
  return atWork(await compose(config), work);
}

/** Hosts of these stores are at work, and the command can only run without them. */
export class HostsAtWork extends Error {
  override readonly name = 'HostsAtWork';
}

function quietConfig(): Config {
  return { ...readConfig(process.env), logLevel: 'error' };
}

async function atWork<Result>(host: Host, work: (host: Host) => Promise<Result>): Promise<Result> {
  try {
    return await work(host);
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
  throw new HostsAtWork(
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
