/** Streams whose events could not be applied to a read model: seen, and tried again. */
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { MOST_RETRIED } from '../../operator/parked-streams.ts';
import { consoleForm, consolePage, type Outcome, type Visit } from '../slice.ts';
import { recorded } from './recorded.ts';
import { PARKED, partsOf, SCOPE, shownReason } from './words.ts';

const Projection = bounded(100);

export const parked = consolePage({
  path: PARKED,
  title: 'Parked streams',
  scope: SCOPE,
  template: '/operations/parked',
  async load(visit) {
    const { items, isMore } = await visit.services.operations.parked.list();
    const shown = items.map((each) => ({
      ...each,
      // It stands beside its stream.
      error: each.error && shownReason(each.error.replace(`${each.stream}@`, 'revision ')),
    }));
    return {
      parts: partsOf(visit, PARKED),
      models: [...Map.groupBy(shown, ({ projection }) => projection)].map(
        ([projection, streams]) => ({ projection, streams }),
      ),
      isMore,
      mostRetried: MOST_RETRIED,
      retry: visit.href(`${PARKED}/retry`),
      retryAll: visit.href(`${PARKED}/retry-all`),
    };
  },
});

export const retry = consoleForm({
  name: 'retry-parked-stream',
  path: `${PARKED}/retry`,
  scope: SCOPE,
  body: z.object({ projection: Projection, stream: bounded(1_024) }),
  page: parked,
  async act(visit, { body: { projection, stream } }) {
    const { parked: streams } = visit.services.operations;
    const act = { action: 'operations.retryParked', subject: stream };
    const retried = await recorded(visit, act, () => streams.retry(projection, stream));
    switch (retried) {
      case 'applied':
        return seen(visit, `${stream} is applied.`);
      case 'parked':
        return seen(visit, `${stream} fails again, and stays parked.`);
      case 'absent':
        return seen(visit, `${stream} is not parked any more.`);
      case 'unfollowed':
        throw unfollowed(projection);
    }
  },
});

export const retryAll = consoleForm({
  name: 'retry-parked-streams',
  path: `${PARKED}/retry-all`,
  scope: SCOPE,
  body: z.object({ projection: Projection }),
  page: parked,
  async act(visit, { body: { projection } }) {
    const { parked: streams } = visit.services.operations;
    const act = { action: 'operations.retryParked', subject: projection };
    const became = await recorded(visit, act, () => streams.retryAll(projection));
    if (became.applied + became.parked === 0 && became.left > 0) throw unfollowed(projection);
    const rest = became.left === 0 ? '' : ` ${became.left} are left to be tried.`;
    const done = `Of ${projection}, ${became.applied} are applied, and ${became.parked} fail again.`;
    return seen(visit, done + rest);
  },
});

function seen(visit: Visit, notice: string): Outcome {
  return { to: visit.href(PARKED), notice };
}

function unfollowed(projection: string) {
  return refuse(
    'overloaded',
    `This host does not follow ${projection} at the moment: it is being built, or another host has it. Nothing was done; try again soon.`,
  );
}
