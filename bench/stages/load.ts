/** Loads and folds one long stream, without a cache. */
import { join } from 'node:path';
import {
  createMemoryEventStore,
  type EventStore,
  execute,
  load as loadStream,
  type StoredEvent,
  type StreamName,
  Transaction,
} from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { longHistory } from '../data/payments.ts';
import type { Row, Stage } from '../harness/stage.ts';
import { jsonEventOf } from '../peers/emmett.ts';
import { openEmmettSqlite } from '../peers/emmett-sqlite.ts';
import { RawSqlite } from '../peers/raw-sqlite.ts';
import { appendTogether } from './appending.ts';

export const LONG_STREAM_EVENTS = 1_000;
const EVENTS_AN_APPEND = 100;
/** Loads of one round. */
const LOADS = 200;
const QUICK_LOADS = 40;

const row: Row = {
  id: 'load-1000',
  what: `load and fold a stream of ${LONG_STREAM_EVENTS} events on SQLite`,
  unit: 'loads/s',
  better: 'higher',
  reach: { 'raw-sqlite': 0.6, 'emmett-sqlite': 4 },
  durability: 'reads only',
};

export const load: Stage = {
  name: 'load',
  rows: [row],

  async prepare(setting) {
    setting.say('load: writing the stream');
    const store = await openSqliteEventStore({ path: join(setting.folder, 'own.db') });
    const stream = await writeLongStream(store, setting.seed);
    const events = await store.read(stream);
    const raw = new RawSqlite(join(setting.folder, 'raw.db'));
    raw.insert(events, events.length);
    const emmett = await openEmmettSqlite(join(setting.folder, 'emmett.db'));
    await emmett.append(stream, events.map(jsonEventOf));
    const loads = setting.quick ? QUICK_LOADS : LOADS;
    return {
      sides: {
        [row.id]: {
          own: () =>
            loadsASecond(
              loads,
              async () => (await loadStream({ store }, Transaction, stream)).state,
            ),
          peers: {
            'raw-sqlite': () => loadsASecond(loads, async () => raw.read(stream).at(-1)),
            'emmett-sqlite': () => loadsASecond(loads, () => emmett.load(stream)),
          },
        },
      },
      facts: {
        stream: `one payment: submitted, captured, settled, then refunds, every other one refused`,
        events: String(events.length),
        bytesOfData: String(bytesOf(events)),
      },
      async close() {
        emmett.close();
        raw.close();
        await store.close();
      },
    };
  },
};

/** Appends the events of `execute` in a few large batches: only reading is measured. */
export async function writeLongStream(store: EventStore, seed: number): Promise<StreamName> {
  const memory = createMemoryEventStore();
  const sent = longHistory(LONG_STREAM_EVENTS, seed);
  const cache = new Map();
  for (const { command, context } of sent) {
    const { outcome } = await execute({ store: memory, cache }, Transaction, command, context);
    if (outcome !== 'accepted') throw new Error(`${command.type} was not accepted: ${outcome}`);
  }
  const [first] = sent;
  if (first === undefined) throw new Error('the history is empty');
  const stream = Transaction.streamOf(first.command);
  const events = await memory.read(stream);
  for (let from = 0; from < events.length; from += EVENTS_AN_APPEND) {
    await appendTogether(store, events.slice(from, from + EVENTS_AN_APPEND));
  }
  return stream;
}

function bytesOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
}

export async function loadsASecond(loads: number, once: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  for (let done = 0; done < loads; done += 1) {
    if ((await once()) == null) throw new Error('nothing was loaded');
  }
  return (loads * 1_000) / (performance.now() - begin);
}
