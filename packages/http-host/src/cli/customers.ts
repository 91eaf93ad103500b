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
import { hostDatabaseUrlOf, openEventStore } from '@counterfoil/engine/storage';
import type { Command } from 'commander';
import { OPERATOR, refuseBesideHosts, type Session } from './session.ts';

export function addCustomerCommands(program: Command, session: Session): void {
  program
    .command('customers')
    .description('Customers whose keys are lost')
    .command('erase-unreadable')
    .description('Erase the customers whose keys are lost for good, so that a host can start')
    .option('--confirm', 'do it; else only say how many there are')
    .action(({ confirm = false }: { confirm?: boolean }) => eraseUnreadable(session, confirm));
}

async function eraseUnreadable(session: Session, isConfirmed: boolean): Promise<void> {
  const { console } = session;
  const config = session.config();
  if (hostDatabaseUrlOf(config) !== undefined) await refuseBesideHosts(config);
  await using opened = new AsyncDisposableStack();
  const events = await openEventStore(config);
  opened.defer(() => events.close());
  const masterKey = loadMasterKey(config);
  const keys = await openKeysAsTheyAre(config, masterKey);
  opened.defer(async () => {
    await keys.close();
  });
  const unreadable = await findUnreadable(keys, events);
  const many = counted(unreadable.length, 'customer');
  if (unreadable.length === 0) {
    console.log('No key is missing');
  } else if (isConfirmed) {
    const secret = deriveKey(masterKey, 'command fingerprints');
    const clock = openClock(config);
    await giveUp(unreadable, { keys, events, clock, secret, caller: OPERATOR });
    console.log(`${many} given up: start the host, which finishes their erasure`);
  } else {
    console.log(`${many} without a key. With --confirm they are erased for good`);
    session.exitCode = 1;
  }
}
