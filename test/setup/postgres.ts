/** One PostgreSQL for all projects of a run: that of DATABASE_URL, or a temporary one. */
import type { TestProject } from 'vitest/node';
import { startPostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server on which tests may create databases. */
    readonly postgresUrl: string | undefined;
  }
}

export async function setup({ vitest }: TestProject): Promise<() => Promise<void>> {
  // The root project provides values to all; the first project that needs a server starts it.
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
