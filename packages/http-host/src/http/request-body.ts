/** Reads and parses a request body: bounded, valid UTF-8, limited nesting. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { BodyType } from './endpoint.ts';
import { Refusal, refuse } from './errors.ts';
import type { RequestHead } from './request-head.ts';

export const MAX_JSON_DEPTH = 32;

/** Only documented types; other JSON types are refused. */
const MEDIA_TYPE = /^([^\s;]+)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const JSON_BODY: BodyType = { mediaType: 'application/json' };

const NO_BYTES = Buffer.alloc(0);

interface BodyBounds {
  readonly maxBytes: number;
  /** Beside application/json. */
  readonly types?: readonly BodyType[] | undefined;
  /** Instead of application/json. */
  readonly only?: BodyType;
}

/** Why a body with this head is refused unread. */
export function bodyViolation(
  head: RequestHead,
  { maxBytes, types = [], only }: BodyBounds,
): Refusal | undefined {
  const { contentEncoding, contentType, contentLength } = head;
  if (contentEncoding !== undefined) {
    return refuse('unsupported_content_encoding');
  }
  const admitted = only === undefined ? [JSON_BODY, ...types] : [only];
  if (bodyTypeOf(contentType, admitted) === undefined) {
    const names = admitted.map(({ mediaType }) => mediaType).join(' or ');
    return refuse('unsupported_media_type', `The body must be ${names}, in UTF-8`);
  }
  // The HTTP parser guarantees a number.
  if (contentLength !== undefined && Number(contentLength) > maxBytes) {
    return refuse('payload_too_large');
  }
  return undefined;
}

function bodyTypeOf(
  contentType: string | undefined,
  admitted: readonly BodyType[],
): BodyType | undefined {
  const [first] = admitted;
  if (contentType === first?.mediaType) return first;
  const sent = MEDIA_TYPE.exec(contentType ?? '')?.[1]?.toLowerCase();
  const [bare = ''] = (contentType ?? '').split(';', 1);
  const name = bare.trim().toLowerCase();
  return admitted.find(({ mediaType, anyParameters }) =>
    anyParameters === true ? mediaType === name : mediaType === sent,
  );
}

/** The value of a body that `bodyViolation` admits. */
export function readAs(
  contentType: string | undefined,
  types: readonly BodyType[] | undefined,
  bytes: Buffer,
): unknown {
  const admitted = [JSON_BODY, ...(types ?? [])];
  const { read = parseJson } = bodyTypeOf(contentType, admitted) ?? JSON_BODY;
  return read(bytes);
}

/** A body being read. `fail` rejects it from outside: the parser could not read the rest. */
export interface BodyReading {
  readonly bytes: Promise<Buffer>;
  fail(reason: Refusal): void;
}

/** Starts to read the body. Rejects with a Refusal when it exceeds `maxBytes` or is cut off. */
export function startReading(request: IncomingMessage, maxBytes: number): BodyReading {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let first: Buffer | undefined;
  let others: Buffer[] | undefined;
  let length = 0;
  let isSettled = false;
  const fail = (reason: Refusal) => {
    // The listeners stay: after the end of a body only 'close' follows.
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
  // A broken connection emits 'error' too, which would be unhandled there.
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
    return mayLoseSomething(text) ? JSON.parse(text, refuseWhatIsLost) : JSON.parse(text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // The parser's message quotes the input, which may contain a card number.
    throw refuse('invalid_json');
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ from each other in this one bit. */
const BRACE_BIT = 0x20;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Counts open brackets outside of strings, before anything is allocated for a hostile body. */
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

/** A double represents every decimal of up to 15 digits, unless it underflows to 0. */
const LONG_NUMBER = /[-:,[\s][\d.]{16}|\d[eE]-\d{3}/;

/** An underscore may be escaped, so any escape in the ASCII range is inspected. */
function mayLoseSomething(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u00') || LONG_NUMBER.test(text);
}

/**
 * An own key `__proto__` would become the prototype where the object is copied key by key. A number
 * that a double cannot represent would become another amount or id.
 */
function refuseWhatIsLost(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key === '__proto__') throw invalid('/__proto__', '__proto__ is not known');
  const source = context?.source;
  if (typeof value === 'number' && source !== undefined && !isExactly(value, source)) {
    throw invalid('', `${nameOf(key)} must have fewer digits`);
  }
  return value;
}

const MAX_SHOWN_KEY = 100;

/** The reviver knows the last name alone: of an element of a list it is its index. */
function nameOf(key: string): string {
  return /^\d*$/.test(key) ? 'A number' : key.slice(0, MAX_SHOWN_KEY);
}

function invalid(pointer: string, detail: string): Refusal {
  return refuse('invalid_request', undefined, { errors: [{ in: 'body', pointer, detail }] });
}

/** Whether a double equals the literal exactly: its shortest text has the same value. */
function isExactly(value: number, source: string): boolean {
  return Number.isFinite(value) && decimalOf(source) === decimalOf(String(value));
}

/** A literal as its digits and its exponent, so that 1, 1.0 and 10e-1 are one text. */
function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === '0') start += 1;
  while (start < end && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
