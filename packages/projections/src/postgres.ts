/** The face of `@counterfoil/projections/postgres`: read models that several hosts share. */
import type { ProjectionMessage } from './progress.ts';
import type { ReadModelStore } from './read-model-store.ts';
import { PostgresStore } from './stores/postgres.ts';

export interface PostgresReadModelOptions {
  /** `postgres://user@host:5432/database`; options of the driver may follow as a query. */
  readonly url: string;
  /** Everything stands in it; `counterfoil_read_models` when absent. */
  readonly schema?: string;
  /** For queries beside workers of other processes. Makes nothing, so it may be of a replica. */
  readonly readOnly?: boolean;
  /**
   * What a worker last told this reader, such as the position it reached. Given that, the reader asks
   * once a turn of the event loop and told word whether anything changed.
   */
  readonly told?: () => unknown;
  /**
   * Whether damage that a read finds is marked in the catalog, for a worker to make the build anew.
   * Writers do unless told otherwise; a reader does when told to.
   */
  readonly marksDamage?: boolean;
  /** The most connections that queries share; 8 when absent. Writers have up to 3 besides. */
  readonly connections?: number;
}

export interface PostgresReadModelStore extends ReadModelStore {
  /**
   * Tells how far all of these projections reach, for a host whose projections run elsewhere: each
   * message is one for `Progress.receive`, with the smallest checkpoint of their live builds, and how
   * old the last event was when it had been applied. It comes when a worker commits, or a quarter of a
   * second later where notifications do not get through. Outages are waited for. Ends with the signal,
   * or when the store is closed; never rejects.
   */
  followProgress(
    projections: readonly string[],
    receive: (message: ProjectionMessage) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/**
 * Read models in a PostgreSQL database, for any number of processes. Whoever opens it for writing brings
 * its catalog up to date first. Each build has tables of its own, so that a rebuild neither waits for
 * the live build nor holds it up, and is dropped with its tables. Throws `ReadModelError`:
 * `unavailable` when the server cannot be reached, `outdated` when a later program has been at it.
 */
export async function openPostgresReadModelStore(
  options: PostgresReadModelOptions,
): Promise<PostgresReadModelStore> {
  return PostgresStore.open(options);
}
