/** Brings the read models up to the log and keeps them there: the work of a thread or of a process. */
import type { EventStore, PersonalDataVault } from '@counterfoil/core';
import {
  bringUpToDate,
  createProjector,
  PROJECTIONS,
  type Projector,
  type ReadModelStore,
} from '@counterfoil/projections';
import type { FromThread } from './messages.ts';

/** One log has one host, so the lease of a killed one is taken up at once by its successor. */
export const HOLDER = 'host';

export interface ProjectOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly vault: PersonalDataVault | undefined;
  readonly signal: AbortSignal;
  readonly notify: (message: FromThread) => void;
}

/** Rebuilds what is missing or outdated, then hands out the projector that follows the log. */
export async function prepareProjector(options: ProjectOptions): Promise<Projector> {
  const { notify } = options;
  const shared = { ...options, holder: HOLDER, now: Date.now, projections: PROJECTIONS };
  await bringUpToDate({
    ...shared,
    onProgress: (progress) => notify({ type: 'rebuilding', progress }),
  });
  return createProjector(shared);
}
