/**
 * What threads that do HTTP and JSON would take off the thread of the ledger:
 * `npx -y pnpm@12 exec node bench/experiments/front-threads.ts`. A host is asked for details, searches and
 * payments, and the same answers are given by `node:http` with nothing behind it, in the main thread and in a
 * thread in front of it. Measured is the processor time of the main thread of each server for a request, in
 * rounds that take turns; it depends little on the number of cores and on what else runs.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spreadOf } from '../harness/rounds.ts';
import { HostUnderLoad } from '../load/host.ts';
import { type HostData, makeHostData } from '../load/host-data.ts';
import type { Job, ListedRequests } from '../load/job.ts';
import { Load } from '../load/load.ts';
import { detailPath, jobOf, type Path, paymentPath, searchPath } from '../load/paths.ts';
import { liveRecords } from '../load/peer-data.ts';
import { KNOWN_CUSTOMERS, paymentBody } from '../load/requests.ts';
import { ServerProcess } from '../load/server-process.ts';
import { allThreadsUs, mainThreadUs } from '../load/thread-time.ts';
import { spread } from '../report/numbers.ts';
import type { Moves, Recorded } from './fronted-server.ts';

const FRONTED = fileURLToPath(new URL('./fronted-server.ts', import.meta.url));
const PAYMENTS = 20_000;
const SEED = 1;
const [ROUNDS = 7] = process.argv.slice(2).map(Number);
const DURATION_MS = 1_500;
/** By the clock, which other programs disturb more. */
const PINNED_MS = 3_000;
/** A range of orders for each load: none is used twice. */
const ORDERS_A_LOAD = 1_000_000;
const [MAIN_CORE, REST_CORE] = [1, 0];
/** Headers that node adds to a response. */
const OF_NODE = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

const HOST = 'the host';
const SERVERS: Readonly<Record<Moves, string>> = {
  nothing: 'bare, HTTP and JSON in the main thread',
  http: 'HTTP in front, JSON in the main thread',
  bodies: 'and bodies parsed in front, answers as text',
  bytes: 'the same, answers as bytes',
  json: 'all JSON in front, answers as objects',
};

/** One kind of request: what is asked of the host, and of the others. */
interface Kind {
  readonly name: string;
  /** Another one each time for a payment. */
  path(): Path;
  /** Before the first of them. */
  prepare?(): Promise<void>;
  /** Until what the load has begun is done. */
  settle?(): Promise<void>;
}

interface Cost {
  readonly mainUs: number;
  readonly allUs: number;
}

type Costs = Map<string, Cost[]>;

interface Server {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

async function measure(folder: string, load: Load): Promise<void> {
  const say = (what: string) => console.error(what);
  const wanted = { folder: join(folder, 'data'), payments: PAYMENTS, seed: SEED, say };
  const data = await makeHostData(wanted);
  const host = await HostUnderLoad.start(data);
  const servers = new Map<string, Server>([[HOST, host]]);
  try {
    const kinds = await kindsOf(host, data, load);
    const answers = await recordedOf(host, kinds);
    const file = join(folder, 'answers.json');
    writeFileSync(file, JSON.stringify(Object.fromEntries(answers)));
    for (const [moves, name] of Object.entries(SERVERS)) {
      servers.set(name, await ServerProcess.start({ args: [FRONTED, moves, file] }));
    }
    const jobFor = (kind: Kind, { port }: { readonly port: number }): Job => {
      const path = kind.path();
      const job = jobOf(path, host, { port, durationMs: DURATION_MS });
      const answer = JSON.stringify(answers.get(path.path)?.body);
      return port === host.port ? job : { ...job, answer };
    };
    const works = new Map<Kind, number>();
    for (const kind of kinds) {
      const costs = await costsOf(kind, { servers, load, jobFor });
      report(kind.name, costs);
      works.set(kind, Math.round(workOf(costs)));
    }
    for (const [kind, workUs] of works) await simulate(kind, { load, file, workUs, jobFor });
  } finally {
    await load.close();
    for (const server of servers.values()) await server.stop();
  }
}

interface Loading {
  readonly load: Load;
  readonly jobFor: (kind: Kind, server: { readonly port: number }) => Job;
}

async function costsOf(
  kind: Kind,
  { servers, load, jobFor }: Loading & { readonly servers: ReadonlyMap<string, Server> },
): Promise<Costs> {
  const costs: Costs = new Map([...servers.keys()].map((name) => [name, []]));
  await kind.prepare?.();
  // Round 0 warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, server] of servers) {
      const cost = await costOf(load, server.pid, jobFor(kind, server));
      if (round > 0) costs.get(name)?.push(cost);
      if (name === HOST) await kind.settle?.();
    }
  }
  return costs;
}

async function costOf(load: Load, pid: number, job: Job): Promise<Cost> {
  const before = { main: mainThreadUs(pid), all: allThreadsUs(pid) };
  const { sent } = await load.run(job);
  return {
    mainUs: (mainThreadUs(pid) - before.main) / sent,
    allUs: (allThreadsUs(pid) - before.all) / sent,
  };
}

