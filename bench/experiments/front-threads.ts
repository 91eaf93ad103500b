/**
 * What threads that do HTTP would take off the thread of the ledger: `node bench/experiments/front-threads.ts`.
 * The same answers by `node:http` in the main thread, and by a front thread that sends it parsed requests
 * and takes the answers as text. Measured is the processor time of the main thread for a request, which
 * does not depend on how many cores there are.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { spreadOf } from '../harness/rounds.ts';
import { Load } from '../load/load.ts';

const ROUNDS = 7;
const DURATION_MS = 2_000;
const CONNECTIONS = 64;
/** About as long as a detail with record and addresses. */
const ANSWER = JSON.stringify({ success: true, transaction: { text: 'x'.repeat(2_400) } });
const BODY = JSON.stringify({ parentCompanyId: 1, userEmail: 'agent@example.com', id: 'x' });

interface Asked {
  readonly id: number;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: unknown;
}

type Answered = readonly [id: number, answer: string];

/** Stands for the ledger: what it does with a request is the same on both sides, so it does nothing. */
function answerTo(_request: Omit<Asked, 'id'>): string {
  return ANSWER;
}

async function readRequest(request: IncomingMessage): Promise<Omit<Asked, 'id'>> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(request, 'end');
  const { url: path = '', rawHeaders: headers } = request;
  return { path, headers, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

function send(response: ServerResponse, answer: string): void {
  const length = Buffer.byteLength(answer);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': length });
  response.end(answer);
}

async function listen(handle: (request: Omit<Asked, 'id'>) => Promise<string> | string) {
  const server = createServer(async (request, response) => {
    send(response, await handle(await readRequest(request)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The front thread: what gathers within a turn is one message. */
async function front(): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const waiting = new Map<number, (answer: string) => void>();
  let gathered: Asked[] = [];
  let last = 0;
  port.on('message', (answers: readonly Answered[]) => {
    for (const [id, answer] of answers) {
      waiting.get(id)?.(answer);
      waiting.delete(id);
    }
  });
  const at = await listen((request) => {
    last += 1;
    if (gathered.length === 0) {
      setImmediate(() => {
        port.postMessage(gathered);
        gathered = [];
      });
    }
    gathered.push({ id: last, ...request });
    return new Promise((resolve) => waiting.set(last, resolve));
  });
  port.postMessage(at);
}

async function main(): Promise<void> {
  const load = new Load();
  const own = await listen(answerTo);
  const thread = new Worker(new URL(import.meta.url));
  const [fronted] = (await once(thread, 'message')) as [number];
  thread.on('message', (requests: readonly Asked[]) => {
    thread.postMessage(requests.map((each): Answered => [each.id, answerTo(each)]));
  });
  const costs = { own: [] as number[], fronted: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [ownUs, frontedUs] = [await costOf(load, own), await costOf(load, fronted)];
    // Round 0 warms up.
    if (round === 0) continue;
    costs.own.push(ownUs);
    costs.fronted.push(frontedUs);
  }
  await load.close();
  const show = (name: string, values: readonly number[]) => {
    const { median, smallest, largest } = spreadOf(values);
    const [at, from, to] = [median, smallest, largest].map((each) => each.toFixed(1));
    console.log(`${name}: ${at} µs of the main thread a request (${from} to ${to})`);
  };
  show('HTTP in the main thread', costs.own);
  show('HTTP in a front thread', costs.fronted);
  const ratio = spreadOf(costs.fronted.map((each, index) => each / (costs.own[index] ?? 1)));
  console.log(`ratio: ${ratio.median.toFixed(2)}`);
  process.exit();
}

/** Processor time of this thread for a request, in microseconds. */
async function costOf(load: Load, port: number): Promise<number> {
  const before = process.threadCpuUsage();
  const { answered } = await load.run({
    port,
    connections: CONNECTIONS,
    durationMs: DURATION_MS,
    path: '/customerapi/detail',
    headers: {},
    requests: { kind: 'listed', bodies: [BODY], markers: [''] },
    status: 200,
    answer: ANSWER,
  });
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / answered;
}

await (isMainThread ? main() : front());
