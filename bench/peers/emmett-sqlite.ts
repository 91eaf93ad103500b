/** Emmett's command handler on its own SQLite event store, with the same commands and the same data. */
import { type StoredEvent, type StreamName, Transaction } from '@counterfoil/core';

/** An event as Emmett keeps it: the data is JSON, so amounts are texts in it. */
interface JsonEvent {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** How often one command is sent again that SQLite refused as busy. */
const MAX_TRIES = 20;

export type EmmettSqlite = Awaited<ReturnType<typeof openEmmettSqlite>>;

/**
 * Opens a store on one connection that stays open, about four times as fast as its default of one
 * connection for each call. Imported only here: without a compiler for its driver the other
 * measurements still run.
 */
export async function openEmmettSqlite(fileName: string) {
  const { CommandHandler } = await import('@event-driven-io/emmett');
  const { getSQLiteEventStore, sqliteConnection } = await import('@event-driven-io/emmett-sqlite');
  const connection = sqliteConnection({ fileName });
  const store = getSQLiteEventStore({
    fileName,
    connectionOptions: { singleton: true, connection },
  });
  const evolve = (state: Transaction.State, { type, data }: JsonEvent) =>
    Transaction.evolve(state, { ...data, type } as Transaction.Event);
  const initialState = () => Transaction.initial;
  const handle = CommandHandler<Transaction.State, JsonEvent>({ evolve, initialState });
  await again(() => store.schema.migrate());

  return {
    /** Reads, folds, decides and appends durably: the state decides whether the event is news. */
    async carryOut(stream: StreamName, event: JsonEvent): Promise<void> {
      await again(() => handle(store, stream, (state) => (state === null ? [event] : [])));
    },
    async append(stream: StreamName, events: JsonEvent[]): Promise<void> {
      await again(() => store.appendToStream(stream, events));
    },
    async load(stream: StreamName): Promise<Transaction.State> {
      const { state } = await store.aggregateStream<Transaction.State, JsonEvent>(stream, {
        evolve,
        initialState,
      });
      return state;
    },
    /** What is durable: 2 is FULL. */
    async synchronous(): Promise<string> {
      const row = await connection.querySingle<{ synchronous: number }>('PRAGMA synchronous');
      return row?.synchronous === 2 ? 'FULL' : `level ${row?.synchronous}`;
    },
    close(): void {
      connection.close();
    },
  };
}

export function jsonEventOf({ type, data }: StoredEvent): JsonEvent {
  return { type, data: JSON.parse(data) };
}

/** SQLite's answer now and then when its driver has not finished a statement before the commit. */
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
