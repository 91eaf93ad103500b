/** Every command of the command line, in the order of its help. */
import { addBackupCommands } from './backup.ts';
import { addClockCommands } from './clock.ts';
import { addCompletionCommand } from './completion.ts';
import { addCustomerCommands } from './customers.ts';
import { addDefineCommands } from './define.ts';
import { addDisputeCommands } from './disputes.ts';
import { addDoctorCommand } from './doctor.ts';
import { addKeyCommands } from './keys.ts';
import { addMerchantAccountCommands } from './merchant-accounts.ts';
import { addMoveCommand } from './move.ts';
import { addReadModelCommands } from './read-models.ts';
import { addSearchCommand } from './search.ts';
import { addSettlementCommands } from './settlements.ts';
import { addShowCommand } from './show.ts';
import { addStartCommand } from './start.ts';
import { addTailCommand } from './tail.ts';
import { addTenantCommands } from './tenants.ts';
import { addWorkerCommand } from './worker.ts';

export const COMMANDS = [
  addStartCommand,
  addWorkerCommand,
  addTenantCommands,
  addKeyCommands,
  addDisputeCommands,
  addCustomerCommands,
  addDefineCommands,
  addMerchantAccountCommands,
  addSettlementCommands,
  addSearchCommand,
  addShowCommand,
  addTailCommand,
  addReadModelCommands,
  addDoctorCommand,
  addBackupCommands,
  addMoveCommand,
  addClockCommands,
  addCompletionCommand,
] as const;
