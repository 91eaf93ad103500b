/**
 * Answers recorded answers by `node:http`, in the main thread or in a thread in front of it, which hands over
 * what gathers within a turn of its event loop.
 *
 *     node fronted-server.ts <what moves to the front> <file with recorded answers by path> [µs of work]
 *
 * The main thread stands for the ledger: what that does with a request is the same in all of them. It looks up
 * the answer, and uses so many microseconds of the processor where that is asked.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** What the front thread does of a request; the main thread does the rest. */
export type Moves =
  /** There is none. */
  | 'nothing'
  /** HTTP; bodies and answers are handed over as text. */
  | 'http'
  /** And parses bodies; answers are handed over as text. */
  | 'bodies'
  /** The same, and answers are handed over as bytes. */
  | 'bytes'
  /** All JSON; answers are handed over as objects. */
  | 'json';

export interface Recorded {
  readonly status: number;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: unknown;
}

interface Asked {
  readonly path: string;
  readonly headers: readonly string[];
  /** As text, or parsed. */
  readonly body: unknown;
}

type Handed<What> = readonly [id: number, what: What];

/** A text, bytes or an object. */
type Answer = unknown;

type Arguments = readonly [node: string, self: string, moves: Moves, file: string, workUs?: string];

const [, , moves, file, workArgument = '0'] = (
  isMainThread ? process.argv : workerData
) as Arguments;
const workUs = Number(workArgument);
/** More than are answered in a turn: an object that stands in a message twice is written once. */
const COPIES = 256;

interface Found extends Recorded {
  readonly copies: readonly unknown[];
}

const recorded = new Map(
  Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Recorded>).map(
    ([path, one]): [string, Found] => {
      const text = JSON.stringify(one.body);
      const copies = Array.from({ length: COPIES }, (): unknown => JSON.parse(text));
      return [path, { ...one, copies }];
    },
  ),
);

function recordedAt(path: string): Found {
  const found = recorded.get(path);
  if (found === undefined) throw new Error(`nothing is recorded for ${path}`);
  return found;
}

function objectOf(text: string): object {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null) throw new TypeError('no object');
  return parsed;
}

let served = 0;

/** As much of the processor as the ledger would take. */
function work(): void {
  const before = process.threadCpuUsage();
  for (let usedUs = 0; usedUs < workUs; ) {
    const { user, system } = process.threadCpuUsage(before);
    usedUs = user + system;
  }
}

/** What the main thread does with a request that is handed over. */
function answerTo({ path, body }: Asked): Answer {
  if (moves === 'nothing' || moves === 'http') objectOf(body as string);
  if (workUs > 0) work();
  served += 1;
  const answer = recordedAt(path).copies[served % COPIES];
  if (moves === 'json') return answer;
  const text = JSON.stringify(answer);
  return moves === 'bytes' ? new TextEncoder().encode(text) : text;
}

function listen(handle: (asked: Asked, answer: (answer: Answer) => void) => void): Promise<number> {
  const isParsed = moves !== 'nothing' && moves !== 'http';
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      const text = bytes.toString('utf8');
      const { url: path = '', rawHeaders: headers } = request;
      handle({ path, headers, body: isParsed ? objectOf(text) : text }, (answer) => {
        const { status, headers: sent } = recordedAt(path);
        response.writeHead(status, [...sent]);
        response.end(moves === 'json' ? JSON.stringify(answer) : answer);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  return once(server, 'listening').then(() => (server.address() as AddressInfo).port);
}

async function inFront(port: NonNullable<typeof parentPort>): Promise<void> {
  const waiting = new Map<number, (answer: Answer) => void>();
  let gathered: Handed<Asked>[] = [];
  let last = 0;
  port.on('message', (answers: readonly Handed<Answer>[]) => {
    for (const [id, answer] of answers) {
      waiting.get(id)?.(answer);
      waiting.delete(id);
    }
  });
  const at = await listen((asked, answer) => {
    last += 1;
    waiting.set(last, answer);
    if (gathered.length === 0) {
      setImmediate(() => {
        port.postMessage(gathered);
        gathered = [];
      });
    }
    gathered.push([last, asked]);
  });
  port.postMessage(at);
}

async function main(): Promise<number> {
  if (moves === 'nothing') return listen((asked, answer) => answer(answerTo(asked)));
  const thread = new Worker(new URL(import.meta.url), { workerData: process.argv });
  const [port] = (await once(thread, 'message')) as [number];
  thread.on('message', (requests: readonly Handed<Asked>[]) => {
    const answers = requests.map(([id, asked]): Handed<Answer> => [id, answerTo(asked)]);
    const moved = moves === 'bytes' ? answers.map(([, bytes]) => (bytes as Uint8Array).buffer) : [];
    thread.postMessage(answers, moved as ArrayBuffer[]);
  });
  return port;
}

if (parentPort !== null) await inFront(parentPort);
else {
  console.log(`listens on http://127.0.0.1:${await main()}`);
  process.on('SIGTERM', () => process.exit());
}
