/** What one host at a time does for all: it is done here while this host has the lease, and elsewhere else. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { Lease, type LeaseStore, SHARED_LEASE_TTL_MS } from './lease.ts';

/** Who holds it does all that one host at a time does. */
export const LEADERSHIP = 'reactors';

/** How often a host that does not lead asks for the lease. */
const POLL_MS = 500;

export interface LeadershipOptions {
  readonly leases: LeaseStore;
  readonly name: string;
  /** Names this host as long as it runs, and no other one ever. */
  readonly holder: string;
  readonly logger: Logger;
  /** Ends it all. */
  readonly signal: AbortSignal;
  readonly ttlMs?: number;
}

/**
 * Runs `work` whenever this host has the lease. The work's own signal fires when the lease is lost or
 * all is to end; whatever it was about must then be such that another may take it up. Resolves when
 * `signal` has fired and the work has ended.
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
      if (!signal.aborted) logger.error({ err: error, lease: options.name }, 'leading broke off');
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
    if (lease.lost.aborted) logger.warn({ lease: name }, 'this host leads no more');
  }
}
