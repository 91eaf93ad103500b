/** The command line: runs the host, and administers its ledger beside a running host or without one. */
import { Command, CommanderError, Option } from 'commander';
import { packageVersion } from '../package-version.ts';
import { linesOf, printFailure, printJsonFailure } from './failures.ts';
import { Session, type Terminal } from './session.ts';
import { addStartCommand } from './start.ts';
import { addWorkerCommand } from './worker.ts';

type Add = (program: Command, session: Session) => void;

/** These run for months, and do without what the others need. */
const RUNNING: ReadonlyMap<string | undefined, Add> = new Map([
  ['start', addStartCommand],
  ['worker', addWorkerCommand],
]);

const JSON_OPTION = '--json';
/** Commands that end with the doctor's verdict. */
const OWN_EXIT_CODES: ReadonlySet<string> = new Set(['doctor', 'restore']);
const EXIT_CODES = '\nEnds with 0: done, 1: refused or failed.';

/** Resolves with the exit code; a started host or worker keeps running. Never rejects. */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const session = new Session(terminal, { isJson: words.includes(JSON_OPTION) });
  try {
    const running = RUNNING.get(words[0]);
    const program =
      running === undefined ? await fullProgram(session) : programOf(session, [running]);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // Commander has printed its own errors.
    if (error instanceof CommanderError) return error.exitCode;
    printFailure(error, session.console, session.isJson);
    return 1;
  }
  return session.exitCode;
}

/** All commands, with the options that each of them has. */
export async function fullProgram(session: Session): Promise<Command> {
  const { COMMANDS } = await import('./commands.ts');
  return programOf(session, COMMANDS);
}

function programOf(session: Session, commands: readonly Add[]): Command {
  const program = new Command('counterfoil')
    .description(
      'An event-sourced payment and subscription ledger. Configured by environment; see the README.',
    )
    .version(shownVersion(session), '--version', 'print the version of the package')
    // Set before the commands are added, which inherit both.
    .exitOverride()
    .configureOutput(outputOf(session));
  for (const add of commands) add(program, session);
  for (const command of leavesOf(program)) {
    command.addOption(new Option(JSON_OPTION, 'the result and errors as JSON'));
    if (!OWN_EXIT_CODES.has(command.name())) command.addHelpText('after', EXIT_CODES);
  }
  return program.option(JSON_OPTION, 'the result and errors as JSON');
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function shownVersion({ isJson }: Session): string {
  const version = packageVersion();
  return isJson ? JSON.stringify({ version }) : version;
}

/** What commander prints by itself: help, the version, and errors of the words, each in one line. */
function outputOf({ stdout, stderr, isJson, console }: Session) {
  const fail = (text: string) => {
    const message = linesOf(text)
      .join(' ')
      .replace(/^error: /, '');
    if (isJson) printJsonFailure({ code: 'usage', message }, console);
    else stderr.write(`error: ${message}\n`);
  };
  return {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => {
      if (isJson) fail('a command is missing; --help lists them');
      else stderr.write(text);
    },
    outputError: fail,
  };
}
