/** Converts errors of SQLite to errors of the port; not used in the writer's thread. */
import { EventStoreError } from '@counterfoil/core';
import { failureOf } from './failures.ts';

/** Runs work on the database at `path`. Throws an `EventStoreError`. */
export function failing<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code, message } = failureOf(error, path);
    throw code === undefined ? error : new EventStoreError(code, message, { cause: error });
  }
}
