/** Provides the read models, and what keeps them up to date. */
import { Progress, ReferenceView } from '@counterfoil/projections';
import { keysOfThread } from '../operations/open-personal-keys.ts';
import { ReadSide } from '../operations/read-side.ts';
import { ProjectionInProcess, ProjectionThread } from '../projecting/projecting.ts';
import { isInMemory, openReadModels } from '../stores.ts';
import { PART, type Provide } from './parts.ts';

export function provideReadSide(provide: Provide): void {
  provide(PART.progress, () => new Progress());
  provide(PART.readSide, (get) => new ReadSide(get(PART.progress), get(PART.headAtStart)));
  provide(PART.readModels, (get) => {
    const config = get(PART.config);
    const progress = get(PART.progress);
    const told = () => progress.position;
    return openReadModels(config.readModelUrl, { readOnly: !isInMemory(config), told });
  });
  // Queries have their read models read-only; a lease is written beside them.
  provide(PART.leases, (get) => {
    const config = get(PART.config);
    return isInMemory(config) ? get(PART.readModels) : openReadModels(config.readModelUrl);
  });
  provide(PART.referenceView, (get) => new ReferenceView(get(PART.readModels)));
  provide(PART.projecting, (get) => {
    const config = get(PART.config);
    const shared = { progress: get(PART.progress), logger: get(PART.logger) };
    if (!isInMemory(config)) {
      const { eventStoreUrl, readModelUrl } = config;
      const keys = keysOfThread(config, get(PART.masterKey));
      return new ProjectionThread({ eventStoreUrl, readModelUrl, keys }, shared);
    }
    return new ProjectionInProcess({
      ...shared,
      vault: get(PART.personalKeys),
      events: get(PART.events),
      store: get(PART.readModels),
    });
  });
}
