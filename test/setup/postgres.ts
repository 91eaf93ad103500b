/** One PostgreSQL for a whole test run: that of DATABASE_URL, or one of the run's own. */
import type { TestProject } from 'vitest/node';
import { startPostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server in which tests may make databases of their own. */
    readonly postgresUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined) {
    project.provide('postgresUrl', given);
    return async () => undefined;
  }
  const server = await startPostgresServer();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
