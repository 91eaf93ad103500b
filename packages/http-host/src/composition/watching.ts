/** Tells from outside how a host is: whether it is ready, and its figures. */
import { dirname } from 'node:path';
import { PROJECTIONS } from '@counterfoil/projections';
import { expectRoom } from '../disk-room.ts';
import type { Metrics } from '../http/metrics.ts';
import { isReady, type Lag, lagOf, MOST_COUNTED } from '../projecting/lag.ts';
import { fileOf } from '../stores.ts';
import { type Get, PART } from './parts.ts';

const MS_PER_SECOND = 1_000;

export function watchHost(get: Get): void {
  addChecks(get);
  const metrics = get(PART.metrics);
  metrics.observeProcess();
  addLags(get, metrics);
  const testClock = get(PART.testClock);
  if (testClock !== undefined) {
    metrics.gauge(
      'clock_ahead_seconds',
      "How far the test clock is ahead of the system's",
      () => testClock.aheadMs / MS_PER_SECOND,
    );
  }
  metrics.gauge(
    'erasure_pending_files',
    'Files that may still hold persons who were erased, until whoever reads them is done',
    () => get(PART.scrubbing).pending + get(PART.progress).erasing,
  );
  get(PART.mailing).watch(metrics);
  get(PART.billing).watch(metrics);
}

function addChecks(get: Get): void {
  const readiness = get(PART.readiness);
  const events = get(PART.events);
  const projecting = get(PART.projecting);
  const log = fileOf(get(PART.config).eventStoreUrl);
  readiness.add('event-store', async () => {
    await events.head();
  });
  const database = get(PART.hostDatabase);
  if (database !== undefined) {
    readiness.add('host-database', async () => {
      await database.pool.query('SELECT');
    });
  }
  if (log !== undefined) readiness.add('disk', () => expectRoom(dirname(log)));
  const store = get(PART.readModels);
  readiness.add('projections', async () => {
    if (!projecting.running) throw new Error('the projections are not running');
    for (const { name } of PROJECTIONS) {
      if (!(await isReady(store, name)))
        throw new Error(`the read model ${name} is being made anew`);
    }
  });
}

function addLags(get: Get, metrics: Metrics): void {
  const clock = get(PART.clock);
  const events = get(PART.events);
  const store = get(PART.readModels);
  const progress = get(PART.progress);
  metrics.gauges({
    label: 'projection',
    look: async () => {
      const ready = PROJECTIONS.map(
        async ({ name }) => [name, await isReady(store, name)] as const,
      );
      return new Map(await Promise.all(ready));
    },
    names: {
      projection_ready: {
        help: 'Whether queries of it are answered: 0 while it is made anew',
        of: (isAnswered: boolean) => (isAnswered ? 1 : 0),
      },
    },
  });
  metrics.gauges({
    label: 'projection',
    look: async () => {
      const now = () => Date.parse(clock.now());
      const projections = PROJECTIONS.map(({ name }) => name);
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
  metrics.gauge(
    'projection_delay_seconds',
    'How old the last applied events were when they had been applied',
    () => progress.behindMs / MS_PER_SECOND,
  );
}
