/** A transport that is made by the first webhook: a process that sends none does without its HTTP client. */
import type { Answer, Post, Transport, TransportOptions } from './transport.ts';

export class LazyTransport {
  readonly #options: TransportOptions;
  #transport: Promise<Transport> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  async post(given: Post): Promise<Answer> {
    this.#transport ??= this.#make();
    return (await this.#transport).post(given);
  }

  close(): void {
    void this.#transport?.then((transport) => transport.close());
  }

  async #make(): Promise<Transport> {
    const { Transport } = await import('./transport.ts');
    return new Transport(this.#options);
  }
}
