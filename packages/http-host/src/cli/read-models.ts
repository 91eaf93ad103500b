/** `counterfoil read-models …`: rebuild, swap back, and handle parked streams. */

import type { AnyVault, EventStore } from '@counterfoil/core';
import {
  counted,
  holderFor,
  openKeysToRead,
  processHolder,
  SHARED_LEASE_TTL_MS,
} from '@counterfoil/engine';
import { hostDatabaseUrlOf, openEventStore, openReadModels } from '@counterfoil/engine/storage';
import {
  createProjector,
  dropOldBuilds,
  PROJECTIONS,
  type Projection,
  ReadModelError,
  type ReadModelStore,
  type Rebuilt,
  rebuild,
  rollBack,
  swap,
} from '@counterfoil/projections';
import { type Command, InvalidArgumentError } from 'commander';
import type { Session } from './session.ts';

const ONE_OF_ALL = `one of ${PROJECTIONS.map(({ name }) => name).join(', ')}`;

export function addReadModelCommands(program: Command, session: Session): void {
  const { console } = session;
  const models = program
    .command('read-models')
    .description('Rebuild read models and look after parked streams');
  models
    .command('rebuild')
    .description('Replay the log into a new build beside the live one, compare, and swap')
    .argument('[projection]', 'all when absent', projectionOf)
    .option('--keep', 'only build and compare; do not swap')
    .action(async (projection: Projection | undefined, { keep = false }: { keep?: boolean }) => {
      for (const each of projection === undefined ? PROJECTIONS : [projection]) {
        await withStores(session, (stores) => rebuildOne(session, stores, each, keep));
      }
    });
  models
    .command('roll-back')
    .description('Make the build before the live one live again')
    .argument('<projection>', ONE_OF_ALL, projectionOf)
    .action((projection: Projection) =>
      withStores(session, async ({ store }) => {
        const build = await rollBack(store, projection);
        console.log(
          build === undefined
            ? `There is no earlier build of ${projection.name}`
            : `Build ${build} of ${projection.name} is live`,
        );
      }),
    );
  const parked = models.command('parked').description('Streams whose events could not be applied');
  parked
    .command('list')
    .action(() => withStores(session, ({ store }) => listParked(session, store)));
  parked
    .command('retry')
    .description('Apply the parked events of a stream again; with files the host must be stopped')
    .argument('<projection>', ONE_OF_ALL, projectionOf)
    .argument('<stream>', 'the name of the stream')
    .action((projection: Projection, stream: string) =>
      withStores(session, (stores) => retryParked(session, stores, projection, stream), {
        alone: true,
      }),
    );
}

function projectionOf(name: string): Projection {
  const projection = PROJECTIONS.find((each) => each.name === name);
  if (projection !== undefined) return projection;
  throw new InvalidArgumentError(`must be ${ONE_OF_ALL}`);
}

interface Stores {
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
async function withStores<Result>(
  session: Session,
  work: (stores: Stores) => Promise<Result>,
  { alone = false }: { alone?: boolean } = {},
): Promise<Result> {
  const config = session.config();
  const { readModelUrl } = config;
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
  const store = closing(await openReadModels(readModelUrl));
  return await work({ events, store, vault, holder: holderFor(config), leaseTtlMs });
}

interface Closable {
  close(): unknown;
}

const SHOW_EVERY_EVENTS = 100_000;

async function rebuildOne(
  { console }: Session,
  { leaseTtlMs, ...stores }: Stores,
  projection: Projection,
  keep: boolean,
): Promise<void> {
  let shown = 0;
  await rebuild({
    ...stores,
    ...(leaseTtlMs === undefined ? { holder: processHolder() } : { leaseTtlMs }),
    projection,
    now: Date.now,
    onProgress({ phase, events }) {
      if (phase === 'loading' && events - shown < SHOW_EVERY_EVENTS) return;
      shown = events;
      console.log(`${projection.name}: ${phase}, ${counted(events, 'event')}`);
    },
    async onRebuilt(rebuilt) {
      printRebuilt(console, rebuilt);
      if (keep) return;
      await swap(stores.store, rebuilt);
      await dropOldBuilds(stores.store, projection.name);
      console.log(`Build ${rebuilt.build} of ${projection.name} is live`);
    },
  });
}

function printRebuilt(console: Console, { projection, differences, parked }: Rebuilt): void {
  if (differences === undefined) console.log(`${projection}: there was nothing to compare with`);
  else if (differences.length === 0) console.log(`${projection}: equal to the live build`);
  else console.table(differences);
  if (parked.length > 0) console.table(parked);
}

async function listParked({ console }: Session, store: ReadModelStore): Promise<void> {
  for (const { name } of PROJECTIONS) {
    const streams = (await (await store.live(name))?.parked()) ?? [];
    for (const { stream, error, events } of streams) {
      console.log(`${name}  ${stream}  ${counted(events.length, 'event')}\n  ${error}`);
    }
  }
}

/** A clock this far ahead sees the worker's lease as expired, however recently it was renewed. */
const TAKE_OVER_MS = 2 * SHARED_LEASE_TTL_MS;

/**
 * Acts as the worker for this one stream. Takes over the lease of a running worker on shared read
 * models: that worker cannot write until it regains the lease, and continues afterwards.
 */
async function retryParked(
  session: Session,
  { events, store, vault, holder, leaseTtlMs }: Stores,
  projection: Projection,
  stream: string,
): Promise<void> {
  const parked = await (await store.live(projection.name))?.parked();
  if (parked?.some((each) => each.stream === stream) !== true) {
    throw new ReadModelError('not-ready', `${stream} is not parked in ${projection.name}`);
  }
  const stopping = new AbortController();
  const { promise: following, resolve } = Promise.withResolvers<void>();
  const projector = createProjector({
    events,
    store,
    vault,
    projections: PROJECTIONS,
    holder,
    ...(leaseTtlMs === undefined
      ? { now: Date.now }
      : { now: () => Date.now() + TAKE_OVER_MS, leaseTtlMs }),
    signal: stopping.signal,
    // A parked stream implies a checkpoint, so this is called at once.
    notify: () => resolve(),
  });
  const running = projector.run();
  try {
    await Promise.race([following, running]);
    const freed = await projector.retryParked(projection.name, stream);
    session.console.log(freed ? `${stream} is applied` : `${stream} fails again and stays parked`);
    if (!freed) session.exitCode = 1;
  } finally {
    stopping.abort();
    await running;
  }
}
