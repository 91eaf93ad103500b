/** How long a process is in statements of SQLite. */
import { DatabaseSync } from 'node:sqlite';

/**
 * Adds up the time of all statements that are prepared from now on. What is returned answers the
 * milliseconds since it was last asked.
 */
export function timeStatements(): () => number {
  let total = 0;
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    for (const name of ['get', 'all', 'run'] as const) {
      const call = statement[name].bind(statement) as (...values: unknown[]) => unknown;
      const timed = (...values: unknown[]) => {
        const begin = performance.now();
        try {
          return call(...values);
        } finally {
          total += performance.now() - begin;
        }
      };
      Object.assign(statement, { [name]: timed });
    }
    return statement;
  };
  return () => {
    const taken = total;
    total = 0;
    return taken;
  };
}
