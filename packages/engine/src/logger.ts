/** The logger: a port, and structured lines in which secret fields and card numbers are redacted. */
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { holdsCardNumber } from './gateways/card-number-in-text.ts';

export type { PinoLogger };

/** What the engine logs to: no bodies, no keys, no cards. Errors stand under `err`. */
export interface Logger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Discards every line. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Bodies, keys and cards are not logged in the first place; this catches the line that forgot, as
 * does the search for card numbers in texts. In lower case. Not pino's own `redact`: with wildcards for nested fields it makes a line cost a
 * hundred microseconds.
 */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'apikey',
  'key',
  'masterkey',
  'password',
  'token',
  'card',
  'number',
  'cardnumber',
  'cvv',
  'gatewaycredentials',
  'tenant_key',
  'body',
  'html',
  'text',
  'templatecontent',
  'templatedata',
]);

const REDACTED = '[redacted]';

/** Characters buffered for a slow reader of the log; further ones are dropped. */
const MAX_UNREAD = 16 * 2 ** 20;

/** What is nested deeper is not written at all. */
const MAX_LOGGED_DEPTH = 6;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Default: standard output, written without waiting for it. */
  readonly destination?: DestinationStream;
}

/** A logger that writes JSON lines. Errors are written with their stack, under `err`. */
export function createLogger({ level, destination }: LoggerOptions): PinoLogger {
  return pino(
    {
      level,
      base: null,
      formatters: { log: (facts) => redactFields(facts, 0) },
    },
    destination ?? pino.destination({ dest: 1, sync: false, maxLength: MAX_UNREAD }),
  );
}

function redactFields(facts: object, depth: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(facts)) {
    shown[name] = SECRET_FIELDS.has(name.toLowerCase()) ? REDACTED : redact(value, depth + 1);
  }
  return shown;
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return holdsCardNumber(value) ? REDACTED : value;
  // Errors are left to pino, which writes their stack.
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === MAX_LOGGED_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
  return 'toJSON' in value ? value : redactFields(value, depth);
}
