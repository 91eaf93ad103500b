/** A response as it is sent, stored for replay, and written to the socket. */
import type { StreamName, Subject } from '@counterfoil/core';
import type { HandlerResult } from './endpoint.ts';
import { type ErrorCode, errorBody, isTransient, type Refusal } from './errors.ts';
import type { Exchange } from './request-context.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  /** In addition to those of every response. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** In place of a body: sent as it is made. */
  readonly chunks?: AsyncIterable<string>;
  /** Of a refusal. */
  readonly code?: ErrorCode;
  /** The body is the same buffer every time. */
  readonly isConstant?: boolean;
  /** The body in brotli, where it is there already. */
  readonly brotli?: Buffer | undefined;
  /** The same request may get another response later: not stored for replay. */
  readonly transient?: boolean;
  /** False while the work continues: a repetition under the same key gets the state of that time. */
  readonly isFinal?: boolean | undefined;
  /** The stream that the response is about; undefined where that is not a single stream of the log. */
  readonly stream?: StreamName | undefined;
  /** The single person that the response is about, if there is one. */
  readonly subject?: Subject | undefined;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** No browser should render, store or sniff API responses. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
];

const SECURITY_HEADERS_FLAT: readonly string[] = SECURITY_HEADERS.flat();

/** Statuses without content. */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 304]);
const FIRST_ERROR = 400;
const FIRST_SERVER_ERROR = 500;

/** Serializes the result of a handler. */
export function answerOf(result: HandlerResult): Answer {
  const { status, headers, stream, subject, isFinal } = result;
  const kept = { stream, subject, isFinal };
  const transient = status >= FIRST_SERVER_ERROR;
  if ('chunks' in result) {
    const { chunks, contentType } = result;
    return { status, contentType, body: '', headers, chunks, transient, ...kept };
  }
  if ('raw' in result) {
    const { raw, contentType = JSON_TYPE, isConstant = false, brotli } = result;
    return { status, contentType, body: raw, headers, isConstant, brotli, transient, ...kept };
  }
  const body = result.body === undefined ? '' : JSON.stringify(result.body);
  return { status, contentType: JSON_TYPE, body, headers, transient, ...kept };
}

/** A refusal as the response to the request with this id. */
export function refusalAnswer(
  refusal: Refusal,
  requestId: string,
  form: 'json' | 'problem',
): Answer {
  return {
    status: refusal.status,
    contentType: form === 'problem' ? PROBLEM_TYPE : JSON_TYPE,
    body: errorBody(refusal, requestId, form),
    headers: refusal.headers,
    transient: isTransient(refusal.code),
    code: refusal.code,
  };
}

/**
 * A stored response for the request with this id. A refusal gets the new request id, by which logs
 * are searched; everything else is replayed unchanged.
 */
export function answerTo(answer: Answer, requestId: string): Answer {
  if (answer.status < FIRST_ERROR) return answer;
  const body: unknown = JSON.parse(String(answer.body));
  if (typeof body !== 'object' || body === null || !('requestId' in body)) return answer;
  return { ...answer, body: JSON.stringify({ ...body, requestId }) };
}

/** All headers of a response as a flat list of names and values, as `writeHead` takes them. */
export function headersOf(exchange: Exchange, answer: Answer): string[] {
  const { status, contentType, body, headers } = answer;
  const flat = ['X-Request-Id', exchange.requestId];
  if (!WITHOUT_CONTENT.has(status)) {
    flat.push('Content-Type', contentType);
    if (answer.chunks === undefined) {
      const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
      flat.push('Content-Length', String(length));
    }
  }
  if (headers === undefined) flat.push(...SECURITY_HEADERS_FLAT);
  else addHeaders(flat, headers);
  if (exchange.rateHeaders !== undefined) flat.push(...exchange.rateHeaders);
  if (exchange.mustClose) flat.push('Connection', 'close');
  return flat;
}

/** The response's own headers replace security headers of the same name. */
function addHeaders(flat: string[], headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of SECURITY_HEADERS) {
    if (!(name in headers)) flat.push(name, value);
  }
  for (const name in headers) flat.push(name, headers[name] as string);
}

/** A complete HTTP error response as text, for a connection without a parsed request. */
export function rawAnswer(refusal: Refusal, requestId: string, reason: string): string {
  const body = errorBody(refusal, requestId, 'json');
  const lines = [
    `HTTP/1.1 ${refusal.status} ${reason}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
