/** Runs a job: all connections concurrently until the end, checking every response. */
import { type Answer, Connection, type Exchanges } from './connection.ts';
import type { Job, Outcome } from './job.ts';
import { type Request, requestsOf } from './requests.ts';

const SHOWN_BYTES = 500;

export async function run(job: Job): Promise<Outcome> {
  const tally = new Tally(job);
  const connections = Array.from(
    { length: job.connections },
    () => new Connection(job.port, tally.exchanges()),
  );
  tally.begin();
  await Promise.all(connections.map((connection) => connection.run()));
  return tally.outcome();
}

class Tally {
  readonly #job: Job;
  readonly #requestOf: (serial: number) => Request;
  readonly #answer: Buffer | undefined;
  readonly #latenciesMs: number[] = [];
  #sent = 0;
  #beginMs = 0;
  #fromUs = 0;
  #wrong: string | undefined;

  constructor(job: Job) {
    this.#job = job;
    this.#requestOf = requestsOf(job);
    this.#answer = job.answer === undefined ? undefined : Buffer.from(job.answer);
  }

  begin(): void {
    this.#beginMs = performance.now();
    this.#fromUs = nowUs();
  }

  /** The callbacks of one connection. */
  exchanges(): Exchanges {
    let request: Request | undefined;
    let sentMs = 0;
    return {
      next: () => {
        sentMs = performance.now();
        if (this.#isOver(sentMs)) return undefined;
        request = this.#requestOf(this.#sent);
        this.#sent += 1;
        return request.bytes;
      },
      answered: (answer) => {
        const nowMs = performance.now();
        if (request === undefined || !this.#isRight(answer, request)) {
          const body = answer.body.toString('utf8', 0, SHOWN_BYTES);
          this.#wrong ??= `expected ${this.#job.status} with ${request?.markers}:\n${answer.head}\n\n${body}`;
        }
        // Later responses are checked but not counted.
        if (nowMs - this.#beginMs <= this.#job.durationMs) this.#latenciesMs.push(nowMs - sentMs);
      },
      failed: (error) => {
        this.#wrong ??= error.message;
      },
    };
  }

  #isOver(nowMs: number): boolean {
    return this.#wrong !== undefined || nowMs - this.#beginMs >= this.#job.durationMs;
  }

  #isRight({ status, body }: Answer, { markers }: Request): boolean {
    if (status !== this.#job.status) return false;
    if (this.#answer !== undefined) return this.#answer.equals(body);
    return markers.every((marker) => body.includes(marker));
  }

  outcome(): Outcome {
    const { durationMs } = this.#job;
    const sorted = Float64Array.from(this.#latenciesMs).sort();
    const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
    return {
      answered: sorted.length,
      sent: this.#sent,
      seconds: durationMs / 1_000,
      latencyMs: { p50: at(0.5), p99: at(0.99), largest: at(1) },
      fromUs: this.#fromUs,
      toUs: this.#fromUs + durationMs * 1_000,
      ...(this.#wrong !== undefined && { wrong: this.#wrong }),
    };
  }
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}
