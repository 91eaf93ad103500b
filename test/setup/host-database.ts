/** One host database for all tests of a file; each test empties the tables that it uses. */
import { type HostDatabase, openHostDatabase } from '@counterfoil/engine/storage';
import { afterAll, beforeAll } from 'vitest';
import { createDatabase } from './databases.ts';
import { hasServers } from './stores.ts';

/** Call at the top of a file; the returned function needs a project with servers. */
export function hostDatabaseOfFile(): () => HostDatabase {
  let database: HostDatabase | undefined;
  let drop: () => Promise<void> = async () => undefined;
  if (hasServers) {
    beforeAll(async () => {
      const created = await createDatabase();
      drop = created.drop;
      database = await openHostDatabase(created.url);
    });
    afterAll(async () => {
      await database?.close();
      await drop();
    });
  }
  return () => {
    if (database === undefined) throw new Error('the database is there while tests run on servers');
    return database;
  };
}
