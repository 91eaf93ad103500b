/** Empty databases, one per test, dropped at its end. */
import { inject, onTestFinished } from 'vitest';
import { createDatabaseOn, type EmptyDatabase } from './empty-database.ts';

/** The URL of a new database, which is dropped with its connections at the end of the test. */
export async function newDatabase(): Promise<string> {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return url;
}

/** For callers that drop it themselves. */
export async function createDatabase(): Promise<EmptyDatabase> {
  return createDatabaseOn(postgresUrl());
}

/** The URL of the run's PostgreSQL; throws in a project without one. */
export function postgresUrl(): string {
  const url = inject('postgresUrl');
  if (url === undefined) {
    throw new Error('This project has no PostgreSQL: list the file in test/setup/projects.ts');
  }
  return url;
}
