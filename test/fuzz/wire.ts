/** Raw bytes over a socket, and the parsed responses. */
import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** The time after which no further response is expected. */
const PATIENCE_MS = 15_000;

/** One connection: sends given bytes and collects responses. */
export class Wire {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #isClosed = false;
  #onNews: () => void = () => {};

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#onNews();
    });
    // What was received before a reset is what counts.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#onNews();
    });
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Nothing more will be said, but what comes is still listened to. */
  end(): void {
    this.#socket.end();
  }

  /** Goes away without a word. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Goes away with a reset. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** All whole answers so far. */
  get answers(): WireAnswer[] {
    return answersIn(this.#received);
  }

  get text(): string {
    return this.#received.toString('latin1');
  }

  async answered(count: number): Promise<void> {
    await this.#until(() => this.answers.length >= count || this.#isClosed, `${count} answers`);
  }

  async closed(): Promise<void> {
    await this.#until(() => this.#isClosed, 'the end');
  }

  async #until(isSo: () => boolean, what: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timeout = setTimeout(
      () => reject(new Error(`waited for ${what}, and heard ${JSON.stringify(this.text)}`)),
      PATIENCE_MS,
    );
    this.#onNews = () => {
      if (isSo()) resolve();
    };
    this.#onNews();
    await promise.finally(() => clearTimeout(timeout));
  }
}

function answersIn(received: Buffer): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let at = 0; at < received.length; ) {
    const end = received.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const [line = '', ...lines] = received.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no answer: ${JSON.stringify(line)}`);
    const headers = new Map(
      lines.map((each) => {
        const colon = each.indexOf(':');
        return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()] as const;
      }),
    );
    const from = end + 4;
    const to = from + Number(headers.get('content-length') ?? 0);
    if (to > received.length) break;
    answers.push({ status, headers, text: received.toString('utf8', from, to) });
    at = to;
  }
  return answers;
}
