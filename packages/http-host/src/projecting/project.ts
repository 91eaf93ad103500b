/** Brings the read models up to the log and keeps them there: the work of a thread or of a process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyVault, EventStore } from '@counterfoil/core';
import {
  bringUpToDate,
  createProjector,
  PROJECTIONS,
  type Projector,
  ReadModelError,
  type ReadModelStore,
} from '@counterfoil/projections';
import { SHARED_LEASE_TTL_MS } from '../reactors/lease.ts';
import { ONLY_HOST } from './holder.ts';
import type { FromThread } from './messages.ts';

export interface ProjectOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly vault: AnyVault | undefined;
  /** Names the host to others that may want the same leases. */
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly notify: (message: FromThread) => void;
}

/** While another worker makes the read models anew, this one looks again after so long. */
const LOOK_AGAIN_MS = 500;

/** Rebuilds what is missing or outdated, then hands out the projector that follows the log. */
export async function prepareProjector(options: ProjectOptions): Promise<Projector> {
  const { notify, holder } = options;
  const shared = { ...options, now: Date.now, projections: PROJECTIONS };
  await bringUpToDateOrWait({
    ...shared,
    onProgress: (progress) => notify({ type: 'rebuilding', progress }),
  });
  // The only host of a log takes its own lease up at once; of several, another one does within seconds.
  const lease = holder !== ONLY_HOST && { leaseTtlMs: SHARED_LEASE_TTL_MS };
  return createProjector({ ...shared, ...lease });
}

/** Of several workers that start at once, one rebuilds and the others wait for it. */
async function bringUpToDateOrWait(
  options: Parameters<typeof bringUpToDate>[0] & { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    try {
      await bringUpToDate(options);
      return;
    } catch (error) {
      const isBusy = error instanceof ReadModelError && error.code === 'not-ready';
      if (!isBusy || options.holder === ONLY_HOST) throw error;
      await sleep(LOOK_AGAIN_MS, undefined, { signal: options.signal });
    }
  }
}
