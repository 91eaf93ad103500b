/** Provides the read models, and what keeps them up to date. */
import { ReferenceView } from '@counterfoil/projections';
import type { Config } from '../config.ts';
import { keysOfThread } from '../operations/open-personal-keys.ts';
import { ReadSide } from '../operations/read-side.ts';
import type { ProjectionThreadData } from '../projecting/messages.ts';
import {
  ProjectionInProcess,
  ProjectionThread,
  SharedProjections,
} from '../projecting/projecting.ts';
import { isInMemory, isShared } from '../stores.ts';
import { PART, type Provide } from './parts.ts';

export function provideReadSide(provide: Provide): void {
  provide(PART.readSide, (get) => {
    const events = get(PART.events);
    // Not the head, where there is a newer event: another host may have acknowledged that already.
    const newest = () => (events.newest === undefined ? events.head() : events.newest());
    const isOneOfSeveral = isShared(get(PART.config).eventStoreUrl);
    return new ReadSide(
      get(PART.progress),
      get(PART.headAtStart),
      isOneOfSeveral ? newest : undefined,
    );
  });
  provide(PART.referenceView, (get) => new ReferenceView(get(PART.readModels)));
  provide(PART.projecting, (get) => {
    const config = get(PART.config);
    const holder = get(PART.holder);
    const progress = get(PART.progress);
    const shared = { progress, logger: get(PART.logger) };
    const thread = () => {
      const data = projectionsOf(config, { holder, masterKey: get(PART.masterKey) });
      return new ProjectionThread(data, shared);
    };
    const store = get(PART.sharedReadModels);
    if (store !== undefined) {
      const isNew = get(PART.headAtStart) === undefined;
      const own = config.runProjections ? thread() : undefined;
      return new SharedProjections({ store, own, isNew }, progress);
    }
    if (!isInMemory(config)) return thread();
    return new ProjectionInProcess({
      ...shared,
      holder,
      vault: get(PART.personalKeys),
      events: get(PART.events),
      store: get(PART.readModels),
    });
  });
}

/** All that a thread needs to do the projections of a configuration. */
export function projectionsOf(
  config: Config,
  { holder, masterKey }: { holder: string; masterKey: Buffer },
): ProjectionThreadData {
  const { eventStoreUrl, eventStoreClient, eventStorePrefix, readModelUrl } = config;
  const log = { eventStoreUrl, eventStoreClient, eventStorePrefix };
  const keys = keysOfThread(config, masterKey);
  return { log, readModelUrl, holder, keys };
}
