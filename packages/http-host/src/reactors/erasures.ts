/** Finishes erasures that a crash broke off, and holds the keys to what the log says. */
import { decodeEvent, type Event, type StoredEvent } from '@counterfoil/core';
import type { RequestLogger } from '../http/endpoint.ts';
import type { Erasure } from '../operations/erasure.ts';
import { SYSTEM } from '../operations/ledger.ts';
import { type Following, followLog, isForGood } from './log-follower.ts';

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

/** What will never succeed is told, and the others go on. */
async function finishOrLog(
  erasure: Erasure,
  stored: StoredEvent,
  logger: RequestLogger,
): Promise<void> {
  try {
    const event = decodeEvent(stored);
    if (event.type !== 'CustomerErasureRequested' && event.type !== 'CustomerErased') return;
    const { sandbox, customerId } = event;
    const customer = { tenantId: stored.tenantId, sandbox, customerId };
    if (event.type === 'CustomerErased') await erasure.forget(customer);
    else await erasure.finish(customer, SYSTEM);
  } catch (error) {
    if (!isForGood(error)) throw error;
    logger.error({ err: error, stream: stored.stream }, 'an erasure could not be finished');
  }
}
