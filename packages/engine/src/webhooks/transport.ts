/** Posts webhooks: to checked addresses only, without redirects, bounded in time and size. */
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { urlFault } from './addresses.ts';
import { checkedLookup, REFUSED_ADDRESS } from './checked-lookup.ts';
import { type Resolve, resolveByDns } from './names.ts';

export const TIMEOUT_MS = 15_000;
/** Read of an answer; what is longer is cut off. */
export const MAX_ANSWER_BYTES = 64 * 1_024;
/** Kept of an answer. */
export const KEPT_ANSWER_BYTES = 4 * 1_024;
const IDLE_MS = 30_000;
/** What is before it says that an answer follows. */
const FIRST_FINAL_STATUS = 200;
/** URLs that are remembered as read. */
const MAX_TARGETS = 1_000;

export type SendFault =
  | 'url_refused'
  | 'address_refused'
  | 'name_not_resolved'
  | 'connection_refused'
  | 'certificate_refused'
  | 'connection_failed'
  | 'timeout'
  | 'stopped';

/** `status` is null where none was received; then `fault` says why. */
export interface Answer {
  readonly status: number | null;
  readonly fault: SendFault | null;
  /** The first bytes, as text. */
  readonly text: string;
  readonly retryAfter: string | undefined;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

export interface TransportOptions {
  readonly loopback: boolean;
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

/** Where a URL leads. */
interface Target {
  readonly origin: string;
  readonly path: string;
}

export class Transport {
  readonly #loopback: boolean;
  readonly #timeoutMs: number;
  readonly #agent: Agent;
  readonly #targets = new Map<string, Target>();

  constructor({ loopback, resolve = resolveByDns, timeoutMs = TIMEOUT_MS }: TransportOptions) {
    this.#loopback = loopback;
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      maxResponseSize: MAX_ANSWER_BYTES,
      // An exchange is bounded as a whole.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connectorOf(checkedLookup(resolve, { loopback }), timeoutMs),
    });
  }

  /** Never rejects. */
  async post(given: Post): Promise<Answer> {
    const target = this.#targetOf(given.url);
    if (target === undefined) return failed('url_refused');
    const first = await this.#once(target, given);
    // The receiver had closed a connection that was kept from before.
    const answer = first === 'stale' ? await this.#once(target, given) : first;
    return answer === 'stale' ? failed('connection_failed') : answer;
  }

  close(): void {
    void this.#agent.destroy();
  }

  /** Undefined where nothing may be sent: of an address in the URL there is no look-up. */
  #targetOf(url: string): Target | undefined {
    let target = this.#targets.get(url);
    if (target === undefined) {
      // The endpoint may be older than the setting.
      if (urlFault(url, { loopback: this.#loopback }) !== undefined) return undefined;
      const { origin, pathname, search } = new URL(url);
      target = { origin, path: pathname + search };
      if (this.#targets.size >= MAX_TARGETS) this.#targets.clear();
      this.#targets.set(url, target);
    }
    return target;
  }

  #once(target: Target, { headers, body, signal }: Post): Promise<Answer | 'stale'> {
    if (signal.aborted) return Promise.resolve(failed('stopped'));
    const exchange = new Exchange();
    const stop = () => exchange.end('stopped');
    signal.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(() => exchange.end('timeout'), this.#timeoutMs);
    this.#agent.dispatch({ ...target, method: 'POST', headers, body }, exchange);
    return exchange.ended.finally(() => {
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
    });
  }
}

/** A request, and what of its answer is kept. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly ended: Promise<Answer | 'stale'>;
  readonly #settle: (answer: Answer | 'stale') => void;
  #controller: Dispatcher.DispatchController | undefined;
  #hasEnded = false;
  #begun: { readonly status: number; readonly retryAfter: string | undefined } | undefined;
  readonly #text: Buffer[] = [];
  #bytes = 0;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Answer | 'stale'>();
    this.ended = promise;
    this.#settle = resolve;
  }

  /** An answer that has begun is one. */
  end(fault: SendFault | 'stale'): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#begun !== undefined) this.#settle(answered(this.#begun, this.#text));
    else this.#settle(fault === 'stale' ? fault : failed(fault));
    this.#controller?.abort(new Error(fault));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#hasEnded) controller.abort(new Error('it has ended'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < FIRST_FINAL_STATUS) return;
    this.#begun = { status, retryAfter: [headers['retry-after']].flat()[0] };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < KEPT_ANSWER_BYTES) {
      this.#text.push(Buffer.from(chunk.subarray(0, KEPT_ANSWER_BYTES - this.#bytes)));
    }
    this.#bytes += chunk.length;
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    const answer = this.#begun && answered(this.#begun, this.#text);
    // A turn later its connection is free, and what is sent next uses that.
    queueMicrotask(() => setImmediate(this.#settle, answer ?? failed('connection_failed')));
  }

  onResponseError(_: unknown, error: Error): void {
    this.end(isStale(error) ? 'stale' : faultOf(error));
  }
}

/** An error of a connection says whether that had been used before. */
function connectorOf(lookup: LookupFunction, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ allowH2: false, lookup, timeout: timeoutMs });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      socket.on('error', (failure: Reused) => {
        failure.isReused = socket.bytesRead > 0;
      });
      callback(null, socket);
    });
}

interface Reused extends Error {
  isReused?: boolean;
}

/** Closed, or reset, by a receiver that has answered on it before. */
function isStale(error: Error & { readonly code?: string }): boolean {
  if (error instanceof errors.SocketError) return (error.socket?.bytesRead ?? 0) > 0;
  return error.code === 'ECONNRESET' && (error as Reused).isReused === true;
}

function answered(
  { status, retryAfter }: Pick<Answer, 'retryAfter'> & { readonly status: number },
  text: readonly Buffer[],
): Answer {
  return {
    status,
    fault: null,
    // PostgreSQL takes no NUL in a text.
    text: Buffer.concat(text).toString('utf8').replaceAll('\0', '\uFFFD'),
    retryAfter,
  };
}

function failed(fault: SendFault): Answer {
  return { status: null, fault, text: '', retryAfter: undefined };
}

const OF_NAMES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'ETIMEOUT',
  'EREFUSED',
  'EBADNAME',
  'EBADRESP',
]);

function faultOf({ code = '' }: NodeJS.ErrnoException): SendFault {
  if (code === REFUSED_ADDRESS) return 'address_refused';
  if (OF_NAMES.has(code)) return 'name_not_resolved';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (/CERT|TLS|SSL|ALTNAME|ISSUER|SIGNATURE/.test(code)) return 'certificate_refused';
  return 'connection_failed';
}
