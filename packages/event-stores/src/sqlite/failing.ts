/** Lets what goes wrong with a database leave as the port's error; the writer's thread does without. */
import { EventStoreError } from '@counterfoil/core';
import { failureOf } from './failures.ts';

/** Does what the database at `path` is needed for. */
export function failing<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code, message } = failureOf(error, path);
    throw code === undefined ? error : new EventStoreError(code, message, { cause: error });
  }
}
