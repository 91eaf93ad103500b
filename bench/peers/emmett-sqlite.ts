/** Emmett's command handler on its own SQLite event store, with the same commands and the same data. */
import { type Emmett, emmettOn } from './emmett.ts';

/** Retries of a command that SQLite refused as busy. */
const MAX_TRIES = 20;

export interface EmmettSqlite extends Emmett {
  /** What is durable. */
  synchronous(): Promise<string>;
  close(): void;
}

/**
 * Opens a store on one persistent connection, about four times as fast as its default of one
 * connection per call. Imported lazily: without a compiler for its driver the other measurements
 * still run.
 */
export async function openEmmettSqlite(fileName: string): Promise<EmmettSqlite> {
  const { getSQLiteEventStore, sqliteConnection } = await import('@event-driven-io/emmett-sqlite');
  const connection = sqliteConnection({ fileName });
  const store = getSQLiteEventStore({
    fileName,
    connectionOptions: { singleton: true, connection },
  });
  await again(() => store.schema.migrate());
  const emmett = await emmettOn(store);

  return {
    run: (stream, event) => again(() => emmett.run(stream, event)),
    append: (stream, events) => again(() => emmett.append(stream, events)),
    load: emmett.load,
    async synchronous() {
      // 2 is FULL.
      const row = await connection.querySingle<{ synchronous: number }>('PRAGMA synchronous');
      return row?.synchronous === 2 ? 'FULL' : `level ${row?.synchronous}`;
    },
    close() {
      connection.close();
    },
  };
}

/** SQLite reports busy when its driver has not finished a statement before the commit. */
async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof Error && error.message.startsWith('SQLITE_BUSY');
      if (!isBusy || tries === MAX_TRIES) throw error;
    }
  }
}
