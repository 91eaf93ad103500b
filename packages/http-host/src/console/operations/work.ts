/** Work that takes long, as pages of operations begin, show and end it. */
import { refuse } from '../../http/errors.ts';
import { OTHER_WORK } from '../../operator/endpoints.ts';
import type { Work, WorkState } from '../../operator/work.ts';
import { consoleForm, type Visit } from '../slice.ts';
import { host } from './host.ts';
import { recorded } from './recorded.ts';
import { DOCTOR, modelPath, PATH, SCOPE } from './words.ts';

const PHASES: Readonly<Record<string, string>> = {
  loading: 'Reads the log',
  indexing: 'Makes the indices',
  comparing: 'Compares it with the live build',
  done: 'Puts it in the place of the live build',
};

const ACTIONS = {
  rebuild: 'operations.rebuild',
  count: 'operations.count',
  examine: 'operations.examine',
} as const satisfies Record<Work['kind'], string>;

export function pathOf(work: Work): string {
  return work.kind === 'examine' ? DOCTOR : modelPath(work.projection);
}

export function nameOf(work: Work): string {
  switch (work.kind) {
    case 'rebuild':
      return `Rebuild of ${work.projection}`;
    case 'count':
      return `Count of ${work.projection}`;
    case 'examine':
      return work.quick ? 'Quick examination' : 'Full examination';
  }
}

/** Refused while other work is under way. */
export async function begun(visit: Visit, work: Work): Promise<void> {
  const subject = work.kind === 'examine' ? null : work.projection;
  await recorded(visit, { action: ACTIONS[work.kind], subject }, async () => {
    const state = visit.services.operations.work.begin(work, visit.user.email);
    if (state === undefined) throw refuse('overloaded', OTHER_WORK);
  });
}

/** What is under way on this host, with its page and what ends it. */
export function underWay(visit: Visit) {
  const { running } = visit.services.operations.work;
  if (running === undefined) return undefined;
  const { work, by, startedAt, progress } = running;
  const { what = '', done = 0, total } = progress ?? {};
  return {
    title: nameOf(work),
    href: visit.href(pathOf(work)),
    by,
    startedAt,
    text: progress === undefined ? 'Begins' : (PHASES[what] ?? what),
    done,
    total,
    stop: visit.href(`${PATH}/stop-work`),
  };
}

/** How work ended that is not under way any more. */
export function ended(state: WorkState | undefined) {
  if (state?.endedAt === undefined) return undefined;
  const { by, endedAt, failure, outcome } = state;
  return { by, endedAt, failure, outcome };
}

export const stop = consoleForm({
  name: 'stop-work',
  path: `${PATH}/stop-work`,
  scope: SCOPE,
  page: host,
  async act(visit) {
    const { work } = visit.services.operations;
    const path = work.running === undefined ? PATH : pathOf(work.running.work);
    const act = { action: 'operations.stop', subject: null };
    const isStopped = await recorded(visit, act, () => work.stop(visit.user.email));
    return {
      to: visit.href(path),
      notice: isStopped ? 'It is stopped.' : 'Nothing was under way any more.',
    };
  },
});
