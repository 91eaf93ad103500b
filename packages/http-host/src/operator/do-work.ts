/** Does an operator's work: in a process of its own, or, where the data is in this one, here. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AnyVault } from '@counterfoil/core';
import type { Engine } from '@counterfoil/engine';
import { fileOf, hostDatabaseUrlOf } from '@counterfoil/engine/storage';
import {
  PROJECTIONS,
  type Projection,
  type ReadModelStore,
  type RebuildProgress,
  type Rebuilt,
  rebuild,
} from '@counterfoil/projections';
import type { Config } from '../config.ts';
import { putLive } from './model-stores.ts';
import type { Counted, DoWork, Outcome, RebuiltModel, Work, WorkProgress } from './work.ts';

/** Few, so that requests in this process wait for one batch only. */
const BATCH_EVENTS = 500;
const HOLDER = 'operator';

/** What the process is begun with. */
export interface Begin {
  readonly config: Config;
  readonly work: Work;
  /** Of the gateways that this host was given. */
  readonly gatewayIds: readonly number[];
}

export type FromProcess =
  | { readonly type: 'progress'; readonly progress: WorkProgress }
  | { readonly type: 'done'; readonly outcome: Outcome }
  | { readonly type: 'failed'; readonly message: string };

export function workOf(config: Config, engine: Engine): DoWork {
  const isElsewhere = fileOf(config.readModelUrl) ?? hostDatabaseUrlOf(config);
  return (work, signal, onProgress) => {
    const isOwn = work.kind !== 'examine' && engine.ownProjections.names.includes(work.projection);
    if (isElsewhere !== undefined && !isOwn) {
      const begin = { config, work, gatewayIds: [...engine.gateways.ids] };
      return workElsewhere(begin, signal, onProgress);
    }
    return workHere(engine, work, signal, onProgress);
  };
}

/** The thread that answers requests is not held up, and what is stopped leaves no memory behind. */
async function workElsewhere(
  begin: Begin,
  signal: AbortSignal,
  onProgress: (progress: WorkProgress) => void,
): Promise<Outcome> {
  signal.throwIfAborted();
  const file = fileURLToPath(new URL('../cli/operator-work.ts', import.meta.url));
  const child = fork(file, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const stop = () => child.kill();
  signal.addEventListener('abort', stop);
  let ended: Exclude<FromProcess, { type: 'progress' }> | undefined;
  child.on('message', (message: FromProcess) => {
    if (message.type === 'progress') onProgress(message.progress);
    else ended = message;
  });
  const exited = once(child, 'exit');
  // One that has died takes no message; its exit says so.
  child.send(begin, () => undefined);
  try {
    const [code, killedBy] = await exited;
    if (ended?.type === 'done') return ended.outcome;
    throw new Error(ended?.message ?? `The process of the work ended with ${killedBy ?? code}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function workHere(
  { stores, ownProjections }: Engine,
  work: Work,
  signal: AbortSignal,
  onProgress: (progress: WorkProgress) => void,
): Promise<Outcome> {
  if (work.kind === 'examine') {
    throw new Error('The ledger is in memory: there is no data folder to examine');
  }
  // Read-write also where the read models of the ledger are written by others.
  const { events, leases: store, personalKeys } = stores;
  if (work.kind === 'count') return { kind: 'count', ...(await countRows(store, work.projection)) };
  const all: readonly { projections: readonly Projection[]; vault: AnyVault }[] = [
    { projections: PROJECTIONS, vault: personalKeys },
    ...ownProjections.replayed(),
  ];
  for (const { projections, vault } of all) {
    const projection = projections.find(({ name }) => name === work.projection);
    if (projection === undefined) continue;
    const rebuilt = await rebuild({
      events,
      store,
      vault,
      projection,
      holder: HOLDER,
      now: Date.now,
      batchEvents: BATCH_EVENTS,
      signal,
      onProgress: (progress) => onProgress(shownProgress(progress)),
      onRebuilt: (made) => putLive(store, made),
    });
    return { kind: 'rebuild', ...shownRebuilt(rebuilt) };
  }
  throw new Error(`There is no read model ${work.projection}`);
}

export async function countRows(store: ReadModelStore, projection: string): Promise<Counted> {
  const live = await store.live(projection);
  if (live === undefined) throw new Error(`There is no live build of ${projection} yet`);
  const { collections } = await live.summary();
  return {
    build: live.info.build,
    collections: collections.map(({ collection, count }) => ({ collection, count })),
  };
}

export function shownProgress({ phase, events }: RebuildProgress): WorkProgress {
  return { what: phase, done: events };
}

export function shownRebuilt({ build, events, differences, parked }: Rebuilt): RebuiltModel {
  return {
    build,
    events,
    differences:
      differences?.map(({ collection, live, rebuilt }) => ({
        collection,
        before: live?.count ?? 0,
        after: rebuilt?.count ?? 0,
      })) ?? null,
    parked: new Set(parked.map(({ stream }) => stream)).size,
  };
}
