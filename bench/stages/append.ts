/** Durable commands a second through `execute` on SQLite, each to a new stream. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  createMemoryEventStore,
  type Executor,
  execute,
  type StoredEvent,
  Transaction,
} from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { type Sent, submissions } from '../data/payments.ts';
import type { Measure, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { jsonEventOf, openEmmettSqlite } from '../peers/emmett-sqlite.ts';
import { RawSqlite } from '../peers/raw-sqlite.ts';

interface Load {
  readonly concurrent: number;
  /** Commands of one round. */
  readonly commands: number;
  readonly quickCommands: number;
  readonly reach: Row['reach'];
}

const LOADS: readonly Load[] = [
  { concurrent: 1, commands: 2_000, quickCommands: 500, reach: { 'raw-sqlite': 0.5 } },
  {
    concurrent: 64,
    commands: 20_000,
    quickCommands: 5_000,
    reach: { 'raw-sqlite': 0.5, 'emmett-sqlite': 30 },
  },
  { concurrent: 256, commands: 30_000, quickCommands: 10_000, reach: { 'raw-sqlite': 0.4 } },
];
/** Emmett's commands go one at a time: so few of them take as long as a round of the others. */
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
    const size = ({ commands, quickCommands }: Load) => (setting.quick ? quickCommands : commands);
    const sent = submissions(Math.max(...LOADS.map(size)), setting.seed);
    const events = await eventsOf(sent);
    const sidesOf = (load: Load): Sides => {
      const few = sent.slice(0, size(load));
      const same = events.slice(0, size(load));
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
        command: 'SubmitPayment with card, cart, address and visit: one event to a new stream',
        commandsARound: LOADS.map((load) => `${load.concurrent} at once: ${size(load)}`).join(', '),
        bytesAnEvent: String(bytesOf(events)),
        emmett: 'one connection kept open, synchronous=FULL, WAL, one command at a time',
      },
      close: async () => {},
    };
  },
};

/** What the commands write, for the peers to write too: one event each, as the store hands it back. */
async function eventsOf(sent: readonly Sent[]): Promise<StoredEvent[]> {
  const store = createMemoryEventStore();
  for (const one of sent) await carryOut({ store }, one);
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ untilHead: true })) events.push(...batch);
  if (events.length !== sent.length) throw new Error('a command does not write one event');
  return events;
}

async function carryOut(executor: Executor, { command, context }: Sent): Promise<void> {
  const { outcome } = await execute(executor, Transaction, command, context);
  if (outcome !== 'accepted') throw new Error(`a command was not accepted: ${outcome}`);
}

function bytesOf(events: readonly StoredEvent[]): number {
  const bytes = events.map(({ data, metadata }) => Buffer.byteLength(data + metadata));
  return Math.round(bytes.reduce((sum, one) => sum + one, 0) / events.length);
}

async function ownRate(
  { folder }: Setting,
  sent: readonly Sent[],
  concurrent: number,
): Promise<number> {
  const store = await openSqliteEventStore({ path: join(folder, `own-${randomUUID()}.db`) });
  let next = 0;
  const caller = async () => {
    for (let one = sent[next++]; one !== undefined; one = sent[next++]) {
      await carryOut({ store }, one);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: concurrent }, caller));
  const seconds = secondsSince(begin);
  await store.close();
  return sent.length / seconds;
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
    for (const { stream, event } of commands) await emmett.carryOut(stream, event);
    const seconds = secondsSince(begin);
    emmett.close();
    return commands.length / seconds;
  };
}

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1_000;
}
