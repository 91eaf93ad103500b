/** The doctor: examines the data on demand, and says what is wrong and what to do. */
import { z } from 'zod';
import type { Examined } from '../../operator/work.ts';
import { consoleForm, consolePage } from '../slice.ts';
import { DOCTOR, partsOf, SCOPE, withoutQuotes } from './words.ts';
import { begun, ended, nameOf, underWay } from './work.ts';

const VERDICTS = {
  sound: { text: 'Sound', tone: 'good' },
  warnings: { text: 'Warnings', tone: 'warn' },
  unexamined: { text: 'Not examined', tone: 'bad' },
  damage: { text: 'Damage', tone: 'bad' },
} as const;

type Checked = Examined['checks'][number];

function shownCheck({ title, looked, skipped, findings }: Checked) {
  return {
    title,
    looked: skipped?.replace('--quick', 'the quick examination') ?? looked,
    state: stateOfCheck(findings, skipped),
  };
}

function stateOfCheck(findings: Checked['findings'], skipped: string | undefined) {
  if (findings.some(({ severity }) => severity === 'damage')) return VERDICTS.damage;
  if (findings.some(({ severity }) => severity === 'unexamined')) return VERDICTS.unexamined;
  if (findings.length > 0) return VERDICTS.warnings;
  return skipped === undefined ? VERDICTS.sound : { text: 'Left out' };
}

function shownExamination({ verdict, folder, database, checks }: Examined) {
  return {
    verdict: VERDICTS[verdict],
    place: database ?? folder,
    checks: checks.map(shownCheck),
    findings: checks
      .flatMap(({ findings }) => findings)
      .toSorted((one, other) => rank(one.severity) - rank(other.severity))
      .map(({ message, severity, advice }) => ({
        badge: SEVERITIES[severity],
        message: withoutQuotes(message),
        advice,
      })),
  };
}

const SEVERITIES = {
  damage: { text: 'Damage', tone: 'bad' },
  unexamined: { text: 'Not examined', tone: 'bad' },
  warning: { text: 'Warning', tone: 'warn' },
} as const;

/** The worst first. */
function rank(severity: keyof typeof SEVERITIES): number {
  return Object.keys(SEVERITIES).indexOf(severity);
}

export const doctor = consolePage({
  path: DOCTOR,
  title: 'Doctor',
  scope: SCOPE,
  template: '/operations/doctor',
  async load(visit) {
    const last = visit.services.operations.work.last({ kind: 'examine' });
    const examination = last?.outcome?.kind === 'examine' ? last.outcome : undefined;
    return {
      parts: partsOf(visit, DOCTOR),
      self: visit.href(DOCTOR),
      running: underWay(visit),
      last: last && { name: nameOf(last.work), ...ended(last) },
      examination: examination && shownExamination(examination),
    };
  },
});

export const examine = consoleForm({
  name: 'examine',
  path: DOCTOR,
  scope: SCOPE,
  body: z.object({ how: z.enum(['quick', 'full']) }),
  page: doctor,
  async act(visit, { body: { how } }) {
    await begun(visit, { kind: 'examine', quick: how === 'quick' });
    return { to: visit.href(DOCTOR) };
  },
});
