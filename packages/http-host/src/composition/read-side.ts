/** Provides the read models, and what keeps them up to date. */
import { ReferenceView } from '@counterfoil/projections';
import { keysOfThread } from '../operations/open-personal-keys.ts';
import { ReadSide } from '../operations/read-side.ts';
import { ProjectionInProcess, ProjectionThread } from '../projecting/projecting.ts';
import { isInMemory, isShared } from '../stores.ts';
import { PART, type Provide } from './parts.ts';

export function provideReadSide(provide: Provide): void {
  provide(PART.readSide, (get) => {
    const events = get(PART.events);
    const headNow = isShared(get(PART.config).eventStoreUrl) ? () => events.head() : undefined;
    return new ReadSide(get(PART.progress), get(PART.headAtStart), headNow);
  });
  provide(PART.referenceView, (get) => new ReferenceView(get(PART.readModels)));
  provide(PART.projecting, (get) => {
    const config = get(PART.config);
    const holder = get(PART.holder);
    const shared = { holder, progress: get(PART.progress), logger: get(PART.logger) };
    if (!isInMemory(config)) {
      const { eventStoreUrl, eventStoreClient, readModelUrl } = config;
      const keys = keysOfThread(config, get(PART.masterKey));
      const data = { eventStoreUrl, eventStoreClient, readModelUrl, holder, keys };
      return new ProjectionThread(data, shared);
    }
    return new ProjectionInProcess({
      ...shared,
      vault: get(PART.personalKeys),
      events: get(PART.events),
      store: get(PART.readModels),
    });
  });
}
