/** Brings the read models up to the log and keeps them there: the work of a thread or of a process. */
import type { AnyVault, EventStore } from '@counterfoil/core';
import {
  bringUpToDate,
  createProjector,
  PROJECTIONS,
  type Projector,
  type ReadModelStore,
} from '@counterfoil/projections';
import type { FromThread } from './messages.ts';

/**
 * Names the host of a log that only one can have: the lease of a killed one is taken up at once by
 * its successor.
 */
export const ONLY_HOST = 'host';

export interface ProjectOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly vault: AnyVault | undefined;
  /** Names the host to others that may want the same leases. */
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly notify: (message: FromThread) => void;
}

/** Rebuilds what is missing or outdated, then hands out the projector that follows the log. */
export async function prepareProjector(options: ProjectOptions): Promise<Projector> {
  const { notify } = options;
  const shared = { ...options, now: Date.now, projections: PROJECTIONS };
  await bringUpToDate({
    ...shared,
    onProgress: (progress) => notify({ type: 'rebuilding', progress }),
  });
  return createProjector(shared);
}
