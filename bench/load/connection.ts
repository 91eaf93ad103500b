/** One keep-alive connection that sends the next request when the previous one is answered. */
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

export interface Exchanges {
  /** The bytes of the next request; undefined at the end. */
  next(): Buffer | undefined;
  answered(answer: Answer): void;
  failed(error: Error): void;
}

/**
 * Supports only the HTTP that the servers of this bench use: responses with Content-Length, and
 * `Connection: close`, after which it reconnects. It shares two cores with the servers; a complete
 * HTTP client would take as much CPU as a server.
 */
export class Connection {
  readonly #port: number;
  readonly #exchanges: Exchanges;
  readonly #ended = Promise.withResolvers<void>();
  #socket: Socket | undefined;
  #received: Buffer = NOTHING;
  #head: string | undefined;
  #bodyStart = 0;
  #end = 0;

  constructor(port: number, exchanges: Exchanges) {
    this.#port = port;
    this.#exchanges = exchanges;
  }

  /** Resolves when there is no next request. */
  run(): Promise<void> {
    this.#open();
    return this.#ended.promise;
  }

  #open(): void {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    socket.on('connect', () => this.#send());
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => {
      if (socket === this.#socket) this.#fail(new Error('the connection was closed unanswered'));
    });
  }

  #send(): void {
    const request = this.#exchanges.next();
    if (request === undefined) this.#finish();
    else this.#socket?.write(request);
  }

  #finish(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
    this.#ended.resolve();
  }

  #fail(error: Error): void {
    if (this.#socket === undefined) return;
    this.#exchanges.failed(error);
    this.#finish();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    if (this.#head === undefined && !this.#readHead()) return;
    if (this.#received.length < this.#end) return;
    const head = this.#head ?? '';
    const body = this.#received.subarray(this.#bodyStart, this.#end);
    this.#received = NOTHING;
    this.#head = undefined;
    this.#exchanges.answered({ status: Number(head.slice(9, 12)), head, body });
    if (/\r\nconnection: close/i.test(head)) this.#reconnect();
    else this.#send();
  }

  #readHead(): boolean {
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return false;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`an answer without Content-Length:\n${head}`));
      return false;
    }
    this.#head = head;
    this.#bodyStart = headEnd + HEAD_END.length;
    this.#end = this.#bodyStart + Number(length);
    return true;
  }

  #reconnect(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
    this.#open();
  }
}
