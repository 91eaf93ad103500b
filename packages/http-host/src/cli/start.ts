/** `counterfoil start`: runs the host until a signal stops it. */
import { ConfigError } from '@counterfoil/engine';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { printFailure } from './failures.ts';
import { runHost } from './run-host.ts';
import type { Session } from './session.ts';

export function addStartCommand(program: Command, session: Session): void {
  program
    .command('start')
    .description('Run the host')
    .option('--production', 'as with NODE_ENV=production: MASTER_KEY must be set')
    .action(async ({ production = false }: { production?: boolean }) => {
      const env = { ...session.env, ...(production && { NODE_ENV: 'production' }) };
      if (readConfig(env).demo) {
        throw new ConfigError([
          'DEMO must not be true here: the repository runs its demo with `pnpm start`',
        ]);
      }
      await runHost(env, {
        async begin(host) {
          const url = await host.listen();
          session.print({ url }, (console) => console.log(`Counterfoil listens on ${url}`));
        },
        onFailure: (error) => printFailure(error, session.console, session.isJson),
      });
    });
}
