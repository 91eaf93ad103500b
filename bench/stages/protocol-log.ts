/**
 * The log through the EventStoreDB client, on the protocol server of the tests: the upper limit of
 * client and adapter. The server is in memory, so no figure is durable.
 */
import { join } from 'node:path';
import type { EventStore, StoredEvent } from '@counterfoil/core';
import { openEventStoreDb } from '@counterfoil/event-stores/eventstoredb';
import type { Sent } from '../data/payments.ts';
import { once } from '../harness/once.ts';
import type { Prepared, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { ServerProcess } from '../load/server-process.ts';
import { BareClient, clientEventOf } from '../peers/bare-client.ts';
import {
  appendAll,
  commandsASecond,
  commandsOf,
  eventsASecond,
  factsOf,
  followed,
  type Load,
  secondsOf,
  sizeOf,
} from './appending.ts';

const SERVER = join(import.meta.dirname, '..', '..', 'test', 'eventstoredb-server', 'main.ts');
const SAYS_URL = /^(esdb:\S+)$/m;

const LOADS: readonly Load[] = [
  { concurrent: 1, commands: 2_000, quickCommands: 500 },
  { concurrent: 64, commands: 10_000, quickCommands: 2_000 },
  { concurrent: 256, commands: 10_000, quickCommands: 2_000 },
];
const CATCH_UP_EVENTS = 50_000;
const QUICK_CATCH_UP_EVENTS = 10_000;
/** The page size of readers, on both sides. */
const PAGE_EVENTS = 1_000;
/** Prefix of the log's streams; the server has other streams. */
const PREFIX = 'bench.';

const CEILING: Pick<Row, 'better' | 'reach' | 'durability'> = {
  better: 'higher',
  reach: { 'bare-client': null },
  durability: 'none: the protocol server keeps its log in memory',
};

export const protocolLog: Stage = {
  name: 'protocol-log',
  rows: [
    ...LOADS.map(
      ({ concurrent }): Row => ({
        id: `protocol-append-${concurrent}`,
        what: `client ceiling: commands through execute on the protocol server, ${concurrent} at once, new streams`,
        unit: 'commands/s',
        ...CEILING,
      }),
    ),
    {
      id: 'protocol-catch-up',
      what: 'client ceiling: events of the log on the protocol server that one subscriber is given, from the first to the last',
      unit: 'events/s',
      ...CEILING,
    },
  ],

  async prepare(setting: Setting): Promise<Prepared> {
    setting.say('protocol-log: making commands');
    const { quick } = setting;
    const catchUpEvents = quick ? QUICK_CATCH_UP_EVENTS : CATCH_UP_EVENTS;
    const { sent, events } = await commandsOf(catchUpEvents, setting);
    const sidesOf = (load: Load): Sides => {
      const few = sent.slice(0, sizeOf(load, setting));
      const same = events.slice(0, sizeOf(load, setting));
      return {
        own: () => ownRate(few, load.concurrent),
        peers: { 'bare-client': () => bareRate(same, load.concurrent) },
      };
    };
    const appends = LOADS.map((load) => [`protocol-append-${load.concurrent}`, sidesOf(load)]);
    const log = once(() => wholeLog(setting, events));
    return {
      sides: {
        ...Object.fromEntries(appends),
        'protocol-catch-up': {
          own: async () => eventsASecond(events.length, (await log()).own),
          peers: { 'bare-client': async () => eventsASecond(events.length, (await log()).bare) },
        },
      },
      facts: {
        ...factsOf(LOADS, events, setting),
        catchUp: `${events.length} events, ${PAGE_EVENTS} at a time`,
        server: 'the protocol server of the tests, in a process of its own, its log in memory',
      },
      async close() {
        if (log.made()) await (await log()).close();
      },
    };
  },
};

/** With an empty log. */
function startServer(): Promise<ServerProcess> {
  return ServerProcess.start({ args: [SERVER], says: SAYS_URL });
}

/** Runs `work` on a separate server, and closes both in any case. */
async function onServer<Opened extends { close(): Promise<void> }>(
  open: (url: string) => Promise<Opened>,
  work: (opened: Opened) => Promise<number>,
): Promise<number> {
  const server = await startServer();
  try {
    const opened = await open(server.at);
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  } finally {
    await server.stop();
  }
}

function openStore(url: string): Promise<EventStore> {
  return openEventStoreDb({ url, prefix: PREFIX });
}

function ownRate(sent: readonly Sent[], concurrent: number): Promise<number> {
  return onServer(openStore, (store) => commandsASecond(store, sent, concurrent));
}

function bareRate(events: readonly StoredEvent[], concurrent: number): Promise<number> {
  const made = events.map(clientEventOf);
  return onServer(
    async (url) => new BareClient(url),
    async (client) =>
      made.length / (await secondsOf(made, concurrent, (one) => client.append(one))),
  );
}

/** One log, read by both sides. */
async function wholeLog({ say }: Setting, events: readonly StoredEvent[]) {
  say('protocol-catch-up: writing the log');
  const server = await startServer();
  const store = await openStore(server.at);
  await appendAll(store, events);
  const client = new BareClient(server.at);
  return {
    own: () => followed(store, PAGE_EVENTS),
    bare: () => client.readAll(PAGE_EVENTS, PREFIX),
    async close() {
      await client.close();
      await store.close();
      await server.stop();
    },
  };
}
