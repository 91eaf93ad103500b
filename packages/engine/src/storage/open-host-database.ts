/** Opens the PostgreSQL of hosts. Its client and migrations are loaded only where there is one. */
import type { HostDatabase, HostDatabaseOptions, ReadHostDatabase } from './host-database.ts';

export type { HostDatabase, HostDatabaseOptions } from './host-database.ts';

/** Connects and runs the migrations; a lock admits one host at a time. */
export async function openHostDatabase(
  url: string,
  options: HostDatabaseOptions = {},
): Promise<HostDatabase> {
  const database = await import('./host-database.ts');
  return database.openHostDatabase(url, options);
}

/** Connects with read-only transactions. Throws for the tables of another version. */
export async function openHostDatabaseToRead(url: string): Promise<ReadHostDatabase> {
  const database = await import('./host-database.ts');
  return database.openHostDatabaseToRead(url);
}
