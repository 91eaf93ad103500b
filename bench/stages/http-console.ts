/** `console-detail`, `console-search`: pages of the console beside the calls of the interface that show the same. */
import { join } from 'node:path';
import type { Measure, Prepared, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { makeHostData } from '../load/host-data.ts';
import {
  type Calls,
  consoleDetailPath,
  consoleSearchPath,
  detailCallPaths,
  type Path,
  searchCallPaths,
} from '../load/paths.ts';
import { liveRecords } from '../load/peer-data.ts';
import { HttpServers, httpFacts } from './http-servers.ts';

const PAYMENTS = 20_000;

const common = {
  unit: 'pages/s',
  better: 'higher',
  reach: { 'api-call': 0.5, 'api-calls': 0.5 },
  durability: 'reads only',
} as const satisfies Partial<Row>;

export const httpConsole: Stage = {
  name: 'http-console',
  rows: [
    { ...common, id: 'console-detail', what: 'the page of a transaction, 64 connections' },
    { ...common, id: 'console-search', what: 'the transactions of an email, 64 connections' },
  ],
  prepare,
};

/** The rate of several calls, one after the other. */
async function rateOf(calls: readonly Measure[]): Promise<number> {
  let seconds = 0;
  for (const call of calls) seconds += 1 / (await call());
  return 1 / seconds;
}

async function prepare(setting: Setting): Promise<Prepared> {
  const { folder, seed, say } = setting;
  const data = await makeHostData({ folder: join(folder, 'data'), payments: PAYMENTS, seed, say });
  const servers = await HttpServers.start(setting, data);
  try {
    const { host } = servers;
    const { ids, emails } = await liveRecords(data.folder);
    const cookie = await host.signIn();
    /** A page beside the first of the calls that give what it shows, and beside all of them. */
    const beside = (page: Path, [main, ...others]: Calls): Sides => {
      const measured = (path: Path) => servers.measure(host, () => path);
      const call = measured(main);
      const calls = [call, ...others.map(measured)];
      return {
        own: measured(page),
        peers: { 'api-call': call, 'api-calls': () => rateOf(calls) },
      };
    };
    return {
      sides: {
        'console-detail': beside(consoleDetailPath(ids, seed, cookie), detailCallPaths(ids, seed)),
        'console-search': beside(
          consoleSearchPath(emails, seed, cookie),
          searchCallPaths(emails, seed),
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