async function kindsOf(
  host: HostUnderLoad,
  data: HostData,
  load: Load,
): Promise<readonly [Kind, Kind, Kind]> {
  const { ids, emails } = await liveRecords(data.folder);
  const [detail, search] = [detailPath(ids, SEED), searchPath(emails, SEED)];
  let firstOrder = 0;
  const payments = () => {
    firstOrder += ORDERS_A_LOAD;
    return paymentPath(firstOrder);
  };
  let lastOrder = 0;
  const settle = async () => {
    lastOrder += 1;
    const { status, text } = await payOnce(host, lastOrder);
    if (status !== CREATED) throw new Error(`a payment answered ${status}: ${text}`);
    await host.shows(lastOrder);
  };
  const prepare = async () => {
    firstOrder += ORDERS_A_LOAD;
    for (let sent = 0; sent < KNOWN_CUSTOMERS; ) {
      const path = paymentPath(firstOrder + sent);
      const job = jobOf(path, host, { port: host.port, durationMs: DURATION_MS });
      sent += (await load.run(job)).sent;
    }
    await settle();
  };
  return [
    { name: 'detail', path: () => detail },
    { name: 'search', path: () => search },
    { name: 'payment', path: payments, prepare, settle },
  ];
}

const CREATED = 201;
/** Of the answer that is recorded: no load has it. */
const RECORDED_ORDER = 999_999;

function payOnce(host: HostUnderLoad, orderId: number) {
  const name = { 'Idempotency-Key': `order-${orderId}` };
  return host.post('/v1/payments', paymentBody(orderId), name);
}

/** One answer of the host for each kind, by path. */
async function recordedOf(
  host: HostUnderLoad,
  kinds: readonly Kind[],
): Promise<ReadonlyMap<string, Recorded>> {
  const found = new Map<string, Recorded>();
  for (const kind of kinds) {
    const { path, requests } = kind.path();
    const answer =
      requests.kind === 'payments'
        ? await payOnce(host, RECORDED_ORDER)
        : await host.post(path, (requests as ListedRequests).bodies[0] ?? '');
    const { status, headers, text } = answer;
    const kept = [...headers].filter(([name]) => !OF_NODE.has(name)).flat();
    found.set(path, { status, headers: kept, body: JSON.parse(text) });
  }
  return found;
}

/** Of the host's main thread, without what `node:http` and JSON take. */
function workOf(costs: Costs): number {
  const medianOf = (name: string) =>
    spreadOf((costs.get(name) ?? []).map(({ mainUs }) => mainUs)).median;
  return medianOf(HOST) - medianOf(SERVERS.nothing);
}

interface Simulated extends Loading {
  readonly file: string;
  readonly workUs: number;
}

/**
 * As many requests as can be answered where the main thread has a core, with that work for each; the client and
 * all other threads share the other core.
 */
async function simulate(kind: Kind, { load, file, workUs, jobFor }: Simulated): Promise<void> {
  const started: ServerProcess[] = [];
  const rates: number[][] = [];
  try {
    pin(load.pid, REST_CORE, '-a');
    for (const moves of ['nothing', 'bodies']) {
      const server = await ServerProcess.start({ args: [FRONTED, moves, file, String(workUs)] });
      started.push(server);
      pin(server.pid, REST_CORE, '-a');
      pin(server.pid, MAIN_CORE);
    }
    for (let round = 0; round <= ROUNDS; round += 1) {
      const ofRound: number[] = [];
      for (const server of started) {
        const job = { ...jobFor(kind, server), durationMs: PINNED_MS };
        ofRound.push((await load.run(job)).answered);
      }
      if (round > 0) rates.push(ofRound);
    }
  } finally {
    for (const server of started) await server.stop();
  }
  const ratios = rates.map(([bare = 0, fronted = 0]) => fronted / bare);
  console.log(
    `pinned, ${kind.name}, ${workUs} µs of work: ${spread(ratios, 2)} times as many with a front thread`,
  );
}

/** The thread that a process began with, or all that it has. */
function pin(pid: number, core: number, ...all: readonly '-a'[]): void {
  execFileSync('taskset', [...all, '-pc', String(core), String(pid)], { stdio: 'ignore' });
}

function report(kind: string, costs: Costs): void {
  console.log(`| ${kind} | main thread µs | all threads µs |`);
  console.log('|---|---|---|');
  const mainOf = (name: string) => (costs.get(name) ?? []).map(({ mainUs }) => mainUs);
  for (const [name, values] of costs) {
    const all = values.map(({ allUs }) => allUs);
    console.log(`| ${name} | ${spread(mainOf(name), 1)} | ${spread(all, 1)} |`);
  }
  const [host, bare] = [mainOf(HOST), mainOf(SERVERS.nothing)];
  for (const moves of ['http', 'bodies', 'bytes', 'json'] as const) {
    const fronted = mainOf(SERVERS[moves]);
    const left = host.map((us, at) => us - (bare[at] ?? 0) + (fronted[at] ?? 0));
    const ratios = left.map((us, at) => us / (host[at] ?? 0));
    console.log(
      `${kind}, ${SERVERS[moves]}: ${spread(left, 1)} µs at best, ${spread(ratios, 2)} of the host`,
    );
  }
  console.log('');
}

const folder = mkdtempSync(join(tmpdir(), 'fronts-'));
try {
  await measure(folder, new Load());
} finally {
  rmSync(folder, { recursive: true });
}
