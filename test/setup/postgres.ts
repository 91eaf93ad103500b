/** One PostgreSQL for all projects of a test run that need one: that of DATABASE_URL, or one of the run's own. */
import type { TestProject } from 'vitest/node';
import { startPostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server in which tests may make databases of their own. */
    readonly postgresUrl: string | undefined;
  }
}

export async function setup({ vitest }: TestProject): Promise<() => Promise<void>> {
  // All projects of the run see what the root provides; the first that needs a server starts it.
  const run = vitest.getRootProject();
  if (run.getProvidedContext().postgresUrl !== undefined) return async () => undefined;
  const given = process.env['DATABASE_URL'];
  if (given !== undefined) {
    run.provide('postgresUrl', given);
    return async () => undefined;
  }
  const server = await startPostgresServer();
  run.provide('postgresUrl', server.url);
  return () => server.stop();
}
