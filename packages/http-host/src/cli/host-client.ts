/** Requests of commands to a host, over whatever connection reaches it. */
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { request as httpRequest } from '../http/node-http.ts';

const MS_PER_SECOND = 1_000;
const TOO_MANY_REQUESTS = 429;
/** A tenant's limit is for a minute: so often a command waits for the next one. */
const MAX_WAITS = 30;
const LONGEST_WAIT_SECONDS = 90;

/** The host did not answer. */
export const SILENCE = 'no_answer';
/** Something else than a host of this version answered. */
export const STRANGE = 'unexpected_answer';

/** How a host is reached, and as whom. */
export interface Way {
  /** In messages. */
  readonly name: string;
  readonly isSecure?: boolean;
  readonly options: RequestOptions;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HostRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** The tenant that it is about. */
  readonly tenantId?: number | string | undefined;
  readonly json?: unknown;
  readonly content?: { readonly type: string; readonly data: string | (() => Readable) };
  readonly idempotencyKey?: string;
  /** Default: without a limit. */
  readonly timeoutMs?: number;
}

interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

const Problem = z.object({
  message: z.string(),
  code: z.string(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).default([]),
});

/** A refusal of the host, or that it does not answer. */
export class HostRefused extends Error {
  override readonly name = 'HostRefused';
  readonly code: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];

  constructor(code: string, message: string, errors: HostRefused['errors'] = []) {
    const details = errors.map(({ detail }) => detail);
    super([...new Set([message, ...details])].join('. '));
    this.code = code;
    this.errors = errors;
  }
}

export class HostClient {
  readonly #way: Way;

  constructor(way: Way) {
    this.#way = way;
  }

  get name(): string {
    return this.#way.name;
  }

  /** The body of the answer, as the schema has it. Throws HostRefused. */
  async ask<Schema extends z.ZodType>(
    schema: Schema,
    request: HostRequest,
  ): Promise<z.output<Schema>> {
    for (let waits = 0; ; waits += 1) {
      const { status, headers, body } = await this.#send(request);
      const parsed = status < 300 ? schema.safeParse(body) : undefined;
      if (parsed?.success) return parsed.data;
      const seconds = Number(headers['retry-after']);
      if (status === TOO_MANY_REQUESTS && seconds <= LONGEST_WAIT_SECONDS && waits < MAX_WAITS) {
        await sleep(seconds * MS_PER_SECOND);
        continue;
      }
      const problem = Problem.safeParse(body);
      if (problem.success) {
        const { code, message, errors } = problem.data;
        throw new HostRefused(code, message, errors);
      }
      const what = `${this.#way.name} answers ${status}, and not as a host of this version`;
      throw new HostRefused(STRANGE, what);
    }
  }

  async #send(request: HostRequest): Promise<Received> {
    const { content = jsonOf(request), timeoutMs } = request;
    const { isSecure = false, options } = this.#way;
    const signal = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
    const sent = (isSecure ? httpsRequest : httpRequest)({
      // An agent would make connections of its own.
      ...(options.createConnection === undefined && { agent: false }),
      ...options,
      ...signal,
      method: request.method,
      path: pathOf(request),
      headers: this.#headersOf(request, content),
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    sent.once('response', resolve).on('error', reject);
    const data = content?.data;
    const sending = typeof data === 'function' ? pipeline(data(), sent) : void sent.end(data);
    // An early refusal ends the connection while the file is being sent: its answer counts.
    const failing = Promise.resolve(sending).catch((error: unknown) => reject(error));
    try {
      const response = await promise;
      const text = (await buffer(response)).toString('utf8');
      return { status: response.statusCode ?? 0, headers: response.headers, body: parsed(text) };
    } catch (error) {
      throw new HostRefused(SILENCE, `${this.#way.name} does not answer: ${reasonOf(error)}`);
    } finally {
      sent.destroy();
      await failing;
    }
  }

  #headersOf({ tenantId, idempotencyKey }: HostRequest, content: HostRequest['content']) {
    return {
      Host: 'localhost',
      ...this.#way.headers,
      ...(tenantId !== undefined && { ClientId: String(tenantId) }),
      ...(content !== undefined && { 'Content-Type': content.type }),
      ...(typeof content?.data === 'string' && {
        'Content-Length': String(Buffer.byteLength(content.data)),
      }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    };
  }
}

function jsonOf({ json }: HostRequest): HostRequest['content'] {
  return json === undefined ? undefined : { type: 'application/json', data: JSON.stringify(json) };
}

function pathOf({ path, query = {} }: HostRequest): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.append(name, String(value));
  }
  return given.size === 0 ? path : `${path}?${given}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Of several addresses that were tried, each has its own.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error && first.message !== '' ? first.message : error.message;
}
