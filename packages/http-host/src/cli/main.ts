/** The command line: runs the host, and does what needs no host to run. */

import { ConfigError, Refused } from '@counterfoil/engine';
import { Command } from 'commander';
import { z } from 'zod';
import { wireRefusalOf } from '../api/refusals.ts';
import { addClockCommands } from './clock.ts';
import { addCustomerCommands } from './customers.ts';
import { addDefineCommands } from './define.ts';
import { addDoctorCommand } from './doctor.ts';
import { addKeyCommands } from './keys.ts';
import { addReadModelCommands } from './read-models.ts';
import { addStartCommand } from './start.ts';
import { addTenantCommands } from './tenants.ts';
import { addWorkerCommand } from './worker.ts';

const program = new Command('counterfoil').description(
  'An event-sourced payment and subscription ledger. Configured by environment; see the README.',
);
addStartCommand(program);
addWorkerCommand(program);
addTenantCommands(program);
addKeyCommands(program);
addCustomerCommands(program);
addDefineCommands(program);
addReadModelCommands(program);
addDoctorCommand(program);
addClockCommands(program);

const EXPECTED = new Set([
  'ClockRefused',
  'EventStoreError',
  'HostDatabaseError',
  'HostsAtWork',
  'NothingToExamine',
  'ReadModelError',
  'StorageError',
]);

try {
  await program.parseAsync();
} catch (error) {
  // An expected refusal is told in a sentence; anything else with its stack.
  const isExpected =
    error instanceof ConfigError ||
    (error instanceof Error &&
      (EXPECTED.has(error.name) ||
        // What the system says of a port or a path names it.
        'syscall' in error));
  const refusal = error instanceof Refused ? wireRefusalOf(error) : undefined;
  if (error instanceof z.ZodError) console.error(z.prettifyError(error));
  else if (refusal !== undefined) console.error(refusal.message);
  else console.error(isExpected ? (error as Error).message : error);
  process.exitCode = 1;
}
