/** `counterfoil doctor`: examines the stores of a host, reports problems and what to do. */
import { tmpdir } from 'node:os';
import { styleText } from 'node:util';
import { presentIn } from '@counterfoil/engine';
import {
  CHECKS,
  type Checked,
  type Examination,
  examine,
  type Finding,
  type Severity,
  type Verdict,
} from '@counterfoil/engine/doctor';
import { SANDBOX_GATEWAY_ID } from '@counterfoil/engine/gateways';
import type { Command } from 'commander';
import { loadGateways } from '../load-gateways.ts';
import { PhaseBar } from './progress-bar.ts';
import type { Session } from './session.ts';
import { wholeNumber } from './session.ts';

/** 1 is also the exit code of a command that failed. */
const EXIT_CODES: Readonly<Record<Verdict, number>> = {
  sound: 0,
  unexamined: 1,
  damage: 2,
  warnings: 3,
};

const NAME_WIDTH = 24;

export interface DoctorOptions {
  readonly quick?: boolean;
  readonly scratch: string;
  readonly gateways?: readonly number[];
}

export function addDoctorCommand(program: Command, session: Session): void {
  const doctor = program
    .command('doctor')
    .description(
      'Examine the data folder, or the log and the database that hosts share, beside running hosts or without any; changes nothing',
    );
  withDoctorOptions(doctor).action((options: DoctorOptions) => examineFolder(session, options));
}

export function withDoctorOptions(command: Command): Command {
  return command
    .option('--quick', 'only what takes seconds: no events, no rebuild')
    .option('--scratch <folder>', 'with room for a read model beside the live one', tmpdir())
    .option(
      '--gateways <ids>',
      'of the host, separated by commas (default: the sandbox, and those of GATEWAYS)',
      idsOf,
    )
    .addHelpText(
      'after',
      '\nEnds with 0: sound, 3: warnings only, 2: damage, 1: it could not examine.',
    );
}

interface Examined extends DoctorOptions {
  readonly hasReadModels?: boolean;
  /** Come first in the JSON document. */
  readonly fields?: object;
}

/** Prints what is found, and sets the exit code. */
export async function examineFolder(
  session: Session,
  { quick = false, scratch, gateways, hasReadModels = true, fields = {} }: Examined,
): Promise<void> {
  const { console, isJson: json } = session;
  const bar = json ? undefined : new PhaseBar(session.stderr);
  const config = session.config();
  const loaded = await loadGateways(config, process.cwd());
  const examining = examine(config, {
    quick,
    gatewayIds: gateways ?? [SANDBOX_GATEWAY_ID, ...loaded.map(({ gatewayId }) => gatewayId)],
    gateways: loaded,
    scratch,
    hasReadModels,
    now: () => presentIn(config).nowMs,
    onProgress: (title, done, total) => bar?.show(title, done, total),
    onChecked(checked) {
      bar?.clear();
      if (!json) console.log(lineOf(checked));
    },
  });
  const examination = await examining.finally(() =>
    Promise.all(loaded.map((each) => each.close())),
  );
  bar?.clear();
  console.log(
    json ? JSON.stringify({ ...fields, ...examination }, null, 2) : summaryOf(examination),
  );
  session.exitCode = EXIT_CODES[examination.verdict];
}

function idsOf(text: string): readonly number[] {
  return text.split(',').map(wholeNumber);
}

/** The line of a completed check. */
function lineOf({ check, looked, skipped, findings }: Checked): string {
  const name = CHECKS[check].padEnd(NAME_WIDTH);
  const found = markOf(findings);
  if (found !== undefined) return `${found}  ${name}  ${skipped ?? looked}`;
  if (skipped !== undefined) return `${styleText('dim', 'left out')}  ${name}  ${skipped}`;
  return `${styleText('green', 'sound   ')}  ${name}  ${looked}`;
}

function markOf(findings: readonly Finding[]): string | undefined {
  if (findings.some(({ severity }) => severity === 'damage')) return styleText('red', 'DAMAGE  ');
  if (findings.some(({ severity }) => severity === 'unexamined'))
    return styleText('red', 'unknown ');
  return findings.length > 0 ? styleText('yellow', 'warning ') : undefined;
}

/** The problems, worst first; each piece of advice once, after its problems. */
function summaryOf(examination: Examination): string {
  const { folder, database, hostRuns, head, verdict, checks } = examination;
  const findings = checks.flatMap((checked) => checked.findings);
  const state = hostRuns ? 'a host is running on it' : 'no host is running on it';
  const lines = ['', `${database ?? folder}: log up to position ${head ?? '0'}; ${state}.`];
  for (const severity of ['damage', 'unexamined', 'warning'] as const) {
    const alike = Map.groupBy(
      findings.filter((finding) => finding.severity === severity),
      ({ advice }) => advice,
    );
    for (const [advice, found] of alike) {
      lines.push('', HEADINGS[severity]);
      lines.push(...found.map(({ message }) => `  ${message}`), `  What to do: ${advice}`);
    }
  }
  const leftOut = checks.filter(({ skipped }) => skipped !== undefined).length;
  const rest = leftOut === 0 ? '' : ` Checks left out, of which nothing is known: ${leftOut}.`;
  return [...lines, '', VERDICTS[verdict] + rest].join('\n');
}

const HEADINGS: Readonly<Record<Severity, string>> = {
  damage: 'DAMAGE',
  unexamined: 'It could not examine',
  warning: 'Warning',
};

const VERDICTS: Readonly<Record<Verdict, string>> = {
  sound: 'Sound.',
  warnings: 'Nothing is lost or wrong; see the warnings above.',
  unexamined:
    'It could not examine all of it; see above. Of what it has examined nothing is lost or wrong.',
  damage:
    'Something is lost or wrong. Copy what was examined before you change anything in it, then begin with the first piece of advice.',
};
