/** A way to a server that can be cut: before what is sent arrives, or before the answer comes back. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type Way = 'open' | 'cut' | 'answers-cut' | 'stalled';

export class Cuttable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: URL;
  #way: Way = 'open';
  #lost = 0;

  /** Stands before the server of a URL until the end of the test. */
  static async before(url: string): Promise<Cuttable> {
    const cuttable = new Cuttable(new URL(url));
    cuttable.#server.listen(0, '127.0.0.1');
    await once(cuttable.#server, 'listening');
    onTestFinished(() => cuttable.#close());
    return cuttable;
  }

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((socket) => this.#join(socket));
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${address.port}`;
    return url.href;
  }

  /** Bytes that did not get through. */
  get lost(): number {
    return this.#lost;
  }

  /** `cut` ends all connections and refuses new ones; `answers-cut` lets requests through, `stalled` nothing. */
  set way(way: Way) {
    this.#way = way;
    if (way !== 'cut') return;
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket): void {
    if (this.#way === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(Number(this.#target.port || 5432), this.#target.hostname);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        (socket === near ? far : near).destroy();
      });
    }
    near.on('data', (chunk) => {
      if (this.#way === 'stalled') this.#lost += chunk.length;
      else far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (this.#way === 'open') near.write(chunk);
      else this.#lost += chunk.length;
    });
  }

  async #close(): Promise<void> {
    this.way = 'cut';
    this.#server.close();
    await once(this.#server, 'close');
  }
}
