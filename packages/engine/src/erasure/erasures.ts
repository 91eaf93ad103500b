/** Finishes interrupted erasures, and destroys keys of persons that are erased in the log. */
import { decodeEvent, type Event, type Position, type StoredEvent } from '@counterfoil/core';
import { SYSTEM } from '../command-runner.ts';
import type { Identities } from '../identities/index.ts';
import type { Logger } from '../logger.ts';
import { FollowerProgress } from '../runtime/follower-progress.ts';
import { type Following, followLog, isPermanent } from '../runtime/log-follower.ts';
import { placesInMemory } from '../storage/checkpoints.ts';
import type { Erasure } from './erasure.ts';

const TYPES: ReadonlySet<Event['type']> = new Set(['CustomerErasureRequested', 'CustomerErased']);

interface ErasuresOptions extends Following {
  readonly erasure: Erasure;
}

/** Follows the log from its beginning to the end of the signal. */
export function followErasures({ erasure, ...following }: ErasuresOptions): Promise<void> {
  return followLog({
    ...following,
    name: 'erasures',
    types: TYPES,
    react: async (events) => {
      for (const stored of events) await finishOrLog(erasure, stored, following.logger);
    },
  });
}

interface EvictionOptions extends Pick<Following, 'events' | 'logger' | 'signal'> {
  readonly erasure: Erasure;
  readonly identities: Pick<Identities, 'forgetClaim'>;
  /** The head of the log at the start: earlier erasures are not in the caches. */
  readonly after: Position | undefined;
}

/**
 * Evicts erased persons and released emails from the caches of this host, until the signal fires.
 */
export function evictErased({
  erasure,
  identities,
  after,
  ...following
}: EvictionOptions): Promise<void> {
  return followLog({
    ...following,
    name: 'erased-elsewhere',
    types: new Set(['CustomerErased', 'EmailReleased']),
    checkpoints: placesInMemory(),
    firstAfter: after,
    progress: new FollowerProgress(),
    react: async (events) => {
      for (const stored of events) {
        if (stored.type === 'EmailReleased') identities.forgetClaim(stored.stream);
        if (stored.type !== 'CustomerErased') continue;
        const event = decodeEvent(stored);
        if (event.type !== 'CustomerErased') continue;
        const { sandbox, customerId } = event;
        erasure.evict({ tenantId: stored.tenantId, sandbox, customerId });
      }
    },
  });
}

/** Logs a permanent failure, and continues with the other erasures. */
async function finishOrLog(erasure: Erasure, stored: StoredEvent, logger: Logger): Promise<void> {
  try {
    const event = decodeEvent(stored);
    if (event.type !== 'CustomerErasureRequested' && event.type !== 'CustomerErased') return;
    const { sandbox, customerId } = event;
    const customer = { tenantId: stored.tenantId, sandbox, customerId };
    if (event.type === 'CustomerErased') await erasure.destroyKey(customer);
    else await erasure.finish(customer, SYSTEM);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    logger.error({ err: error, stream: stored.stream }, 'an erasure could not be finished');
  }
}
