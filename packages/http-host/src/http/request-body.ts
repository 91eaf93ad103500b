/** From the bytes of a request to the one JSON.parse: bounded, valid UTF-8, not nested too deeply. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from './errors.ts';
import type { RequestHead } from './request-head.ts';

export const MAX_JSON_DEPTH = 32;

/** The type that the document names, and no other that is written in JSON as well. */
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const NO_BYTES = Buffer.alloc(0);

/** Why a body with this head is not even read. */
export function bodyViolation(head: RequestHead, maxBytes: number): Refusal | undefined {
  const { contentEncoding, contentType, contentLength } = head;
  if (contentEncoding !== undefined) {
    return refuse('unsupported_content_encoding');
  }
  if (contentType !== 'application/json' && !JSON_TYPE.test(contentType ?? '')) {
    return refuse('unsupported_media_type');
  }
  // The parser has made sure that it is a number.
  if (contentLength !== undefined && Number(contentLength) > maxBytes) {
    return refuse('payload_too_large');
  }
  return undefined;
}

/** A body on its way. `fail` ends the wait from outside: the parser found the rest unreadable. */
export interface BodyReading {
  readonly bytes: Promise<Buffer>;
  fail(reason: Refusal): void;
}

/** Starts to read the body. Rejects with a Refusal when it grows beyond `maxBytes` or breaks off. */
export function startReading(request: IncomingMessage, maxBytes: number): BodyReading {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let first: Buffer | undefined;
  let others: Buffer[] | undefined;
  let length = 0;
  let isSettled = false;
  const fail = (reason: Refusal) => {
    // The listeners are not taken off: after the end of a body they hear only 'close'.
    if (isSettled) return;
    isSettled = true;
    request.pause();
    reject(reason);
  };
  request.on('data', (chunk: Buffer) => {
    if (isSettled) return;
    length += chunk.length;
    if (length > maxBytes) fail(refuse('payload_too_large'));
    else if (first === undefined) first = chunk;
    else if (others === undefined) others = [first, chunk];
    else others.push(chunk);
  });
  request.on('end', () => {
    if (isSettled) return;
    isSettled = true;
    resolve(others === undefined ? (first ?? NO_BYTES) : Buffer.concat(others, length));
  });
  // A connection that breaks is reported by 'error' as well, and would be unhandled there.
  const onBreak = () => {
    if (!isSettled) fail(refuse('incomplete_body'));
  };
  request.on('close', onBreak).on('error', onBreak);
  return { bytes: promise, fail };
}

/** The value of a JSON body; undefined for an empty one. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw refuse('invalid_utf8');
  if (isTooDeep(bytes)) throw refuse('json_too_deep');
  const text = bytes.toString('utf8');
  try {
    return mayNamePrototype(text) ? JSON.parse(text, dropPrototype) : JSON.parse(text);
  } catch {
    // The parser's message quotes the input, and the input may hold a card number.
    throw refuse('invalid_json');
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ from each other in this one bit. */
const BRACE_BIT = 0x20;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Counts open brackets outside of strings, before anything is built from a hostile body. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
      continue;
    }
    if (byte === QUOTE) {
      inString = true;
      continue;
    }
    const folded = byte & ~BRACE_BIT;
    if (folded === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (folded === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
  return false;
}

/** An underscore may be written as an escape, so any escape in the ASCII range is looked into. */
function mayNamePrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u00');
}

/** An own key `__proto__` would become the prototype wherever the object is copied key by key. */
function dropPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}
