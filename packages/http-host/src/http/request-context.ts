/** The state of one request, and the context of its handler. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type KeyRecord, subjectText, uuidV7 } from '@counterfoil/engine';
import { holdsCardNumber } from '@counterfoil/engine/gateways';
import type { Logger } from 'pino';
import { preferredType } from './accept.ts';
import type { CallerHeaders } from './caller-headers.ts';
import type { Endpoint, Principal, RequestContext } from './endpoint.ts';
import type { Refusal } from './errors.ts';
import type { RequestHead } from './request-head.ts';
import type { Upload } from './upload.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Version 00 of W3C Trace Context; all zeros are invalid ids, ff an invalid version. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The caller's request id if usable, else a new UUIDv7. An id that contains a card number is
 * replaced, not refused: a refusal needs an id too, and is logged with it.
 */
export function requestIdOf(sent: string | undefined): string {
  return sent !== undefined && REQUEST_ID.test(sent) && !holdsCardNumber(sent) ? sent : uuidV7();
}

/**
 * The traceparent if valid and without a card number: an invalid one is dropped, not repaired (W3C
 * Trace Context 4.3).
 */
export function traceparentOf(sent: string | undefined): string | undefined {
  return sent !== undefined && TRACEPARENT.test(sent) && !holdsCardNumber(sent) ? sent : undefined;
}

/** Entity tags as handlers know them: those of compressed responses end with the coding. */
function withoutCoding(tags: string | undefined): string | undefined {
  return tags?.replaceAll(/-(?:br|gzip)"/g, '"');
}

interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  readonly callerHeaders: CallerHeaders;
  readonly expects: 'none' | 'continue' | 'unknown';
  readonly logger: Logger;
}

/**
 * The state of one request. Handlers see it as a RequestContext; the server stores here what the
 * response needs. One object per request; costly members are created on first use.
 */
export class Exchange implements RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: RequestHead;
  readonly callerHeaders: CallerHeaders;
  readonly requestId: string;
  /** Of `performance.now()`: the wall clock may change during a request. */
  readonly startedAtMs: number;

  endpoint: Endpoint | undefined;
  /** Of the endpoint, or of one that takes the path with another method. */
  refusalPage: Endpoint['refusalPage'];
  params: Record<string, string | undefined> | undefined;
  queryText = '';
  idempotencyKey: string | undefined;
  /** The key of the request, once it is known: before anything that it may not do is refused. */
  requester: Pick<KeyRecord, 'tenantId' | 'environment' | 'keyId'> | undefined;
  /** What the request is about, once that is known. */
  subject: string | undefined;
  /** Set once its activity is being recorded. */
  recording: Promise<void> | undefined;
  /** RateLimit headers of an authenticated request, names and values alternating. */
  rateHeaders: readonly string[] | undefined;
  /** Of the Expect header: the client waits for `100 Continue`, or sent another expectation. */
  expects: 'none' | 'continue' | 'unknown';
  /** The connection cannot be used for another request. */
  mustClose = false;
  /** Set while the body is being read. */
  failBody: ((reason: Refusal) => void) | undefined;
  /** Set while the handler of an endpoint with `upload` runs. */
  upload: Upload | undefined;
  /** Why the rest of the request cannot arrive. */
  broken: Refusal | undefined;

  #principal: Principal | undefined;
  #abort: AbortController | undefined;
  #aborted = false;
  #logger: Logger | undefined;
  readonly #parentLogger: Logger;

  constructor({ request, response, head, callerHeaders, expects, logger }: ExchangeParts) {
    this.request = request;
    this.response = response;
    this.head = head;
    this.callerHeaders = callerHeaders;
    this.expects = expects;
    this.requestId = requestIdOf(head.requestId);
    this.startedAtMs = performance.now();
    this.#parentLogger = logger;
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.head.traceparent);
  }

  get remoteAddress(): string | undefined {
    return this.request.socket.remoteAddress;
  }

  get host(): string | undefined {
    return this.head.host;
  }

  noteSubject(id: unknown): void {
    this.subject = subjectText(id) ?? this.subject;
  }

  get ifMatch(): string | undefined {
    return withoutCoding(this.head.ifMatch);
  }

  get ifNoneMatch(): string | undefined {
    return withoutCoding(this.head.ifNoneMatch);
  }

  get origin(): string | undefined {
    return this.head.origin;
  }

  get cookie(): string | undefined {
    return this.request.headers.cookie;
  }

  get userAgent(): string | undefined {
    return this.request.headers['user-agent'];
  }

  content(): AsyncIterable<Uint8Array> {
    if (this.upload === undefined) throw new Error('the endpoint takes no upload');
    return this.upload.read();
  }

  accepted<Type extends string>(types: readonly Type[]): Type | undefined {
    return preferredType(this.head.accept, types);
  }

  get principal(): Principal {
    if (this.#principal === undefined) throw new Error('a public endpoint has no principal');
    return this.#principal;
  }

  set principal(principal: Principal) {
    this.#principal = principal;
  }

  /** The principal if known already; for the log line. */
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
      // 'close' without 'finish' before it: the caller disconnected before the response.
      this.response.once('close', () => {
        if (!this.response.writableFinished) this.abort();
      });
      if (this.#aborted || this.response.destroyed) this.abort();
    }
    return this.#abort.signal;
  }

  /** Signals the handler that its response is no longer needed. */
  abort(): void {
    this.#aborted = true;
    this.#abort?.abort();
  }

  /**
   * Nothing more can be read from this connection. An incomplete body gets this refusal; otherwise
   * the request is answered normally, as the last one.
   */
  breakOff(reason: Refusal): void {
    this.mustClose = true;
    if (this.request.complete || this.broken !== undefined) return;
    this.broken = reason;
    this.failBody?.(reason);
  }
}
