/** Durable commands a second through `execute` on SQLite, each to a new stream. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { StoredEvent } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import type { Sent } from '../data/payments.ts';
import type { Measure, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { jsonEventOf } from '../peers/emmett.ts';
import { openEmmettSqlite } from '../peers/emmett-sqlite.ts';
import { RawSqlite } from '../peers/raw-sqlite.ts';
import {
  commandsASecond,
  commandsOf,
  factsOf,
  type Load,
  secondsSince,
  sizeOf,
} from './appending.ts';

const LOADS: readonly (Load & Pick<Row, 'reach'>)[] = [
  { concurrent: 1, commands: 2_000, quickCommands: 500, reach: { 'raw-sqlite': 0.5 } },
  {
    concurrent: 64,
    commands: 20_000,
    quickCommands: 5_000,
    reach: { 'raw-sqlite': 0.6, 'emmett-sqlite': 30 },
  },
  { concurrent: 256, commands: 30_000, quickCommands: 10_000, reach: { 'raw-sqlite': 0.4 } },
];
/** Emmett's commands run sequentially: this few take as long as a round of the others. */
const EMMETT_COMMANDS = 500;
const QUICK_EMMETT_COMMANDS = 200;

export const append: Stage = {
  name: 'append',
  rows: LOADS.map(({ concurrent, reach }) => ({
    id: `append-${concurrent}`,
    what: `durable commands through execute on SQLite, ${concurrent} at once, new streams`,
    unit: 'commands/s',
    better: 'higher',
    reach,
    durability: 'synchronous=FULL with WAL on all sides',
  })),

  async prepare(setting) {
    setting.say('append: making commands');
    const largest = Math.max(...LOADS.map((load) => sizeOf(load, setting)));
    const { sent, events } = await commandsOf(largest, setting);
    const sidesOf = (load: Load): Sides => {
      const few = sent.slice(0, sizeOf(load, setting));
      const same = events.slice(0, sizeOf(load, setting));
      return {
        own: () => ownRate(setting, few, load.concurrent),
        peers: {
          'raw-sqlite': async () => rawRate(setting, same, load.concurrent),
          'emmett-sqlite': emmettRate(setting, events),
        },
      };
    };
    return {
      sides: Object.fromEntries(LOADS.map((load) => [`append-${load.concurrent}`, sidesOf(load)])),
      facts: {
        ...factsOf(LOADS, events, setting),
        emmett: 'one connection kept open, synchronous=FULL, WAL, one command at a time',
      },
      close: async () => {},
    };
  },
};

async function ownRate(
  { folder }: Setting,
  sent: readonly Sent[],
  concurrent: number,
): Promise<number> {
  const store = await openSqliteEventStore({ path: join(folder, `own-${randomUUID()}.db`) });
  const rate = await commandsASecond(store, sent, concurrent);
  await store.close();
  return rate;
}

function rawRate({ folder }: Setting, events: readonly StoredEvent[], perCommit: number): number {
  const raw = new RawSqlite(join(folder, `raw-${randomUUID()}.db`));
  const begin = performance.now();
  raw.insert(events, perCommit);
  const seconds = secondsSince(begin);
  raw.close();
  return events.length / seconds;
}

function emmettRate({ folder, quick }: Setting, events: readonly StoredEvent[]): Measure {
  const few = events.slice(0, quick ? QUICK_EMMETT_COMMANDS : EMMETT_COMMANDS);
  return async () => {
    const emmett = await openEmmettSqlite(join(folder, `emmett-${randomUUID()}.db`));
    const synchronous = await emmett.synchronous();
    if (synchronous !== 'FULL') throw new Error(`emmett-sqlite is not durable: ${synchronous}`);
    const commands = few.map((stored) => ({ stream: stored.stream, event: jsonEventOf(stored) }));
    const begin = performance.now();
    for (const { stream, event } of commands) await emmett.run(stream, event);
    const seconds = secondsSince(begin);
    emmett.close();
    return commands.length / seconds;
  };
}
