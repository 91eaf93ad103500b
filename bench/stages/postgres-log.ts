/** The log on PostgreSQL: durable commands per second through `execute`, loads of a long stream, full reads. */
import { load as loadStream, type StoredEvent, Transaction } from '@counterfoil/core';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import type { Sent } from '../data/payments.ts';
import { once } from '../harness/once.ts';
import type { RunPostgres } from '../harness/postgres.ts';
import type { Measure, Prepared, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { jsonEventOf } from '../peers/emmett.ts';
import { emmettEvents, openEmmettPostgres } from '../peers/emmett-postgres.ts';
import { RawPostgres } from '../peers/raw-postgres.ts';
import {
  appendAll,
  commandsASecond,
  commandsOf,
  eventsASecond,
  factsOf,
  followed,
  type Load,
  secondsOf,
  secondsSince,
  sizeOf,
} from './appending.ts';
import { LONG_STREAM_EVENTS, loadsASecond, writeLongStream } from './load.ts';

const LOADS: readonly (Load & Pick<Row, 'reach'>)[] = [
  { concurrent: 1, commands: 1_000, quickCommands: 200, reach: { 'raw-postgres': null } },
  {
    concurrent: 64,
    commands: 20_000,
    quickCommands: 5_000,
    reach: { 'raw-postgres': 0.5, 'emmett-postgres': 5 },
  },
  { concurrent: 256, commands: 30_000, quickCommands: 10_000, reach: { 'raw-postgres': null } },
];
const EMMETT_COMMANDS = 4_000;
const QUICK_EMMETT_COMMANDS = 1_000;
/** Loads of one round. */
const STREAM_LOADS = 200;
const QUICK_STREAM_LOADS = 40;
const CATCH_UP_EVENTS = 100_000;
const QUICK_CATCH_UP_EVENTS = 20_000;
/** The page size of readers, on both sides. */
const PAGE_EVENTS = 1_000;

const DURABILITY = 'fsync=on and synchronous_commit=on for all sides';

export const postgresLog: Stage = {
  name: 'postgres-log',
  rows: [
    ...LOADS.map(
      ({ concurrent, reach }): Row => ({
        id: `postgres-append-${concurrent}`,
        what: `durable commands through execute on PostgreSQL, ${concurrent} at once, new streams`,
        unit: 'commands/s',
        better: 'higher',
        reach,
        durability: DURABILITY,
      }),
    ),
    {
      id: 'postgres-load-1000',
      what: `load and fold a stream of ${LONG_STREAM_EVENTS} events on PostgreSQL`,
      unit: 'loads/s',
      better: 'higher',
      reach: { 'raw-postgres': null, 'emmett-postgres': null },
      durability: 'reads only',
    },
    {
      id: 'postgres-catch-up',
      what: 'events of the log on PostgreSQL that one subscriber is given, from the first to the last',
      unit: 'events/s',
      better: 'higher',
      reach: { 'raw-postgres': null },
      durability: 'reads only',
    },
  ],

  async prepare(setting: Setting): Promise<Prepared> {
    setting.say('postgres-log: making commands');
    const { postgres, quick } = setting;
    const catchUpEvents = quick ? QUICK_CATCH_UP_EVENTS : CATCH_UP_EVENTS;
    const commands = await commandsOf(catchUpEvents, setting);
    const { sent, events } = commands;
    const sidesOf = (load: Load): Sides => {
      const few = sent.slice(0, sizeOf(load, setting));
      const same = events.slice(0, sizeOf(load, setting));
      return {
        own: () => ownRate(postgres, few, load.concurrent),
        peers: {
          'raw-postgres': () => rawRate(postgres, same, load.concurrent),
          'emmett-postgres': emmettRate(setting, events, load.concurrent),
        },
      };
    };
    const appends = LOADS.map((load) => [`postgres-append-${load.concurrent}`, sidesOf(load)]);
    const long = once(() => longStream(setting));
    const log = once(() => wholeLog(setting, events));
    return {
      sides: {
        ...Object.fromEntries(appends),
        'postgres-load-1000': loadSides(long, quick ? QUICK_STREAM_LOADS : STREAM_LOADS),
        'postgres-catch-up': catchUpSides(log, events.length),
      },
      facts: {
        ...factsOf(LOADS, events, setting),
        catchUp: `${events.length} events, ${PAGE_EVENTS} in a batch`,
        emmett: 'the pool that it makes by itself, as many commands at once as the other sides',
        postgres: await postgres.facts(),
      },
      async close() {
        for (const each of [long, log]) if (each.made()) await (await each()).close();
      },
    };
  },
};

function ownRate(
  postgres: RunPostgres,
  sent: readonly Sent[],
  concurrent: number,
): Promise<number> {
  return postgres.inDatabase(async (url) => {
    const store = await openPostgresEventStore({ url });
    try {
      return await commandsASecond(store, sent, concurrent);
    } finally {
      await store.close();
    }
  });
}

/** As many rows per commit as there are callers who could share one. */
function rawRate(
  postgres: RunPostgres,
  events: readonly StoredEvent[],
  perCommit: number,
): Promise<number> {
  return postgres.inDatabase(async (url) => {
    const raw = await RawPostgres.open(url);
    try {
      const begin = performance.now();
      await raw.insert(events, perCommit);
      return events.length / secondsSince(begin);
    } finally {
      await raw.close();
    }
  });
}

function emmettRate(
  { postgres, quick }: Setting,
  events: readonly StoredEvent[],
  concurrent: number,
): Measure {
  const few = events.slice(0, quick ? QUICK_EMMETT_COMMANDS : EMMETT_COMMANDS);
  const commands = few.map((stored) => ({ stream: stored.stream, event: jsonEventOf(stored) }));
  const rateIn = async (url: string) => {
    const emmett = await openEmmettPostgres(url);
    try {
      const seconds = await secondsOf(commands, concurrent, ({ stream, event }) =>
        emmett.run(stream, event),
      );
      return commands.length / seconds;
    } finally {
      await emmett.close();
    }
  };
  return () =>
    postgres.inDatabase(async (url) => {
      const rate = await rateIn(url);
      const written = await emmettEvents(url);
      if (written !== commands.length) throw new Error(`emmett-postgres wrote ${written} events`);
      return rate;
    });
}

/** One long stream on each side. */
async function longStream({ postgres, seed, say }: Setting) {
  say('postgres-load-1000: writing the stream');
  const databases = [
    await postgres.newDatabase(),
    await postgres.newDatabase(),
    await postgres.newDatabase(),
  ] as const;
  const [ofOwn, ofRaw, ofEmmett] = databases;
  const store = await openPostgresEventStore({ url: ofOwn.url });
  const stream = await writeLongStream(store, seed);
  const events = await store.read(stream);
  const raw = await RawPostgres.open(ofRaw.url);
  await raw.insert(events, events.length);
  const emmett = await openEmmettPostgres(ofEmmett.url);
  await emmett.append(stream, events.map(jsonEventOf));
  for (const { url } of databases) await postgres.tidyUp(url);
  return {
    own: async () => (await loadStream({ store }, Transaction, stream)).state,
    raw: async () => (await raw.read(stream)).at(-1),
    emmett: () => emmett.load(stream),
    async close() {
      await emmett.close();
      await raw.close();
      await store.close();
      for (const database of databases) await database.drop();
    },
  };
}

function loadSides(long: () => ReturnType<typeof longStream>, loads: number): Sides {
  return {
    own: async () => loadsASecond(loads, (await long()).own),
    peers: {
      'raw-postgres': async () => loadsASecond(loads, (await long()).raw),
      'emmett-postgres': async () => loadsASecond(loads, (await long()).emmett),
    },
  };
}

/** The same events on each side. */
async function wholeLog({ postgres, say }: Setting, events: readonly StoredEvent[]) {
  say('postgres-catch-up: writing the log');
  const [ofOwn, ofRaw] = [await postgres.newDatabase(), await postgres.newDatabase()];
  const store = await openPostgresEventStore({ url: ofOwn.url });
  await appendAll(store, events);
  const raw = await RawPostgres.open(ofRaw.url);
  await raw.insert(events, PAGE_EVENTS);
  for (const { url } of [ofOwn, ofRaw]) await postgres.tidyUp(url);
  return {
    own: () => followed(store, PAGE_EVENTS),
    raw: () => raw.readAll(PAGE_EVENTS),
    async close() {
      await raw.close();
      await store.close();
      for (const database of [ofOwn, ofRaw]) await database.drop();
    },
  };
}

function catchUpSides(log: () => ReturnType<typeof wholeLog>, events: number): Sides {
  return {
    own: async () => eventsASecond(events, (await log()).own),
    peers: { 'raw-postgres': async () => eventsASecond(events, (await log()).raw) },
  };
}
