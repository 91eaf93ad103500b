/**
 * What compression costs: `node scripts/compression-cost.ts` asks one server for pages of records over
 * 16 connections, with each coding in turns. It prints the processor time of a request, divided by that
 * without a coding: of the server's main thread, and of all its threads. Other load hardly moves it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { openKeptAnswers } from '../packages/engine/src/storage/index.ts';
import {
  createLogger,
  endpoint,
  HttpServer,
  Idempotency,
  Metrics,
  RateLimits,
  Readiness,
} from '../packages/http-host/src/http/index.ts';

const CODINGS = ['identity', 'gzip', 'br'] as const;
const RECORDS = [3, 20, 100];
const CONNECTIONS = 16;
const ROUNDS = 5;
const ROUND_MS = 1_000;

function recordOf(index: number) {
  return {
    transactionId: `0192f000-0000-7000-8000-${String((index * 99_991) % 1e12).padStart(12, '0')}`,
    orderId: 1_000_000_000 + index,
    email: `customer-${index * 7_919}@example.com`,
    amount: ((index * 137) % 9_000) / 100,
    currency: 'GBP',
    status: 'Captured',
    sent: new Date(1_700_000_000_000 + index * 77_777).toISOString(),
    midName: 'Main account',
    descriptor: 'ACME TEA',
    refundable: true,
  };
}

const pages = RECORDS.map((records) =>
  endpoint({
    operationId: `page${records}`,
    method: 'GET',
    path: `/pages/${records}`,
    tag: 'Pages',
    summary: 'A page',
    description: 'A page of records',
    access: { kind: 'public' },
    responses: { 200: { description: 'A page' } },
    rejections: [],
    idempotency: 'none',
    handle: async () => {
      const body = { records: Array.from({ length: records }, (_, index) => recordOf(index)) };
      return { status: 200, body };
    },
  }),
);

async function serve(): Promise<void> {
  const readiness = new Readiness(() => {});
  readiness.started();
  const server = new HttpServer({
    endpoints: pages,
    keys: { find: async () => undefined },
    rateLimits: new RateLimits({}),
    idempotency: new Idempotency({
      secret: Buffer.alloc(32, 1),
      store: openKeptAnswers(':memory:'),
      onStoreFailure: () => {},
    }),
    readiness,
    metrics: new Metrics(),
    logger: createLogger({ level: 'fatal' }),
  });
  process.send?.(await server.listen({ port: 0, host: '127.0.0.1' }));
  process.on('message', () => process.send?.(usage()));
}

/** Microseconds since the start. */
interface Usage {
  readonly main: number;
  readonly all: number;
}

function usage(): Usage {
  const total = ({ user, system }: NodeJS.CpuUsage) => user + system;
  return { main: total(process.threadCpuUsage()), all: total(process.cpuUsage()) };
}

async function usageOf(server: ChildProcess): Promise<Usage> {
  server.send('usage');
  const [used] = (await once(server, 'message')) as [Usage];
  return used;
}

/** The processor time of a request in microseconds, and the bytes of its response. */
async function measured(server: ChildProcess, url: string, coding: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const before = await usageOf(server);
  const endAtMs = performance.now() + ROUND_MS;
  let answered = 0;
  let bytes = 0;
  const connection = async () => {
    while (performance.now() < endAtMs) {
      const asked = request(url, { agent, headers: { 'Accept-Encoding': coding } }).end();
      const [response] = await once(asked, 'response');
      bytes = Number(response.headers['content-length']);
      await once(response.resume(), 'end');
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const after = await usageOf(server);
  agent.destroy();
  return {
    main: (after.main - before.main) / answered,
    all: (after.all - before.all) / answered,
    bytes,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function compare(server: ChildProcess, url: string): Promise<void> {
  for (const records of RECORDS) {
    const rounds = new Map<string, Awaited<ReturnType<typeof measured>>[]>();
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const coding of CODINGS) {
        const one = await measured(server, `${url}/pages/${records}`, coding);
        // The first round warms up.
        if (round > 0) rounds.set(coding, [...(rounds.get(coding) ?? []), one]);
      }
    }
    const plain = rounds.get('identity') ?? [];
    for (const [coding, all] of rounds) {
      const ratioOf = (kind: 'main' | 'all') =>
        median(all.map((one, round) => one[kind] / (plain[round]?.[kind] ?? 1))).toFixed(2);
      const cost = `main thread ${ratioOf('main')}, all threads ${ratioOf('all')}`;
      console.log(`${records} records, ${coding}: ${all[0]?.bytes} bytes, ${cost}`);
    }
  }
}

if (process.argv[2] === 'serve') {
  await serve();
} else {
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  const [url] = (await once(server, 'message')) as [string];
  await compare(server, url);
  server.kill();
}
