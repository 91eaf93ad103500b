/** Health checks and metrics of a ledger. */
import { dirname } from 'node:path';
import { type BuildInfo, PROJECTIONS } from '@counterfoil/projections';
import type { Assembly } from './assembly.ts';
import type { MetricsRegistry } from './metrics-registry.ts';
import type { OpenStores } from './open-stores.ts';
import type { Clock } from './runtime/clock.ts';
import { expectRoom } from './runtime/disk-room.ts';
import {
  type Behind,
  behindOf,
  isReady,
  type Lag,
  lagOf,
  MOST_COUNTED,
} from './runtime/projecting/lag.ts';
import type { Settings } from './settings.ts';
import { SLICES } from './slices.ts';
import { fileOf } from './storage/stores.ts';

const MS_PER_SECOND = 1_000;

interface Watched {
  readonly settings: Settings;
  readonly stores: OpenStores;
  readonly parts: Assembly;
  readonly clock: Clock;
}

/** Rejects while what it looks at cannot be used. */
export type HealthCheck = () => Promise<void>;

/** By name. */
export function healthChecks({ settings, stores, parts }: Watched): Record<string, HealthCheck> {
  const { events, hostDatabase, readModels } = stores;
  const log = fileOf(settings.eventStoreUrl);
  return {
    'event-store': async () => {
      await events.head();
    },
    ...(hostDatabase !== undefined && {
      'host-database': async () => {
        await hostDatabase.pool.query('SELECT');
      },
    }),
    ...(log !== undefined && { disk: () => expectRoom(dirname(log)) }),
    projections: async () => {
      if (!parts.projecting.running) throw new Error('the projections are not running');
      for (const { name } of PROJECTIONS) {
        if (!(await isReady(readModels, name))) {
          throw new Error(`the read model ${name} is being rebuilt`);
        }
      }
    },
  };
}

export function registerMetrics(metrics: MetricsRegistry, watched: Watched): void {
  const { parts } = watched;
  registerLags(metrics, watched);
  registerFollowers(metrics, watched);
  const { testClock } = parts;
  if (testClock !== undefined) {
    metrics.gauge(
      'clock_ahead_seconds',
      "How far the test clock is ahead of the system's",
      () => testClock.aheadMs / MS_PER_SECOND,
    );
  }
  for (const each of SLICES) each.registerMetrics?.(parts, metrics);
}

export interface LedgerState {
  readonly readModels: readonly {
    readonly projection: string;
    /** Whether queries of it are answered. */
    readonly isReady: boolean;
    /** Undefined while it is being built for the first time. */
    readonly lag: Lag | undefined;
    readonly builds: readonly BuildInfo[];
    /** The build that queries read; undefined before there is one. */
    readonly live: number | undefined;
  }[];
  /** Those that run in this process. Their events are counted up to 1,000. */
  readonly followers: readonly (Behind & { readonly name: string })[];
}

/** What the metrics say of read models and followers, for people. */
export async function ledgerState(watched: Watched): Promise<LedgerState> {
  const { events, readModels: store } = watched.stores;
  const projections = projectionsOf(watched);
  const [lags, followers] = await Promise.all([
    lagOf({ events, store, projections, now: () => Date.parse(watched.clock.now()) }),
    followersBehind(watched),
  ]);
  const readModels = projections.map(async (projection) => ({
    projection,
    isReady: await isReady(store, projection),
    lag: lags.find((lag) => lag.projection === projection),
    builds: await store.builds(projection),
    live: (await store.live(projection))?.info.build,
  }));
  return {
    readModels: await Promise.all(readModels),
    followers: [...followers].map(([name, behind]) => ({ name, ...behind })),
  };
}

function projectionsOf({ parts }: Watched): readonly string[] {
  return [...PROJECTIONS.map(({ name }) => name), ...parts.ownProjections.names];
}

function registerLags(metrics: MetricsRegistry, watched: Watched): void {
  const { stores, clock } = watched;
  const { events, readModels: store, progress } = stores;
  const projections = projectionsOf(watched);
  metrics.gauges({
    label: 'projection',
    look: async () => {
      const ready = projections.map(async (name) => [name, await isReady(store, name)] as const);
      return new Map(await Promise.all(ready));
    },
    names: {
      projection_ready: {
        help: 'Whether queries of it are answered: 0 while it is rebuilt',
        of: (isAnswered: boolean) => (isAnswered ? 1 : 0),
      },
    },
  });
  metrics.gauges({
    label: 'projection',
    look: async () => {
      const now = () => Date.parse(clock.now());
      const lags = await lagOf({ events, store, projections, now });
      return new Map(lags.map((lag) => [lag.projection, lag]));
    },
    names: {
      projection_behind_events: {
        help: `Events of the log that have not been applied; at ${MOST_COUNTED} there may be more`,
        of: ({ events: count }: Lag) => count,
      },
      projection_behind_seconds: {
        help: 'Since the oldest event that has not been applied was appended; 0 when all have been',
        of: ({ seconds }: Lag) => seconds,
      },
      projection_parked_streams: {
        help: 'Streams whose events could not be applied, and wait',
        of: ({ parked }: Lag) => parked,
      },
    },
  });
  metrics.gauges({
    label: 'shard',
    look: async () => new Map([...progress.shards].map((each, shard) => [`${shard}`, each])),
    names: {
      projection_shard_delay_seconds: {
        help: 'How old the last applied events of these tenants were when they had been applied',
        of: ({ behindMs }: { readonly behindMs: number }) => behindMs / MS_PER_SECOND,
      },
    },
  });
  metrics.gauge(
    'projection_delay_seconds',
    'How old the last applied events were when they had been applied',
    () => progress.behindMs / MS_PER_SECOND,
  );
}

/** Of one that is held up before it has read its checkpoint, everything counts as unprocessed. */
async function followersBehind({
  stores,
  clock,
  parts,
}: Watched): Promise<ReadonlyMap<string, Behind>> {
  const options = { events: stores.events, now: () => Date.parse(clock.now()) };
  const places = parts.followerProgress.running;
  // Most have the same place, that of the head.
  const found = new Map<string | undefined, Promise<Behind>>();
  for (const place of places.values()) {
    if (!found.has(place)) found.set(place, behindOf(options, place));
  }
  const behind = new Map<string, Behind>();
  for (const [name, place] of places) {
    const known = await found.get(place);
    if (known !== undefined) behind.set(name, known);
  }
  return behind;
}

function registerFollowers(metrics: MetricsRegistry, watched: Watched): void {
  metrics.gauges({
    label: 'follower',
    look: () => followersBehind(watched),
    names: {
      follower_behind_events: {
        help: `Events of the log that it has not processed; at ${MOST_COUNTED} there may be more`,
        of: ({ events }: Behind) => events,
      },
      follower_behind_seconds: {
        help: 'Since the oldest event that it has not processed was appended; 0 when it has all',
        of: ({ seconds }: Behind) => seconds,
      },
    },
  });
}
