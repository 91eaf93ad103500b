/** The HTTP server: node:http with explicit limits, responses, and graceful shutdown. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ActivityLog, type KeyDirectory, untraced, uuidV7 } from '@counterfoil/engine';
import type { Logger } from 'pino';
import { type Answer, headersOf, rawAnswer } from './answer.ts';
import type { UserDirectory } from './authenticate.ts';
import { CallerHeaders } from './caller-headers.ts';
import { Compression } from './compression.ts';
import type { Endpoint } from './endpoint.ts';
import { type ErrorCode, type Refusal, refuse } from './errors.ts';
import type { Readiness } from './health.ts';
import type { Idempotency } from './idempotency.ts';
import { logRequest, requestLoggerOf } from './logging.ts';
import type { Metrics } from './metrics.ts';
import { createServer, STATUS_CODES } from './node-http.ts';
import { Overload } from './overload.ts';
import { type OperatorDirectory, Pipeline } from './pipeline.ts';
import type { RateLimits } from './rate-limit.ts';
import { Exchange } from './request-context.ts';
import { announcesBody, readHead } from './request-head.ts';
import { EndpointRouter, type Section } from './router.ts';
import { tracedRequest } from './tracing.ts';

export interface HttpLimits {
  /** Limit for the head of a request. */
  readonly headersTimeoutMs: number;
  /** Limit for the whole request. */
  readonly requestTimeoutMs: number;
  /** Idle time of a keep-alive connection; longer than the load balancer's, which must close first. */
  readonly keepAliveTimeoutMs: number;
  /** A connection without traffic for this long is dropped, also during a slow response. */
  readonly socketTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  readonly maxRequestsPerSocket: number;
  readonly maxConnections: number;
  /** Requests in flight; one more is refused at once. */
  readonly maxInFlight: number;
  /** A request that has waited longer for the event loop is refused at once. */
  readonly maxLoopDelayMs: number;
  /** How long a shutdown waits for requests in flight. */
  readonly shutdownGraceMs: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  socketTimeoutMs: 120_000,
  maxHeaderBytes: 16 * 1_024,
  maxBodyBytes: 1_024 * 1_024,
  maxRequestsPerSocket: 10_000,
  maxConnections: 10_000,
  maxInFlight: 1_000,
  maxLoopDelayMs: 1_000,
  shutdownGraceMs: 15_000,
};

/** A request that was refused before its body may send this much more. */
const LINGER_BYTES = 4 * 1_024 * 1_024;
const LINGER_MS = 2_000;

/** How often node checks timeouts: at least four times within the shortest. */
const CHECKS_PER_TIMEOUT = 4;

const MS_PER_SECOND = 1_000;

const FIGURES = {
  inFlight: ['http_requests_in_flight', 'Requests being answered'],
  connections: ['http_connections', 'Open connections, idle ones included'],
} as const;

const NOBODY: UserDirectory = { known: async () => undefined };

export interface HttpServerOptions {
  readonly endpoints: readonly Endpoint[];
  /** Default: none. */
  readonly sections?: readonly Section[];
  readonly keys: KeyDirectory;
  /** For tenants that require it. Default: nobody is known. */
  readonly users?: UserDirectory;
  readonly rateLimits: RateLimits;
  readonly idempotency: Idempotency;
  /** Where requests are recorded. Default: none is. */
  readonly activity?: ActivityLog | undefined;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly limits?: Partial<HttpLimits>;
  /** The clock for key expiry, in milliseconds since the epoch. Default: the system's. */
  readonly now?: () => number;
  /** Maps expected failures below the HTTP layer. Default: every failure is unexpected. */
  readonly refusalOf?: (error: unknown) => Refusal | undefined;
  /** Requests are the operator's, and need no key: never for a server that listens on an address. */
  readonly operator?: OperatorDirectory;
}

/** The state of an open connection. */
interface Connection {
  /** Requests begun so far. */
  requests: number;
  /** The latest request. */
  last: Exchange | undefined;
  readonly callerHeaders: CallerHeaders;
}

/** Whether every request in flight was answered within the grace period. */
export interface CloseReport {
  readonly drained: boolean;
}

export class HttpServer {
  readonly #server: Server;
  readonly #pipeline: Pipeline;
  readonly #limits: HttpLimits;
  readonly #readiness: Readiness;
  readonly #metrics: Metrics;
  readonly #logger: Logger;
  readonly #requestLogger: Logger;
  readonly #active = new Set<Exchange>();
  readonly #overload: Overload;
  readonly #compression = new Compression();
  readonly #connections = new Map<Socket, Connection>();
  readonly #isOfOperator: boolean;
  #closing: Promise<CloseReport> | undefined;

