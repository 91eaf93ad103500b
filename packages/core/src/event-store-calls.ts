/** Validates the arguments of the event store port, for all adapters. */
import type { AppendRequest, Expected, ReadOptions, SubscribeOptions } from './event-store.ts';
import type { EncodedEvent } from './kernel/envelope.ts';
import type { Position, StreamName } from './kernel/ids.ts';

/** Of one append, and of several that are made as one. */
export const MAX_APPEND_EVENTS = 4_096;
/** Of those that are made as one. */
export const MAX_APPENDS = 64;
/** Of the name of a stream and of a command id, as UTF-8: what an index of every store takes. */
export const MAX_NAME_BYTES = 1_024;
const MAX_SCHEMA_VERSION = 2 ** 31 - 1;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** A dot in the category would make the name one of a log whose prefix is longer (EventStoreDB). */
const DOT_IN_CATEGORY = /^[^-]*\./;

/** What a field must be, as a test and in words. */
interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly says: string;
}

const TEXT: Rule = {
  holds: isText,
  says: 'text that is well-formed Unicode, without a null character',
};
const SOME_TEXT: Rule = {
  holds: (value) => isText(value) && value !== '',
  says: `${TEXT.says}, and not empty`,
};
const NAME: Rule = {
  holds: (value) => isText(value) && value !== '' && byteLength(value) <= MAX_NAME_BYTES,
  says: `${TEXT.says}, of 1 to ${MAX_NAME_BYTES} bytes`,
};
const STREAM: Rule = {
  holds: (value) => NAME.holds(value) && !DOT_IN_CATEGORY.test(value as string),
  says: `${NAME.says}, with no dot before its first dash`,
};

const EVENT: Readonly<Record<keyof EncodedEvent, Rule>> = {
  id: {
    holds: (value) => typeof value === 'string' && UUID.test(value),
    says: 'a UUID in lower case',
  },
  type: {
    holds: (value) => SOME_TEXT.holds(value) && !(value as string).startsWith('$'),
    says: `${SOME_TEXT.says}, and not begin with $`,
  },
  schemaVersion: wholeNumber(1, MAX_SCHEMA_VERSION),
  tenantId: wholeNumber(1),
  time: SOME_TEXT,
  data: TEXT,
  metadata: TEXT,
};
const EVENT_FIELDS = Object.entries(EVENT);

/**
 * A copy of an append, so that later changes by the caller have no effect. Throws a RangeError for what
 * the port does not allow; the message names the field and never quotes its value.
 */
export function checkedAppend(request: AppendRequest): AppendRequest {
  const { stream, events, expected, command } = objectIn(request, 'the append');
  const { id, fingerprint } = objectIn(command, 'command');
  expect(id, NAME, 'command.id');
  expect(fingerprint, TEXT, 'command.fingerprint');
  if (!Array.isArray(events) || events.length === 0 || events.length > MAX_APPEND_EVENTS) {
    throw new RangeError(`events must be an array of 1 to ${MAX_APPEND_EVENTS} events`);
  }
  return {
    stream: checkedStream(stream),
    // Not `map`, which skips holes.
    events: Array.from(events, checkedEvent),
    expected: checkedExpected(objectIn(expected, 'expected')),
    command: { id, fingerprint },
  };
}

/** The same for appends that are made as one. */
export function checkedAppends(requests: readonly AppendRequest[]): readonly AppendRequest[] {
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_APPENDS) {
    throw new RangeError(`the appends must be an array of 1 to ${MAX_APPENDS} appends`);
  }
  const checked = Array.from(requests, checkedAppend);
  if (new Set(checked.map(({ stream }) => stream)).size < checked.length) {
    throw new RangeError('the appends must each be to another stream');
  }
  const events = checked.reduce((sum, each) => sum + each.events.length, 0);
  if (events > MAX_APPEND_EVENTS) {
    throw new RangeError(`the appends must have at most ${MAX_APPEND_EVENTS} events in all`);
  }
  return checked;
}

/** The name of a stream as it is passed to a read. Throws a RangeError. */
export function checkedStream(stream: StreamName): StreamName {
  expect(stream, STREAM, 'stream');
  return stream;
}

/** A copy of the options of a read, with 0 for an absent `from` and undefined for no limit. Throws a RangeError. */
export function checkedRead(options: ReadOptions = {}): {
  readonly from: number;
  readonly limit: number | undefined;
} {
  const { from = 0, limit } = objectIn(options, 'the options of a read');
  expect(from, COUNT, 'from');
  if (limit !== undefined) expect(limit, COUNT, 'limit');
  return { from, limit };
}

export interface CheckedSubscription {
  /** A text; the store checks whether it is a position of its log. */
  readonly after: Position | undefined;
  readonly batchSize: number;
  readonly untilHead: boolean;
  readonly signal: AbortSignal | undefined;
}

/** A copy of the options of a subscription, with all defaults. Throws a RangeError. */
export function checkedSubscription(options: SubscribeOptions = {}): CheckedSubscription {
  const given = objectIn(options, 'the options of a subscription');
  const { after, batchSize = DEFAULT_BATCH_SIZE, untilHead = false, signal } = given;
  if (after !== undefined) expect(after, TEXT, 'after');
  expect(batchSize, BATCH_SIZE, 'batchSize');
  expect(untilHead, BOOLEAN, 'untilHead');
  if (signal !== undefined) expect(signal, SIGNAL, 'signal');
  return { after, batchSize, untilHead, signal };
}

const DEFAULT_BATCH_SIZE = 256;
const COUNT = wholeNumber(0);
const BATCH_SIZE = wholeNumber(1);
const BOOLEAN: Rule = { holds: (value) => typeof value === 'boolean', says: 'true or false' };
const SIGNAL: Rule = { holds: (value) => value instanceof AbortSignal, says: 'an AbortSignal' };

function checkedEvent(event: EncodedEvent, index: number): EncodedEvent {
  const given = objectIn(event, `events[${index}]`);
  for (const [field, rule] of EVENT_FIELDS) {
    const value = given[field as keyof EncodedEvent];
    if (!rule.holds(value)) throw refusal(`events[${index}].${field}`, rule);
  }
  const { id, type, schemaVersion, tenantId, time, data, metadata } = given;
  return { id, type, schemaVersion, tenantId, time, data, metadata };
}

function checkedExpected(expected: Expected): Expected {
  switch (expected.kind) {
    case 'any':
    case 'noStream':
    case 'exists':
      return { kind: expected.kind };
    case 'exact': {
      const { revision } = expected;
      expect(revision, COUNT, 'expected.revision');
      return { kind: 'exact', revision };
    }
    default:
      throw new RangeError('expected.kind must be any, noStream, exists or exact');
  }
}

function wholeNumber(from: number, to = Number.MAX_SAFE_INTEGER): Rule {
  return {
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to,
    says: `a whole number from ${from} to ${to}`,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

/** Most names are far from the limit, whatever they are made of. */
function byteLength(text: string): number {
  const most = text.length * 3;
  return most <= MAX_NAME_BYTES ? most : new TextEncoder().encode(text).length;
}

function objectIn<Value>(value: Value, what: string): Value {
  if (typeof value === 'object' && value !== null) return value;
  throw new RangeError(`${what} must be an object`);
}

function expect(value: unknown, rule: Rule, what: string): void {
  if (!rule.holds(value)) throw refusal(what, rule);
}

function refusal(what: string, rule: Rule): RangeError {
  return new RangeError(`${what} must be ${rule.says}`);
}
