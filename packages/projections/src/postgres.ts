/** The face of `@counterfoil/projections/postgres`: read models that several hosts share. */
import {
  type PostgresReadModelOptions,
  type PostgresReadModelStore,
  PostgresStore,
} from './stores/postgres.ts';

export type { PostgresReadModelOptions, PostgresReadModelStore };

/**
 * Read models in a PostgreSQL database, for any number of processes. Opening it for writing migrates the
 * catalog first. Each build has tables of its own, so that a rebuild neither waits for
 * the live build nor holds it up, and is dropped with its tables. Throws `ReadModelError`:
 * `unavailable` when the server cannot be reached, `outdated` when a later program has been at it.
 */
export async function openPostgresReadModelStore(
  options: PostgresReadModelOptions,
): Promise<PostgresReadModelStore> {
  return PostgresStore.open(options);
}
