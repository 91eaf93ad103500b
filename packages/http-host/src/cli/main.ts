/** The command line: runs the host, and does what needs no host to run. */
import { Command } from 'commander';

import { addClockCommands } from './clock.ts';
import { addCustomerCommands } from './customers.ts';
import { addDefineCommands } from './define.ts';
import { addDoctorCommand } from './doctor.ts';
import { reportFailure } from './failures.ts';
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

try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
}
