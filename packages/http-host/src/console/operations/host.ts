/** How this host is doing, as its health checks and metrics have it. */
import type { LedgerState } from '@counterfoil/engine';
import { packageVersion } from '../../package-version.ts';
import { consolePage } from '../slice.ts';
import { modelPath, PARKED, PATH, partsOf, SCOPE, shownLag, stateOf } from './words.ts';

type ReadModel = LedgerState['readModels'][number];

function shownModel({ projection, lag, builds, ...found }: ReadModel) {
  return {
    projection,
    state: stateOf(found),
    lag: lag === undefined ? undefined : shownLag(lag),
    parked: lag?.parked ?? 0,
    builds: builds.map(({ build, version, state }) =>
      state === 'ready' ? `${build} (${version})` : `${build} (${version}, loading)`,
    ),
  };
}

export const host = consolePage({
  path: PATH,
  title: 'Operations',
  scope: SCOPE,
  template: '/operations/host',
  async load(visit) {
    const { operations } = visit.services;
    const [{ readModels, followers }, { status, checks }] = await Promise.all([
      operations.state(),
      operations.report(),
    ]);
    return {
      parts: partsOf(visit, PATH),
      version: packageVersion(),
      isReady: status === 'ok',
      checks: Object.entries(checks).map(([name, outcome]) => ({
        name,
        state: outcome === 'ok' ? { text: 'Good', tone: 'good' } : { text: 'Failed', tone: 'bad' },
      })),
      readModels: readModels.map((each) => ({
        ...shownModel(each),
        href: visit.href(modelPath(each.projection)),
      })),
      parkedHref: visit.href(PARKED),
      followers: followers.map(({ name, ...behind }) => ({ name, lag: shownLag(behind) })),
    };
  },
});
