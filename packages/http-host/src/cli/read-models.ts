/** `counterfoil read-models …`: rebuild, swap back, and handle parked streams. */

import { counted, SHARED_LEASE_TTL_MS } from '@counterfoil/engine';
import {
  createProjector,
  PROJECTIONS,
  type Projection,
  ReadModelError,
  type ReadModelStore,
  type Rebuilt,
  rollBack,
  shardOf,
} from '@counterfoil/projections';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { rebuildModel, type Stores, withStores } from '../operator/model-stores.ts';
import { runningHost } from './host-ways.ts';
import type { Session } from './session.ts';

const ONE_OF_ALL = `one of ${PROJECTIONS.map(({ name }) => name).join(', ')}`;

export function addReadModelCommands(program: Command, session: Session): void {
  const models = program
    .command('read-models')
    .description('Rebuild read models and look after parked streams');
  models
    .command('rebuild')
    .description('Replay the log into a new build beside the live one, compare, and swap')
    .argument('[projection]', 'all when absent', projectionOf)
    .option('--keep', 'only build and compare; do not swap')
    .action(async (projection: Projection | undefined, { keep = false }: { keep?: boolean }) => {
      const results: Result[] = [];
      for (const each of projection === undefined ? PROJECTIONS : [projection]) {
        const rebuildEach = (stores: Stores) => rebuildOne(session, stores, each, keep);
        results.push(await withStores(session.config(), rebuildEach));
      }
      session.print({ items: results }, () => undefined);
    });
  models
    .command('roll-back')
    .description('Make the build before the live one live again')
    .argument('<projection>', ONE_OF_ALL, projectionOf)
    .action((projection: Projection) =>
      withStores(session.config(), async ({ store }) => {
        const build = await rollBack(store, projection);
        session.print({ projection: projection.name, build: build ?? null }, (console) =>
          console.log(
            build === undefined
              ? `There is no earlier build of ${projection.name}`
              : `Build ${build} of ${projection.name} is live`,
          ),
        );
      }),
    );
  const parked = models.command('parked').description('Streams whose events could not be applied');
  parked
    .command('list')
    .description('List them, with the reasons')
    .action(() => withStores(session.config(), ({ store }) => listParked(session, store)));
  parked
    .command('retry')
    .description('Apply the parked events of a stream again')
    .argument('<projection>', ONE_OF_ALL, projectionOf)
    .argument('<stream>', 'the name of the stream')
    .action((projection: Projection, stream: string) => retry(session, projection, stream));
}

function projectionOf(name: string): Projection {
  const projection = PROJECTIONS.find((each) => each.name === name);
  if (projection !== undefined) return projection;
  throw new InvalidArgumentError(`must be ${ONE_OF_ALL}`);
}

const SHOW_EVERY_EVENTS = 100_000;

/** What a rebuild came to, for --json. */
interface Result extends Pick<Rebuilt, 'projection' | 'build'> {
  readonly differences: Rebuilt['differences'] | null;
  readonly parked: readonly { readonly stream: string; readonly error: string }[];
  readonly live: boolean;
}

async function rebuildOne(
  session: Session,
  stores: Stores,
  projection: Projection,
  keep: boolean,
): Promise<Result> {
  const { name } = projection;
  let shown = 0;
  const rebuilt = await rebuildModel(stores, projection, {
    keep,
    onProgress({ phase, events }) {
      if (phase === 'loading' && events - shown < SHOW_EVERY_EVENTS) return;
      shown = events;
      session.say(`${name}: ${phase}, ${counted(events, 'event')}`);
    },
  });
  printRebuilt(session, rebuilt);
  const { build, differences = null } = rebuilt;
  if (!keep) session.say(`Build ${build} of ${name} is live`);
  const parked = rebuilt.parked.map(({ stream, error }) => ({ stream, error }));
  return { projection: name, build, differences, parked, live: !keep };
}

function printRebuilt(
  { isJson, console }: Session,
  { projection, differences, parked }: Rebuilt,
): void {
  if (isJson) return;
  if (differences === undefined) console.log(`${projection}: there was nothing to compare with`);
  else if (differences.length === 0) console.log(`${projection}: equal to the live build`);
  else console.table(differences);
  if (parked.length > 0) console.table(parked);
}

async function listParked(session: Session, store: ReadModelStore): Promise<void> {
  const items: { projection: string; stream: string; events: number; error: string }[] = [];
  for (const { name: projection } of PROJECTIONS) {
    const streams = (await (await store.live(projection))?.parked()) ?? [];
    for (const { stream, error, events } of streams) {
      items.push({ projection, stream, events: events.length, error });
    }
  }
  session.print({ items }, (console) => {
    for (const { projection, stream, events, error } of items) {
      console.log(`${projection}  ${stream}  ${counted(events, 'event')}\n  ${error}`);
    }
  });
}

const Retried = z.object({ item: z.object({ applied: z.boolean() }) });

/** The host that runs on the data folder does it itself. */
async function retry(session: Session, { name }: Projection, stream: string): Promise<void> {
  const host = await runningHost(session.config());
  if (host === undefined) {
    await withStores(session.config(), (stores) => retryParked(session, stores, name, stream), {
      alone: true,
    });
    return;
  }
  const json = { projection: name, stream };
  const path = '/operator/parked-streams/retry';
  const { item } = await host.ask(Retried, { method: 'POST', path, json });
  printRetried(session, { ...json, applied: item.applied });
}

function printRetried(
  session: Session,
  item: { readonly projection: string; readonly stream: string; readonly applied: boolean },
): void {
  const { stream, applied } = item;
  session.print(item, (console) =>
    console.log(applied ? `${stream} is applied` : `${stream} fails again and stays parked`),
  );
  if (!applied) session.exitCode = 1;
}

/** A clock this far ahead sees the worker's lease as expired, however recently it was renewed. */
const TAKE_OVER_MS = 2 * SHARED_LEASE_TTL_MS;

/**
 * Acts as the worker for this one stream. Takes over the lease of its shard from a running worker on
 * shared read models: that one cannot write until it regains the lease, and continues afterwards.
 */
async function retryParked(
  session: Session,
  { events, store, vault, holder, leaseTtlMs }: Stores,
  projection: string,
  stream: string,
): Promise<void> {
  const all = await (await store.live(projection))?.parked();
  const parked = all?.find((each) => each.stream === stream)?.events[0];
  if (parked === undefined) {
    throw new ReadModelError('not-ready', `${stream} is not parked in ${projection}`);
  }
  const stopping = new AbortController();
  const { promise: following, resolve } = Promise.withResolvers<void>();
  const projector = createProjector({
    events,
    store,
    vault,
    projections: PROJECTIONS,
    holder,
    onlyShard: shardOf(parked.tenantId, await store.shards()),
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
    const applied = await projector.retryParked(projection, stream);
    printRetried(session, { projection, stream, applied });
  } finally {
    stopping.abort();
    await running;
  }
}
