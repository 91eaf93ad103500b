/** `counterfoil worker`: updates the read models for hosts that leave it to workers. */

import type { RunningWorker } from '@counterfoil/engine';
import type { Command } from 'commander';
import { runWorker } from '../composition-root.ts';
import { readConfig } from '../config.ts';
import { turnOffCoreDumps } from './core-dumps.ts';
import type { Session } from './session.ts';
import { closeOnSignal } from './signals.ts';

export function addWorkerCommand(program: Command, session: Session): void {
  program
    .command('worker')
    .description('Keep the read models up to date, without serving requests; only with PostgreSQL')
    .option('--production', 'as with NODE_ENV=production: MASTER_KEY must be set')
    .action(async ({ production = false }: { production?: boolean }) => {
      turnOffCoreDumps();
      const forced = production ? { NODE_ENV: 'production' } : {};
      const worker: RunningWorker = await runWorker(readConfig({ ...session.env, ...forced }));
      closeOnSignal(() => worker.close());
      // A supervisor may wait for this line before it stops the previous worker.
      void worker.started.then(() =>
        session.print({ working: true }, (console) =>
          console.log('Counterfoil works on the read models'),
        ),
      );
    });
}
