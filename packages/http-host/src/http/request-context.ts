/** One request while it is being answered: its identity, and what its handler may ask for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { uuidV7 } from '@counterfoil/engine';
import { holdsCardNumber } from '@counterfoil/engine/gateways';
import type { Logger } from 'pino';
import type { Endpoint, Principal, RequestContext } from './endpoint.ts';
import type { Refusal } from './errors.ts';
import type { RequestHead } from './request-head.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Version 00 of W3C Trace Context; all zeros are invalid ids, ff an invalid version. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The caller's request id if it is a usable one, else a new UUIDv7. One that holds a card number is
 * not usable. It is replaced rather than refused: a refusal needs an id as well, and is logged with it.
 */
export function requestIdOf(sent: string | undefined): string {
  return sent !== undefined && REQUEST_ID.test(sent) && !holdsCardNumber(sent) ? sent : uuidV7();
}

/**
 * The traceparent if it is a valid one without a card number: a bad one is dropped, not repaired (W3C
 * Trace Context 4.3).
 */
export function traceparentOf(sent: string | undefined): string | undefined {
  return sent !== undefined && TRACEPARENT.test(sent) && !holdsCardNumber(sent) ? sent : undefined;
}

interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  readonly expects: 'none' | 'continue' | 'unknown';
  readonly logger: Logger;
}

/**
 * The life of one request. Handlers see it as a RequestContext; the server keeps in it what the
 * answer will need. One object a request, and nothing costly made in it before somebody asks.
 */
export class Exchange implements RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  readonly requestId: string;
  /** Of `performance.now()`: the wall clock may be set while a request is under way. */
  readonly startedAtMs: number;

  endpoint: Endpoint | undefined;
  params: Record<string, string | undefined> | undefined;
  queryText = '';
  idempotencyKey: string | undefined;
  /** RateLimit headers of an authenticated request, name and value in turn. */
  rateHeaders: readonly string[] | undefined;
  /** Of the Expect header: the client waits for `100 Continue`, or for something unknown. */
  expects: 'none' | 'continue' | 'unknown';
  /** The connection cannot be used for another request. */
  mustClose = false;
  /** Set while the body is being read. */
  failBody: ((reason: Refusal) => void) | undefined;
  /** Why the rest of the request will never come. */
  broken: Refusal | undefined;

  #principal: Principal | undefined;
  #abort: AbortController | undefined;
  #aborted = false;
  #logger: Logger | undefined;
  readonly #parentLogger: Logger;

  constructor({ request, response, head, expects, logger }: ExchangeParts) {
    this.request = request;
    this.response = response;
    this.head = head;
    this.expects = expects;
    this.requestId = requestIdOf(head.requestId);
    this.startedAtMs = performance.now();
    this.#parentLogger = logger;
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.head.traceparent);
  }

  get ifMatch(): string | undefined {
    return this.head.ifMatch;
  }

  get ifNoneMatch(): string | undefined {
    return this.head.ifNoneMatch;
  }

  get acceptEncoding(): string | undefined {
    return this.head.acceptEncoding;
  }

  get principal(): Principal {
    if (this.#principal === undefined) throw new Error('a public endpoint has no principal');
    return this.#principal;
  }

  set principal(principal: Principal) {
    this.#principal = principal;
  }

  /** The principal as far as one is known yet; for the log line. */
  get knownPrincipal(): Principal | undefined {
    return this.#principal;
  }

  get logger(): Logger {
    this.#logger ??= this.#parentLogger.child({ requestId: this.requestId });
    return this.#logger;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // 'close' without 'finish' before it: the caller did not wait for the answer.
      this.response.once('close', () => {
        if (!this.response.writableFinished) this.abort();
      });
      if (this.#aborted || this.response.destroyed) this.abort();
    }
    return this.#abort.signal;
  }

  /** Tells the handler that nobody waits for its answer any more. */
  abort(): void {
    this.#aborted = true;
    this.#abort?.abort();
  }

  /**
   * Nothing can be read from this connection any more. If the body was not complete, that is the
   * answer to this request; otherwise it is answered as if nothing had happened, and is the last.
   */
  breakOff(reason: Refusal): void {
    this.mustClose = true;
    if (this.request.complete || this.broken !== undefined) return;
    this.broken = reason;
    this.failBody?.(reason);
  }
}
