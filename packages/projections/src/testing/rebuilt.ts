/** The invariant of read models: a replay of the log makes what is live. */
import type { AnyVault, EventStore } from '@counterfoil/core';
import type { Projection } from '../projection.ts';
import type { ReadModelStore } from '../read-model-store.ts';
import { rebuild } from '../rebuild.ts';

export interface Replayed {
  readonly events: EventStore;
  /** Opened to be written: a rebuild makes builds beside the live ones, which are dropped again. */
  readonly store: ReadModelStore;
  /** Decrypts personal data in the events. */
  readonly vault: AnyVault | undefined;
  readonly projections: readonly Projection[];
}

/** Throws an Error that names what differs from the live build, or what could not be applied. */
export async function expectEqualToRebuilt({ projections, ...replayed }: Replayed): Promise<void> {
  const { store } = replayed;
  for (const projection of projections) {
    const options = { ...replayed, projection, holder: 'testing', now: Date.now };
    const { build, differences, parked } = await rebuild(options);
    await store.dropBuild(projection.name, build);
    if (differences?.length === 0 && parked.length === 0) continue;
    const what = JSON.stringify({ differences: differences ?? 'no live build', parked });
    throw new Error(`${projection.name} differs from a rebuild: ${what}`);
  }
}
