/** Runs work on the one host that holds a lease. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { Lease, type LeaseStore, SHARED_LEASE_TTL_MS } from './lease.ts';

/** The lease on the background work that one host does for all. */
export const LEADERSHIP = 'reactors';

/** How often another host tries to take the lease. */
const POLL_MS = 500;

export interface LeadershipOptions {
  readonly leases: LeaseStore;
  readonly name: string;
  /** Unique to this process. */
  readonly holder: string;
  readonly logger: Logger;
  /** Ends the work, and the wait for the lease. */
  readonly signal: AbortSignal;
  readonly ttlMs?: number;
}

/**
 * Runs `work` while this host holds the lease. The signal of the work fires when the lease is lost or
 * `signal` fires: another host may then take the work up where it was. Resolves when `signal` has
 * fired and the work has ended.
 */
export async function whileLeading(
  options: LeadershipOptions,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { signal, logger } = options;
  while (!signal.aborted) {
    try {
      await leadOnce(options, work);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, lease: options.name }, 'leading failed');
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function leadOnce(
  { leases, name, holder, logger, signal, ttlMs = SHARED_LEASE_TTL_MS }: LeadershipOptions,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const lease = await Lease.take(leases, { name, holder, ttlMs });
  if (lease === undefined) return;
  logger.info({ lease: name }, 'this host leads');
  try {
    await work(AbortSignal.any([signal, lease.lost]));
  } finally {
    await lease.release();
    if (lease.lost.aborted) logger.warn({ lease: name }, 'this host lost the lease');
  }
}
