/** Databases for tests: each is empty, belongs to one test, and goes with it. */
import { inject, onTestFinished } from 'vitest';
import { createDatabaseOn, type EmptyDatabase } from './empty-database.ts';

/** The URL of a new database, which is dropped at the end of the test, whoever is still connected. */
export async function newDatabase(): Promise<string> {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return url;
}

/** For those who drop it themselves. */
export async function createDatabase(): Promise<EmptyDatabase> {
  return createDatabaseOn(postgresUrl());
}

/** The URL of the PostgreSQL of the run; throws in a project without one. */
export function postgresUrl(): string {
  const url = inject('postgresUrl');
  if (url === undefined) {
    throw new Error('This project has no PostgreSQL: list the file in test/setup/projects.ts');
  }
  return url;
}
