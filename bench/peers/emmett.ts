/** Emmett's command handler with Counterfoil's own fold, on any of its event stores. */
import { type StoredEvent, type StreamName, Transaction } from '@counterfoil/core';
import type { EventStore } from '@event-driven-io/emmett';

/** An event as Emmett stores it: the data is JSON, with amounts as text. */
export interface JsonEvent {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

export function jsonEventOf({ type, data }: StoredEvent): JsonEvent {
  return { type, data: JSON.parse(data) };
}

const evolve = (state: Transaction.State, { type, data }: JsonEvent) =>
  Transaction.evolve(state, { ...data, type } as Transaction.Event);
const initialState = () => Transaction.initial;

export interface Emmett {
  /** Reads, folds, decides and appends durably; the state decides whether the event is new. */
  run(stream: StreamName, event: JsonEvent): Promise<void>;
  append(stream: StreamName, events: JsonEvent[]): Promise<void>;
  load(stream: StreamName): Promise<Transaction.State>;
}

/** Imported lazily: the other measurements run without Emmett. */
export async function emmettOn(store: EventStore): Promise<Emmett> {
  const { CommandHandler } = await import('@event-driven-io/emmett');
  const handle = CommandHandler<Transaction.State, JsonEvent>({ evolve, initialState });
  return {
    async run(stream, event) {
      await handle(store, stream, (state) => (state === null ? [event] : []));
    },
    async append(stream, events) {
      await store.appendToStream(stream, events);
    },
    async load(stream) {
      const { state } = await store.aggregateStream<Transaction.State, JsonEvent>(stream, {
        evolve,
        initialState,
      });
      return state;
    },
  };
}
