/** An answer in the form in which it is sent, kept for replay, and written to the socket. */
import type { StreamName } from '@counterfoil/core';
import type { HandlerResult } from './endpoint.ts';
import { errorBody, isTransient, type Refusal } from './errors.ts';
import type { Exchange } from './request-context.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Beside the ones that every answer has. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The same request may be answered otherwise later: not to be kept for replay. */
  readonly transient?: boolean;
  /** The work goes on: a repetition under the same key is answered from the state of then. */
  readonly isFinal?: boolean | undefined;
  /** What it is about; undefined where that is not one stream of the log. */
  readonly stream?: StreamName | undefined;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** For answers that no browser should ever render, store or sniff. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
];

const SECURITY_HEADERS_FLAT: readonly string[] = SECURITY_HEADERS.flat();

/** Have no content by their status. */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 304]);
const FIRST_ERROR = 400;
const FIRST_SERVER_ERROR = 500;

/** What a handler answered, as text. */
export function answerOf(result: HandlerResult): Answer {
  const { status, headers, stream, isFinal } = result;
  const transient = status >= FIRST_SERVER_ERROR;
  if ('raw' in result) {
    const { raw, contentType = JSON_TYPE } = result;
    return { status, contentType, body: raw, headers, transient, stream, isFinal };
  }
  const body = result.body === undefined ? '' : JSON.stringify(result.body);
  return { status, contentType: JSON_TYPE, body, headers, transient, stream, isFinal };
}

/** A refusal as the answer to the request with this id. */
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
  };
}

/**
 * A kept answer as the answer to the request with this id. A refusal names the request that it
 * answers, by which the log is searched; all else stays word for word.
 */
export function answerTo(answer: Answer, requestId: string): Answer {
  if (answer.status < FIRST_ERROR) return answer;
  const body: unknown = JSON.parse(String(answer.body));
  if (typeof body !== 'object' || body === null || !('requestId' in body)) return answer;
  return { ...answer, body: JSON.stringify({ ...body, requestId }) };
}

/** All headers of an answer, name and value in turn, as `writeHead` takes them without a detour. */
export function headersOf(exchange: Exchange, answer: Answer): string[] {
  const { status, contentType, body, headers } = answer;
  const flat = ['X-Request-Id', exchange.requestId];
  if (!WITHOUT_CONTENT.has(status)) {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    flat.push('Content-Type', contentType, 'Content-Length', String(length));
  }
  if (headers === undefined) flat.push(...SECURITY_HEADERS_FLAT);
  else addHeaders(flat, headers);
  if (exchange.rateHeaders !== undefined) flat.push(...exchange.rateHeaders);
  if (exchange.mustClose) flat.push('Connection', 'close');
  return flat;
}

/** The answer's own headers win over the security headers of the same name. */
function addHeaders(flat: string[], headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of SECURITY_HEADERS) {
    if (!(name in headers)) flat.push(name, value);
  }
  for (const name in headers) flat.push(name, headers[name] as string);
}

/** The whole of an error answer as text, for a connection whose request never came to be. */
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
