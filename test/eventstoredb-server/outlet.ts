// The sending side of a read: keeps to the pace of the reader, and fails as its fault says.
import { setImmediate } from 'node:timers/promises';
import type { StatusObject } from '@grpc/grpc-js';
import { withStructuredId } from './event-message.ts';
import type { Fault, Faults } from './faults.ts';
import type { LogEvent } from './log.ts';
import { shuttingDown, slowConsumer } from './refusals.ts';

/** What is sent, in this order: events, and messages about them. */
export type Sent = LogEvent | Buffer;

/** The part of a gRPC call that sending needs. */
export interface SendingCall {
  write(message: Buffer): boolean;
  end(): void;
  emit(event: 'error', refusal: StatusObject): boolean;
  on(event: 'cancelled' | 'drain', listener: () => void): unknown;
}

export class Outlet {
  readonly #call: SendingCall;
  readonly #faults: Faults;
  readonly #dropConnection: () => void;
  readonly #structuredIds: boolean;
  readonly #twice: boolean;
  #cut: Extract<Fault, { kind: 'cut' }> | undefined;
  #eventsSent = 0;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(options: {
    readonly call: SendingCall;
    readonly structuredIds: boolean;
    readonly fault: Fault | undefined;
    readonly faults: Faults;
    readonly dropConnection: () => void;
  }) {
    this.#call = options.call;
    this.#faults = options.faults;
    this.#dropConnection = options.dropConnection;
    this.#structuredIds = options.structuredIds;
    this.#twice = options.fault?.kind === 'duplicate';
    this.#cut = options.fault?.kind === 'cut' ? options.fault : undefined;
    // A call whose client disconnected is cancelled: waiters must check again.
    this.#call.on('cancelled', () => this.#close());
    this.#call.on('drain', () => this.#wake?.());
  }

  /** Whether nothing more can be sent. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Whether all of it went out; false once the call has ended in any way. */
  async send(sent: Iterable<Sent>): Promise<boolean> {
    for (const one of sent) {
      if (this.#cut !== undefined && !(await this.#passesCut(one))) return false;
      if (this.#closed) return false;
      if (!this.#write(one)) await this.wait(() => undefined);
    }
    return !this.#closed;
  }

  /** Waits until what `subscribe` is given is called, the reader has caught up, or the call ends. */
  wait(subscribe: (wake: () => void) => unknown): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      subscribe(resolve);
      if (this.#closed) resolve();
    });
  }

  fail(refusal: StatusObject): void {
    if (this.#closed) return;
    this.#close();
    this.#call.emit('error', refusal);
  }

  end(): void {
    if (this.#closed) return;
    this.#close();
    this.#call.end();
  }

  #write(sent: Sent): boolean {
    if (Buffer.isBuffer(sent)) return this.#call.write(sent);
    const message = this.#structuredIds ? withStructuredId(sent.message) : sent.message;
    this.#eventsSent += 1;
    if (this.#twice) this.#call.write(message);
    return this.#call.write(message);
  }

  /** Whether the cut lets this through, perhaps after a stall. */
  async #passesCut(sent: Sent): Promise<boolean> {
    const cut = this.#cut;
    if (cut === undefined || Buffer.isBuffer(sent) || this.#eventsSent < cut.afterEvents) {
      return true;
    }
    this.#cut = undefined;
    switch (cut.how) {
      case 'drop':
        // What was sent before leaves the process first, so that the reader has all of it.
        await setImmediate();
        await setImmediate();
        this.#close();
        this.#dropConnection();
        return false;
      case 'stall':
        await this.wait((wake) => this.#faults.stall().then(wake));
        return true;
      case 'slowConsumer':
        this.fail(slowConsumer());
        return false;
      case 'cancel':
        this.fail(shuttingDown());
        return false;
    }
  }

  #close(): void {
    this.#closed = true;
    this.#wake?.();
  }
}
