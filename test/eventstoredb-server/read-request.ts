// What a client asks to read: the request's message, checked, as a plain value.

import { streamNameOf } from './messages.ts';
import type { Position } from './position.ts';
import type { Fields } from './wire.ts';

export interface EventFilter {
  readonly passes: (event: { readonly stream: string; readonly type: string }) => boolean;
  /** How many events are looked at before a subscription takes a breath. */
  readonly window: number;
  /** A checkpoint is sent once so many events were looked at. */
  readonly checkpointInterval: number;
}

export interface ReadRequest {
  /** Undefined for `$all`. */
  readonly stream: string | undefined;
  /** A revision for a stream, a position for `$all`. */
  readonly from: 'start' | 'end' | bigint | Position;
  readonly backwards: boolean;
  /** Undefined for a subscription. */
  readonly count: number | undefined;
  readonly filter: EventFilter | undefined;
  readonly structuredIds: boolean;
  /** Whether the client understands the positions of a stream's ends. */
  readonly compatibility: number;
}

const DEFAULT_WINDOW = 32;
/** Where the fields of the options stand. */
const STREAM = 1;
const ALL = 2;
const DIRECTION = 3;
const COUNT = 5;
const SUBSCRIPTION = 6;
const FILTER = 7;
const UUID_OPTION = 9;
const CONTROL = 10;

/** A text instead of a request says what is wrong with it. */
export function readRequestOf(request: Fields): ReadRequest | string {
  const options = request.message(1);
  if (options === undefined) return 'The options are missing.';
  const uuid = options.message(UUID_OPTION);
  const subscribes = options.has(SUBSCRIPTION);
  const stream = options.message(STREAM);
  const all = options.message(ALL);
  const backwards = options.number(DIRECTION) === 1;
  if (uuid === undefined) return "'uuidOption' is a required argument.";
  if (!subscribes && !options.has(COUNT)) return 'A count must be given.';
  if (backwards && subscribes) return 'A subscription only goes forwards.';
  const filterFields = options.message(FILTER);
  if (filterFields !== undefined && all === undefined) return 'Only $all takes a filter.';
  const filter = filterFields === undefined ? undefined : filterOf(filterFields);
  if (typeof filter === 'string') return filter;
  const place = all === undefined ? stream && placeInStream(stream) : placeInAll(all);
  if (place === undefined) return 'A stream or $all must be named.';
  return {
    ...place,
    backwards,
    count: subscribes ? undefined : Number(options.unsigned(COUNT)),
    filter,
    structuredIds: uuid.has(1),
    compatibility: options.message(CONTROL)?.number(1) ?? 0,
  };
}

function placeInStream(stream: Fields): Pick<ReadRequest, 'stream' | 'from'> {
  const from = stream.has(3) ? 'start' : stream.has(4) ? 'end' : stream.unsigned(2);
  return { stream: streamNameOf(stream.message(1)), from };
}

function placeInAll(all: Fields): Pick<ReadRequest, 'stream' | 'from'> {
  const position = all.message(1);
  if (position === undefined) return { stream: undefined, from: all.has(3) ? 'end' : 'start' };
  const from = { commit: position.unsigned(1), prepare: position.unsigned(2) };
  return { stream: undefined, from };
}

function filterOf(filter: Fields): EventFilter | string {
  const onType = filter.message(2);
  const expression = onType ?? filter.message(1);
  if (expression === undefined) return 'A filter must say what it is on.';
  const multiplier = filter.number(5);
  if (multiplier === 0) return 'The checkpoint interval must be above zero.';
  const window = filter.has(3) ? filter.number(3) : DEFAULT_WINDOW;
  if (window === 0) return 'The search window must be above zero.';
  const prefixes = expression.all(2).map((prefix) => prefix.toString('utf8'));
  const passes = testOf(expression.text(1), prefixes);
  return {
    passes: onType === undefined ? ({ stream }) => passes(stream) : ({ type }) => passes(type),
    window,
    checkpointInterval: multiplier * window,
  };
}

function testOf(regex: string, prefixes: readonly string[]): (text: string) => boolean {
  if (regex !== '') {
    const expression = new RegExp(regex);
    return (text) => expression.test(text);
  }
  const [only] = prefixes;
  if (only !== undefined && prefixes.length === 1) return (text) => text.startsWith(only);
  return (text) => prefixes.some((prefix) => text.startsWith(prefix));
}
