/** The command line: runs the host, and operations that need no running host. */
import { Command, CommanderError } from 'commander';
import { addClockCommands } from './clock.ts';
import { addCustomerCommands } from './customers.ts';
import { addDefineCommands } from './define.ts';
import { addDisputeCommands } from './disputes.ts';
import { addDoctorCommand } from './doctor.ts';
import { printFailure } from './failures.ts';
import { addKeyCommands } from './keys.ts';
import { addMerchantAccountCommands } from './merchant-accounts.ts';
import { addReadModelCommands } from './read-models.ts';
import { Session, type Terminal } from './session.ts';
import { addSettlementCommands } from './settlements.ts';
import { addStartCommand } from './start.ts';
import { addTenantCommands } from './tenants.ts';
import { addWorkerCommand } from './worker.ts';

const COMMANDS = [
  addStartCommand,
  addWorkerCommand,
  addTenantCommands,
  addKeyCommands,
  addDisputeCommands,
  addCustomerCommands,
  addDefineCommands,
  addMerchantAccountCommands,
  addSettlementCommands,
  addReadModelCommands,
  addDoctorCommand,
  addClockCommands,
] as const;

/** Resolves with the exit code; a started host or worker keeps running. Never rejects. */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const session = new Session(terminal);
  const program = new Command('counterfoil')
    .description(
      'An event-sourced payment and subscription ledger. Configured by environment; see the README.',
    )
    // Set before the commands are added, which inherit both.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });
  for (const add of COMMANDS) add(program, session);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // Commander has printed its own errors.
    if (error instanceof CommanderError) return error.exitCode;
    printFailure(error, session.console);
    return 1;
  }
  return session.exitCode;
}
