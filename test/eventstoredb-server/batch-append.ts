// The protocol's batch append: many appends, each in one or more parts, over one long call.
import type { handleBidiStreamingCall, ServerDuplexStream, StatusObject } from '@grpc/grpc-js';
import { batchBadRequest, batchOutcome, batchTimeout, batchTooLarge } from './append-answers.ts';
import { expectedOf, proposedEventOf, sizeOnDisk } from './append-request.ts';
import type { CallContext } from './call-context.ts';
import type { Fault, Moment, Refusal } from './faults.ts';
import type { Expected, ProposedEvent } from './log.ts';
import { meetFault } from './meet-fault.ts';
import { millisecondsOf, streamIdentifier, streamNameOf, uuidOf } from './messages.ts';
import { refusalOf } from './refusals.ts';
import { Fields, type Message } from './wire.ts';

type Call = ServerDuplexStream<Fields, Buffer>;

interface Pending {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: ProposedEvent[];
  readonly timer: NodeJS.Timeout | undefined;
  size: number;
}

/** The real server gives up a write after so long, whatever the client asks for. */
const WRITE_TIMEOUT_MS = 10_000;

export function batchAppendHandler(context: CallContext): handleBidiStreamingCall<Fields, Buffer> {
  return (call) => {
    const batch = new Batch(context, call);
    call.on('data', (request: Fields) => batch.take(request));
    call.on('end', () => batch.end());
    call.on('cancelled', () => batch.forget());
    // A call that breaks off is answered nothing; it must not end the process.
    call.on('error', () => batch.forget());
  };
}

class Batch {
  readonly #context: CallContext;
  readonly #call: Call;
  readonly #pending = new Map<string, Pending>();
  #unanswered = 0;
  #ended = false;
  #failed = false;

  constructor(context: CallContext, call: Call) {
    this.#context = context;
    this.#call = call;
  }

  take(request: Fields): void {
    const id = uuidOf(request.message(1));
    const options = request.message(2);
    if (options !== undefined && !this.#begin(id, request, options)) return;
    const append = this.#pending.get(id);
    if (append === undefined) return;
    for (const message of request.all(3)) {
      const event = proposedEventOf(new Fields(message));
      if (typeof event === 'string') {
        this.#drop(id);
        this.#answer(request, append.stream, batchBadRequest(`'${event}' is missing.`));
        return;
      }
      append.size += sizeOnDisk(event);
      append.events.push(event);
    }
    if (append.size > this.#context.maxAppendSize) {
      this.#drop(id);
      this.#answer(request, append.stream, batchTooLarge(this.#context.maxAppendSize));
      return;
    }
    if (!request.flag(4)) return;
    this.#drop(id);
    void this.#execute(request, append);
  }

  end(): void {
    this.#ended = true;
    if (this.#unanswered === 0 && !this.#failed) this.#call.end();
  }

  forget(): void {
    for (const id of this.#pending.keys()) this.#drop(id);
  }

  #begin(id: string, request: Fields, options: Fields): boolean {
    const stream = streamNameOf(options.message(1));
    const timeoutMs = timeoutOf(options);
    if (!options.has(1)) {
      this.#answer(request, stream, batchBadRequest('StreamIdentifier is not set.'));
      return false;
    }
    if (timeoutMs <= 0) {
      this.#answer(request, stream, batchTimeout());
      return false;
    }
    this.#pending.set(id, {
      stream,
      expected: expectedOf(options),
      events: [],
      size: 0,
      timer: request.flag(4) ? undefined : this.#timer(id, request, stream, timeoutMs),
    });
    return true;
  }

  /** Gives up on an append whose last part does not come. */
  #timer(id: string, request: Fields, stream: string, timeoutMs: number): NodeJS.Timeout {
    const giveUp = () => {
      if (this.#pending.delete(id)) this.#answer(request, stream, batchTimeout());
    };
    return setTimeout(giveUp, timeoutMs).unref();
  }

  #drop(id: string): void {
    clearTimeout(this.#pending.get(id)?.timer);
    this.#pending.delete(id);
  }

  async #execute(request: Fields, append: Pending): Promise<void> {
    const { faults, log } = this.#context;
    const { stream, expected, events } = append;
    this.#context.count('batchAppend');
    const refusal = this.#context.refusalFor(this.#call.metadata);
    if (refusal !== undefined) return this.#fail(refusal);
    const fault = faults.take('batchAppend', stream);
    this.#unanswered += 1;
    if (fault !== undefined && (await this.#settles(request, stream, fault, 'beforeApply'))) return;
    const response = batchOutcome(log.append(stream, expected, events), expected, stream);
    if (fault !== undefined && (await this.#settles(request, stream, fault, 'afterApply'))) return;
    if (fault?.kind === 'duplicate') this.#answer(request, stream, response);
    this.#unanswered -= 1;
    this.#answer(request, stream, response);
    if (this.#ended) this.end();
  }

  async #settles(request: Fields, stream: string, fault: Fault, moment: Moment): Promise<boolean> {
    const met = await meetFault(this.#context, this.#call.getPeer(), fault, moment);
    if (typeof met === 'object') this.#refuse(request, stream, met.refused);
    return met !== 'goOn';
  }

  /** What has an answer of its own fails one append, anything else the whole call. */
  #refuse(request: Fields, stream: string, reason: Refusal): void {
    this.#unanswered -= 1;
    const { maxAppendSize } = this.#context;
    if (reason === 'appendTooLarge') this.#answer(request, stream, batchTooLarge(maxAppendSize));
    else if (reason === 'commitTimeout') this.#answer(request, stream, batchTimeout());
    else this.#fail(refusalOf(reason, maxAppendSize));
  }

  #fail(refusal: StatusObject): void {
    if (this.#failed) return;
    this.#failed = true;
    this.forget();
    this.#call.emit('error', refusal);
  }

  #answer(request: Fields, stream: string, response: Message): void {
    if (this.#failed || this.#call.cancelled) return;
    response.bytes(1, request.bytes(1)).message(4, streamIdentifier(stream));
    this.#call.write(response.encode());
  }
}

/** Newer clients send how long they wait, older ones until when. */
function timeoutOf(options: Fields): number {
  const duration = options.message(7);
  if (duration !== undefined) return Math.min(millisecondsOf(duration), WRITE_TIMEOUT_MS);
  const until = options.message(6);
  const timeoutMs = until === undefined ? WRITE_TIMEOUT_MS : millisecondsOf(until) - Date.now();
  return Math.min(timeoutMs, WRITE_TIMEOUT_MS);
}
