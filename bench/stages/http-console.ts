/** `console-detail`, `console-search`: pages of the console beside the calls of the interface that show the same. */
import { join } from 'node:path';
import type { Measure, Prepared, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { makeHostData } from '../load/host-data.ts';
import {
  consoleDetailPath,
  consoleSearchPath,
  pageCallPaths,
  searchCallPaths,
  searchPath,
  wholeDetailPath,
} from '../load/paths.ts';
import { liveRecords } from '../load/peer-data.ts';
import { HttpServers, httpFacts } from './http-servers.ts';

const PAYMENTS = 20_000;

const common = {
  unit: 'pages/s',
  better: 'higher',
  durability: 'reads only',
} as const satisfies Partial<Row>;

export const httpConsole: Stage = {
  name: 'http-console',
  rows: [
    {
      ...common,
      id: 'console-detail',
      what: 'the page of a transaction, 64 connections',
      reach: { 'api-call': 0.5, 'api-calls': 0.5 },
    },
    {
      ...common,
      id: 'console-search',
      what: 'the transactions of an email, 64 connections',
      reach: { 'api-call': 0.5, 'api-calls': 0.5 },
    },
  ],
  prepare,
};

/** Beside the calls that give what a page shows, one after the other: their rate is that of all of them. */
function withCalls(compared: Sides, calls: readonly Measure[]): Sides {
  const all = async () => {
    let seconds = 0;
    for (const call of calls) seconds += 1 / (await call());
    return 1 / seconds;
  };
  return { ...compared, peers: { ...compared.peers, 'api-calls': all } };
}

async function prepare(setting: Setting): Promise<Prepared> {
  const { folder, seed, say } = setting;
  const data = await makeHostData({ folder: join(folder, 'data'), payments: PAYMENTS, seed, say });
  const servers = await HttpServers.start(setting, data);
  try {
    const { host } = servers;
    const { ids, emails } = await liveRecords(data.folder);
    const cookie = await host.signIn();
    const beside = (page: Parameters<typeof servers.measure>[1], call: typeof page) => ({
      own: servers.measure(host, page),
      peers: { 'api-call': servers.measure(host, call) },
    });
    const pages = {
      detail: consoleDetailPath(ids, seed, cookie),
      search: consoleSearchPath(emails, seed, cookie),
    };
    const calls = { detail: wholeDetailPath(ids, seed), search: searchPath(emails, seed) };
    return {
      sides: {
        'console-detail': withCalls(
          beside(
            () => pages.detail,
            () => calls.detail,
          ),
          pageCallPaths(ids, seed).map((path) => servers.measure(host, () => path)),
        ),
        'console-search': withCalls(
          beside(
            () => pages.search,
            () => calls.search,
          ),
          searchCallPaths(emails, seed).map((path) => servers.measure(host, () => path)),
        ),
      },
      facts: { ...httpFacts(), payments: String(ids.length), customers: String(emails.length) },
      close: () => servers.close(),
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}
