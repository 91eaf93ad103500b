/** `counterfoil worker`: brings the read models up to date for hosts that leave it to workers. */

import type { RunningWorker } from '@counterfoil/engine';
import type { Command } from 'commander';
import { runWorker } from '../composition-root.ts';
import { readConfig } from '../config.ts';
import { turnOffCoreDumps } from './core-dumps.ts';
import type { Session } from './session.ts';
import { onceToldToStop } from './signals.ts';

export function addWorkerCommand(program: Command, { env, console }: Session): void {
  program
    .command('worker')
    .description('Bring the read models up to date and serve nobody; only with PostgreSQL')
    .option('--production', 'as with NODE_ENV=production: MASTER_KEY must be set')
    .action(async ({ production = false }: { production?: boolean }) => {
      turnOffCoreDumps();
      const forced = production ? { NODE_ENV: 'production' } : {};
      const worker: RunningWorker = await runWorker(readConfig({ ...env, ...forced }));
      onceToldToStop(() => worker.close());
      // A supervisor that waits for this may then end the worker that was there before.
      void worker.started.then(() => console.log('Counterfoil works on the read models'));
    });
}
