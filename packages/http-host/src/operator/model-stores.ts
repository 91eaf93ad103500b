/** The log and the read models as one piece of work opens them, beside running hosts or without any. */
import type { AnyVault, EventStore } from '@counterfoil/core';
import { holderFor, openKeysToRead, processHolder, SHARED_LEASE_TTL_MS } from '@counterfoil/engine';
import { hostDatabaseUrlOf, openEventStore, openReadModels } from '@counterfoil/engine/storage';
import {
  dropOldBuilds,
  type Projection,
  type ReadModelStore,
  type RebuildProgress,
  type Rebuilt,
  rebuild,
  swap,
} from '@counterfoil/projections';
import type { Config } from '../config.ts';
import { refuseWithoutLog } from './refuse-without-log.ts';

export interface Stores {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly vault: AnyVault | undefined;
  /** Identifies this process as a lease holder. */
  readonly holder: string;
  /** Set where several processes share the read models: leases are then renewed during the work. */
  readonly leaseTtlMs: number | undefined;
}

/**
 * Works beside a running host: the log is only read, and a separate build does not interfere. With
 * `alone`, a log with read models in files is opened exclusively, which fails while a host runs;
 * hosts that share their read models take turns by lease.
 */
export async function withStores<Result>(
  config: Config,
  work: (stores: Stores) => Promise<Result>,
  { alone = false }: { alone?: boolean } = {},
): Promise<Result> {
  refuseWithoutLog(config);
  const isShared = hostDatabaseUrlOf(config) !== undefined;
  const leaseTtlMs = isShared ? SHARED_LEASE_TTL_MS : undefined;
  // Open server connections would keep the process alive.
  await using opened = new AsyncDisposableStack();
  const closing = <Opened extends Closable>(each: Opened): Opened =>
    opened.adopt(each, async () => {
      await each.close();
    });
  const events = closing(await openEventStore(config, { follow: isShared || !alone }));
  const vault = await openKeysToRead(config);
  if (vault !== undefined) closing(vault);
  const store = closing(
    await openReadModels(config.readModelUrl, { shards: config.projectionShards }),
  );
  return await work({ events, store, vault, holder: holderFor(config), leaseTtlMs });
}

interface Closable {
  close(): unknown;
}

interface RebuildOptions {
  readonly onProgress: (progress: RebuildProgress) => void;
  /** Builds and compares only. Default: false. */
  readonly keep?: boolean;
}

/** Makes a new build and, unless it is only kept, puts it in the place of the live one. */
export async function rebuildModel(
  { leaseTtlMs, ...stores }: Stores,
  projection: Projection,
  { onProgress, keep = false }: RebuildOptions,
): Promise<Rebuilt> {
  return rebuild({
    ...stores,
    ...(leaseTtlMs === undefined ? { holder: processHolder() } : { leaseTtlMs }),
    projection,
    now: Date.now,
    onProgress,
    onRebuilt: (rebuilt) => (keep ? Promise.resolve() : putLive(stores.store, rebuilt)),
  });
}

/** The build before it is kept, to roll back to. */
export async function putLive(store: ReadModelStore, rebuilt: Rebuilt): Promise<void> {
  await swap(store, rebuilt);
  await dropOldBuilds(store, rebuilt.projection);
}