  constructor(options: HttpServerOptions) {
    const { endpoints, keys, rateLimits, idempotency, readiness, metrics, logger } = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#readiness = readiness;
    this.#metrics = metrics;
    this.#logger = logger;
    this.#requestLogger = requestLoggerOf(logger);
    this.#isOfOperator = options.operator !== undefined;
    const { maxBodyBytes } = this.#limits;
    this.#overload = new Overload(this.#limits);
    this.#pipeline = new Pipeline({
      router: new EndpointRouter(endpoints, options.sections),
      keys,
      users: options.users ?? NOBODY,
      rateLimits,
      idempotency,
      activity: options.activity,
      maxBodyBytes,
      now: options.now ?? Date.now,
      refusalOf: options.refusalOf ?? (() => undefined),
      isOverloaded: ({ startedAtMs }) => this.#overload.isTooMuch(startedAtMs),
      operator: options.operator,
    });
    const { inFlight, connections } = FIGURES;
    metrics.gauge(...inFlight, () => this.#overload.inFlight);
    metrics.gauge(...connections, () => this.#connections.size);
    this.#server = this.#createServer();
  }

  /**
   * Starts to accept connections; resolves with the base URL (port 0 takes a free port). Not for a
   * server of the operator.
   */
  async listen({ port, host }: { readonly port: number; readonly host: string }): Promise<string> {
    if (this.#isOfOperator) throw new Error('the server of the operator has no address');
    await this.#listening({ port, host });
    const { port: bound } = this.#server.address() as AddressInfo;
    return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
  }

  /** Starts to accept connections on a Unix socket; who may open it is for its file to say. */
  async listenOn(path: string): Promise<void> {
    await this.#listening({ path });
  }

  /** The client's end of a connection within this process. */
  connect(): Duplex {
    const [ours, theirs] = duplexPair();
    this.#server.emit('connection', ours);
    return theirs;
  }

  async #listening(where: ListenOptions): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    // Bursts of connections wait in the kernel's backlog, within its own limit.
    const listening = { ...where, backlog: this.#limits.maxConnections };
    untraced(() => this.#server.listen(listening, resolve));
    await promise;
    this.#server.off('error', reject);
  }

  /**
   * Graceful shutdown: not ready, no new connections, idle ones closed, requests in flight answered
   * (with `Connection: close`) within the grace period, the rest cut off.
   */
  close(): Promise<CloseReport> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<CloseReport> {
    this.#readiness.drain();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    let drained = true;
    // Also closes idle keep-alive connections, but not those that sent no request yet.
    this.#server.close(() => resolve());
    for (const socket of this.#connections.keys()) {
      if (socket.bytesRead === 0) socket.destroy();
    }
    const graceEnd = setTimeout(() => {
      drained = this.#active.size === 0;
      for (const exchange of this.#active) exchange.abort();
      this.#server.closeAllConnections();
    }, this.#limits.shutdownGraceMs);
    await closed;
    clearTimeout(graceEnd);
    return { drained };
  }

  #createServer(): Server {
    const limits = this.#limits;
    const { headersTimeoutMs, requestTimeoutMs } = limits;
    const server = createServer({
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval:
        Math.min(headersTimeoutMs, requestTimeoutMs) / CHECKS_PER_TIMEOUT,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      insecureHTTPParser: false,
      // Refused by our own code, so that the error has our format.
      requireHostHeader: false,
      noDelay: true,
      // A request without a body has no events of a stream.
      optimizeEmptyRequests: true,
    });
    server.maxConnections = limits.maxConnections;
    server.timeout = limits.socketTimeoutMs;
    // A limit would hide headers beyond it, duplicates among them; their total size is bounded.
    server.maxHeadersCount = 0;
    server.on('connection', (socket) => {
      this.#connections.set(socket, {
        requests: 0,
        last: undefined,
        callerHeaders: new CallerHeaders(),
      });
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.on('request', (request, response) => this.#begin(request, response, 'none'));
    server.on('checkContinue', (request, response) => this.#begin(request, response, 'continue'));
    server.on('checkExpectation', (request, response) => this.#begin(request, response, 'unknown'));
    server.on('clientError', (error, socket) => this.#onClientError(error, socket as Socket));
    // CONNECT is not supported; without a listener node closes the socket without a response.
    server.on('connect', (_request, socket) =>
      this.#breakOff(refuse('route_not_found'), socket as Socket),
    );
    return server;
  }

  /**
   * Begins to answer a request, unless an earlier one is the last of its connection: later requests
   * must be ignored (RFC 9112, section 9.6).
   */
  #begin(request: IncomingMessage, response: ServerResponse, expects: Exchange['expects']): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || connection.last?.mustClose === true) return;
    const head = readHead(request.rawHeaders);
    const logger = this.#logger;
    const { callerHeaders } = connection;
    const exchange = new Exchange({ request, response, head, callerHeaders, expects, logger });
    connection.requests += 1;
    connection.last = exchange;
    // Counted here: beyond its own limit node responds with a bare 503.
    if (connection.requests >= this.#limits.maxRequestsPerSocket) exchange.mustClose = true;
    this.#active.add(exchange);
    this.#overload.begin(exchange.startedAtMs);
    void this.#answer(exchange);
  }

  async #answer(exchange: Exchange): Promise<void> {
    try {
      await tracedRequest(exchange, () => this.#respond(exchange));
    } catch (error) {
      // For example invalid headers: this connection cannot send another response.
      exchange.logger.error({ err: error }, 'an answer could not be sent');
      exchange.response.destroy();
    } finally {
      this.#active.delete(exchange);
      this.#overload.end();
    }
  }

  async #respond(exchange: Exchange): Promise<Answer> {
    const answer = await this.#pipeline.answer(exchange);
    const encoded = this.#compression.encoded(exchange, answer);
    const sent = this.#send(exchange, encoded instanceof Promise ? await encoded : encoded);
    if (sent !== undefined) await sent;
    return answer;
  }

  /** A promise for an answer that is sent as it is made. */
  #send(exchange: Exchange, answer: Answer): Promise<void> | undefined {
    const { request, response, head, endpoint, startedAtMs } = exchange;
    const isUnread = announcesBody(head) && !request.complete;
    if (isUnread && !this.#isWorthDraining(exchange)) exchange.mustClose = true;
    if (this.#closing !== undefined && this.#isLast(exchange)) exchange.mustClose = true;
    response.writeHead(answer.status, headersOf(exchange, answer));
    if (isUnread && exchange.mustClose && exchange.broken === undefined) {
      this.#endAfterRest(exchange, answer);
    } else if (answer.chunks === undefined) {
      response.end(answer.body);
    }
    const seconds = (performance.now() - startedAtMs) / MS_PER_SECOND;
    const method = request.method ?? '';
    this.#metrics.observeRequest({ method, route: endpoint?.path, status: answer.status }, seconds);
    logRequest(this.#requestLogger, exchange, answer.status);
    return answer.chunks && sendChunks(answer.chunks, response);
  }

  /** Whether this is the latest request of the connection. */
  #isLast(exchange: Exchange): boolean {
    return this.#connections.get(exchange.request.socket)?.last === exchange;
  }

  /** Whether the unread rest of the body is small enough to keep the connection. */
  #isWorthDraining({ head, expects, broken }: Exchange): boolean {
    if (broken !== undefined || expects !== 'none') return false;
    return Number(head.contentLength) <= this.#limits.maxBodyBytes;
  }

  /**
   * Responds at once, but closes only after reading on for a while: closing with unread data resets
   * the connection, and a client that is still sending would lose the response.
   */
  #endAfterRest({ request, response }: Exchange, answer: Answer): void {
    let left = LINGER_BYTES;
    const end = () => {
      clearTimeout(timeout);
      response.end();
    };
    const timeout = setTimeout(end, LINGER_MS);
    response.write(answer.body);
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left <= 0) end();
    });
    request.on('end', end).on('close', end);
    request.resume();
  }

  /** The parser failed on a connection, or a timeout passed. */
  #onClientError(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    this.#breakOff(refuse(PARSER_ERRORS[error.code ?? ''] ?? 'malformed_request'), socket);
  }

  /** Closes a connection that cannot carry another request, with this refusal. */
  #breakOff(refusal: Refusal, socket: Socket): void {
    // The response has been sent; further input is ignored.
    if (!socket.writable) return;
    const open = [...this.#active].filter(({ request }) => request.socket === socket);
    const last = open.at(-1);
    if (last !== undefined) {
      // Earlier pipelined requests are answered in order, then the broken one; then the connection
      // closes.
      last.breakOff(refusal);
      return;
    }
    const requestId = uuidV7();
    socket.end(rawAnswer(refusal, requestId, STATUS_CODES[refusal.status] ?? ''));
    const timeout = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timeout));
    this.#logger.info({ requestId, status: refusal.status, code: refusal.code }, 'bad request');
  }
}

/** A failure breaks the connection off: a part must not be taken for the whole. */
async function sendChunks(chunks: AsyncIterable<string>, response: ServerResponse): Promise<void> {
  try {
    await pipeline(chunks, response);
  } catch (error) {
    const isCallerGone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isCallerGone) throw error;
  }
}

/** Maps node's connection errors to codes. All others are malformed requests. */
const PARSER_ERRORS: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
};
