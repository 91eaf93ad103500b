/** Operations: how this host is doing, as its health checks and metrics have it. */
import type { LedgerState } from '@counterfoil/engine';
import { packageVersion } from '../../package-version.ts';
import { consolePage, consoleSlice } from '../slice.ts';

const PATH = '/operations';
const SCOPE = 'activity:read';
/** Lags are counted up to here. */
const MOST_COUNTED = 1_000;

type ReadModel = LedgerState['readModels'][number];
type Progress = Pick<LedgerState['followers'][number], 'events' | 'seconds'>;

function shownLag({ events, seconds }: Progress): string {
  if (events === 0) return 'None';
  const count = events >= MOST_COUNTED ? `${MOST_COUNTED} events or more` : `${events} events`;
  return `${count}, ${Math.round(seconds)} s`;
}

function shownModel({ projection, isReady, lag, builds }: ReadModel) {
  return {
    projection,
    state: isReady ? { text: 'Answers', tone: 'good' } : { text: 'Being built', tone: 'warn' },
    lag: lag === undefined ? undefined : shownLag(lag),
    parked: lag?.parked ?? 0,
    builds: builds.map(({ build, version, state }) =>
      state === 'ready' ? `${build} (${version})` : `${build} (${version}, loading)`,
    ),
  };
}

const operations = consolePage({
  path: PATH,
  title: 'Operations',
  scope: SCOPE,
  template: '/operations/operations',
  async load({ services: { operations: asked } }) {
    const version = packageVersion();
    if (asked === undefined) return { version, figures: undefined };
    const [{ readModels, followers }, report] = await Promise.all([asked.state(), asked.report()]);
    return {
      version,
      figures: {
        isReady: report.status === 'ok',
        checks: Object.entries(report.checks).map(([name, outcome]) => ({
          name,
          state:
            outcome === 'ok' ? { text: 'Good', tone: 'good' } : { text: 'Failed', tone: 'bad' },
        })),
        readModels: readModels.map(shownModel),
        hasParked: readModels.some(({ lag }) => (lag?.parked ?? 0) > 0),
        followers: followers.map(({ name, ...behind }) => ({ name, lag: shownLag(behind) })),
      },
    };
  },
});

export const OPERATIONS = consoleSlice({
  nav: { title: 'Operations', path: PATH, scope: SCOPE },
  pages: [operations],
});
