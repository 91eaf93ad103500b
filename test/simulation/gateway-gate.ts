/** Stands between a host and the protocol server of Stripe: holds calls, so that the host dies in the middle of them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Point {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** Whether the server has done what it was asked. */
  readonly when: 'before' | 'after';
}

interface Hold {
  readonly points: readonly Point[];
  /** Without a call that is held. */
  readonly left: Set<Point>;
  readonly met: () => void;
}

/** Of the connection, and of no use to whom it is passed on to. */
const HOP_HEADERS = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'];
const TO_HOST = '/v1/gateways/';

export class Gate {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #urls: { readonly stripe: string; readonly host: () => string };
  #hold: Hold | undefined;

  /** What is for the host goes to where it is by then. */
  constructor(urls: { readonly stripe: string; readonly host: () => string }) {
    this.#urls = urls;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves once a call is held at each of these points; later ones there are held too, until `release`. */
  holding(points: readonly Point[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hold = { points, left: new Set(points), met: resolve };
    return promise;
  }

  release(): void {
    this.#hold = undefined;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const point = this.#take(request);
    // A held call is never answered: its host is killed.
    if (point?.when === 'before') return this.#keep(point);
    const answer = await this.#passedOn(request, body);
    if (point !== undefined) return this.#keep(point);
    if (answer === undefined) return void response.writeHead(502).end();
    const headers = Object.fromEntries(
      [...answer.headers].filter(([name]) => !HOP_HEADERS.includes(name)),
    );
    response.writeHead(answer.status, headers).end(answer.bytes);
  }

  #take({ method, url = '' }: IncomingMessage): Point | undefined {
    const [path = ''] = url.split('?');
    const points = this.#hold?.points ?? [];
    return points.find((each) => each.method === method && each.path.test(path));
  }

  #keep(point: Point): void {
    this.#hold?.left.delete(point);
    if (this.#hold?.left.size === 0) this.#hold.met();
  }

  async #passedOn({ method = '', url = '', headers }: IncomingMessage, body: Buffer<ArrayBuffer>) {
    const base = url.startsWith(TO_HOST) ? this.#urls.host() : this.#urls.stripe;
    const kept = Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name));
    try {
      const answer = await fetch(base + url, {
        method,
        headers: kept.map(([name, value]) => [name, String(value)]),
        ...(method !== 'GET' && { body }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, headers: answer.headers, bytes };
    } catch {
      return undefined;
    }
  }
}
