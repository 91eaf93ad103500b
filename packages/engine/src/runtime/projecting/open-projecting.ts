/** Chooses where the projections run: in a thread, in this process, or in workers. */

import type { Logger } from '../../logger.ts';
import type { OpenStores } from '../../open-stores.ts';
import { keysOfThread } from '../../personal-keys/open-personal-keys.ts';
import type { Settings } from '../../settings.ts';
import { isInMemory } from '../../storage/stores.ts';
import type { ProjectionThreadData } from './messages.ts';
import {
  type Projecting,
  ProjectionInProcess,
  ProjectionThread,
  SharedProjections,
} from './projecting.ts';

interface Options {
  readonly settings: Settings;
  readonly stores: OpenStores;
  readonly logger: Logger;
}

export function openProjecting({ settings, stores, logger }: Options): Projecting {
  const { holder, masterKey, progress, sharedReadModels, headAtStart } = stores;
  const shared = { progress, logger };
  const thread = () => new ProjectionThread(projectionsOf(settings, { holder, masterKey }), shared);
  if (sharedReadModels !== undefined) {
    const isNew = headAtStart === undefined;
    const own = settings.runProjections ? thread() : undefined;
    return new SharedProjections({ store: sharedReadModels, own, isNew }, progress);
  }
  if (!isInMemory(settings)) return thread();
  const { events, readModels, personalKeys } = stores;
  return new ProjectionInProcess({
    ...shared,
    holder,
    vault: personalKeys,
    events,
    store: readModels,
  });
}

/** The data of a projection thread. */
export function projectionsOf(
  settings: Settings,
  { holder, masterKey }: { readonly holder: string; readonly masterKey: Buffer },
): ProjectionThreadData {
  const { eventStoreUrl, eventStoreClient, eventStorePrefix } = settings;
  const { readModelUrl, projectionShards: shards } = settings;
  const log = {
    eventStoreUrl,
    eventStorePrefix,
    ...(eventStoreClient !== undefined && { eventStoreClient }),
  };
  const keys = keysOfThread(settings, masterKey);
  return { log, readModelUrl, shards, holder, keys };
}
