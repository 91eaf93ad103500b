/** `counterfoil customers …`: handles customers whose encryption keys are lost. */

import {
  counted,
  deriveKey,
  findUnreadable,
  giveUp,
  loadMasterKey,
  openClock,
  openKeysAsTheyAre,
} from '@counterfoil/engine';
import { openEventStore } from '@counterfoil/engine/storage';
import type { Command } from 'commander';
import { refuseWithoutLog } from '../operator/refuse-without-log.ts';
import { refuseBesideHost } from './host-ways.ts';
import { OPERATOR, type Session } from './session.ts';

export function addCustomerCommands(program: Command, session: Session): void {
  program
    .command('customers')
    .description('Customers whose keys are lost')
    .command('erase-unreadable')
    .description(
      'Erase the customers whose keys are lost for good, so that a host can start; with the hosts stopped',
    )
    .option('--confirm', 'do it; else only say how many there are')
    .action(({ confirm = false }: { confirm?: boolean }) => eraseUnreadable(session, confirm));
}

async function eraseUnreadable(session: Session, isConfirmed: boolean): Promise<void> {
  const config = session.config();
  refuseWithoutLog(config);
  await refuseBesideHost(config);
  await using opened = new AsyncDisposableStack();
  const events = await openEventStore(config);
  opened.defer(() => events.close());
  const masterKey = loadMasterKey(config);
  const keys = await openKeysAsTheyAre(config, masterKey);
  opened.defer(async () => {
    await keys.close();
  });
  const unreadable = await findUnreadable(keys, events);
  const isErasing = isConfirmed && unreadable.length > 0;
  if (isErasing) {
    const secret = deriveKey(masterKey, 'command fingerprints');
    const clock = openClock(config);
    await giveUp(unreadable, { keys, events, clock, secret, caller: OPERATOR });
  }
  const many = counted(unreadable.length, 'customer');
  session.print({ unreadable: unreadable.length, erased: isErasing }, (console) => {
    if (unreadable.length === 0) console.log('No key is missing');
    else if (isErasing) {
      console.log(`${many} given up: start the host, which finishes their erasure`);
    } else {
      console.log(`${many} without a key. With --confirm they are erased for good`);
    }
  });
  if (unreadable.length > 0 && !isErasing) session.exitCode = 1;
}
