/** A read model: its builds, its rows, and how it is rebuilt. */
import type { LedgerState } from '@counterfoil/engine';
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { doneOnce } from '../once.ts';
import { consoleForm, consolePage, type Visit } from '../slice.ts';
import { MODEL, modelPath, PARKED, PATH, partsOf, SCOPE, shownLag, stateOf } from './words.ts';
import { begun, ended, underWay } from './work.ts';

type Found = LedgerState['readModels'][number];

const Params = z.object({ projection: bounded(100) });

async function modelOf({ services }: Visit, name: string): Promise<Found> {
  const { readModels } = await services.operations.state();
  const found = readModels.find(({ projection }) => projection === name);
  if (found === undefined) throw refuse('not_found');
  return found;
}

/** The newest that queries may read; 0 where there is none. */
function newestOf({ builds }: Found): number {
  return builds.findLast(({ state }) => state === 'ready')?.build ?? 0;
}

function badgeOf({ build, state }: Found['builds'][number], live: number | undefined) {
  if (build === live) return { text: 'Live', tone: 'good' };
  return state === 'ready' ? { text: 'Complete' } : { text: 'Loading', tone: 'warn' };
}

export const readModel = consolePage({
  path: MODEL,
  title: 'Read model',
  scope: SCOPE,
  params: Params,
  template: '/operations/read-model',
  async load(visit, { params: { projection } }) {
    const found = await modelOf(visit, projection);
    const { work } = visit.services.operations;
    const path = modelPath(projection);
    return {
      title: projection,
      parts: partsOf(visit, PATH),
      self: visit.href(path),
      trail: visit.href(PATH),
      state: stateOf(found),
      lag: found.lag === undefined ? undefined : shownLag(found.lag),
      parked: found.lag?.parked ?? 0,
      parkedHref: visit.href(PARKED),
      builds: found.builds.map((each) => ({ ...each, badge: badgeOf(each, found.live) })),
      running: underWay(visit),
      rebuilt: ended(work.last({ kind: 'rebuild', projection })),
      counted: ended(work.last({ kind: 'count', projection })),
      rebuildHref: visit.href(`${path}/rebuild`),
      count: visit.href(`${path}/count`),
    };
  },
});

export const count = consoleForm({
  name: 'count-rows',
  path: `${MODEL}/count`,
  scope: SCOPE,
  params: Params,
  page: readModel,
  async act(visit, { params: { projection } }) {
    await modelOf(visit, projection);
    await begun(visit, { kind: 'count', projection });
    return { to: visit.href(modelPath(projection)) };
  },
});

export const rebuildReview = consolePage({
  path: `${MODEL}/rebuild`,
  title: 'Rebuild',
  scope: SCOPE,
  params: Params,
  template: '/templates/review',
  async load(visit, { params: { projection }, again }) {
    const found = await modelOf(visit, projection);
    const path = modelPath(projection);
    return {
      title: `Rebuild ${projection}`,
      trail: [
        { title: 'Operations', href: visit.href(PATH) },
        { title: projection, href: visit.href(path) },
      ],
      facts: [
        { label: 'State', value: stateOf(found).text },
        { label: 'Behind the log', value: found.lag === undefined ? '' : shownLag(found.lag) },
        { label: 'Parked streams', value: String(found.lag?.parked ?? 0) },
      ],
      consequences: [
        'The whole log is read again into a new build. The live one answers queries meanwhile.',
        'The new build takes the place of the live one when it is complete. What differs between the two is listed.',
        'Parked streams are tried again in the new build; those that fail again are parked there.',
        `The build before it is kept, for “counterfoil read-models roll-back ${projection}”. Older ones are removed.`,
        'It takes a processor, about a gigabyte of memory, and room on the disk for a second build, for as long as the log is read: minutes for a million events. Other work of operators has to wait.',
      ],
      hidden: { seen: newestOf(found) },
      problems: again?.problems,
      label: 'Rebuild it',
      action: visit.href(`${path}/rebuild`),
      back: visit.href(path),
    };
  },
});

export const rebuild = consoleForm({
  name: 'rebuild-read-model',
  path: `${MODEL}/rebuild`,
  scope: SCOPE,
  params: Params,
  body: z.object({ seen: z.string().max(16).transform(Number) }),
  page: rebuildReview,
  async act(visit, { params: { projection }, body: { seen } }) {
    const found = await modelOf(visit, projection);
    const { running } = visit.services.operations.work;
    return doneOnce({
      to: visit.href(modelPath(projection)),
      what: 'the read model',
      isDone: running?.work.kind === 'rebuild' && running.work.projection === projection,
      isAsSeen: newestOf(found) === seen,
      async act() {
        // The page shows how far it is: a notice would stay above what became of it.
        await begun(visit, { kind: 'rebuild', projection });
        return undefined;
      },
    });
  },
});
