/** The logger: a port, and structured lines in which secret fields and card numbers are redacted. */
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { holdsCardNumber } from './gateways/card-number-in-text.ts';
import { activeTrace } from './tracing.ts';

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
 * Bodies, keys and cards are not logged in the first place. These fields, in lower case, are redacted in
 * case a line has one all the same, and so is every text with a card number. Not pino's own `redact`:
 * with wildcards for nested fields it makes a line cost a hundred microseconds.
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

/** These redact by themselves, and only what is written. */
const REDACTING = new WeakSet<Logger>();

/** A logger that writes JSON lines. Errors are written with their stack, under `err`. */
export function createLogger({ level, destination }: LoggerOptions): PinoLogger {
  const logger = pino(
    {
      level,
      base: null,
      formatters: { log: shownFacts },
      serializers: { err: shownError },
    },
    destination ?? pino.destination({ dest: 1, sync: false, maxLength: MAX_UNREAD }),
  );
  REDACTING.add(logger);
  return logger;
}

/** Passes the facts on without secret fields and card numbers; an error keeps what `SafeError` has. */
export function redactingLogger(logger: Logger): Logger {
  if (REDACTING.has(logger)) return logger;
  const passed = (level: keyof Logger) => (facts: object, message: string) =>
    logger[level](shownFacts(facts), message);
  return {
    debug: passed('debug'),
    info: passed('info'),
    warn: passed('warn'),
    error: passed('error'),
  };
}

/** What is written of the facts, and the active span. */
function shownFacts(facts: object): Record<string, unknown> {
  return Object.assign(redactFields(facts, 0), activeTrace());
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
  if (value instanceof Error) return new SafeError(value, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_LOGGED_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
  return 'toJSON' in value ? value : redactFields(value, depth);
}

/** Members of errors of Node and of PostgreSQL that name no person and no card. */
const ERROR_FACTS = ['code', 'errno', 'syscall', 'path', 'address', 'port', 'schema', 'table'];

/**
 * What may be logged of an error: its name, message, stack, cause and `ERROR_FACTS`. Libraries attach
 * whole requests to their errors, and adapters quote what they were given: a message or stack with a
 * card number is redacted whole, as a cvv may stand beside it.
 */
class SafeError extends Error {
  constructor(error: Error, depth = 0) {
    const { stack = '', cause } = error;
    const message = error.message || messagesIn(error);
    const isSafe = !holdsCardNumber(message) && !holdsCardNumber(stack);
    super(isSafe ? message : REDACTED);
    this.name = typeof error.constructor === 'function' ? error.constructor.name : error.name;
    this.stack = isSafe ? stack : `${this.name}: ${REDACTED}\n${framesOf(stack)}`;
    for (const name of ERROR_FACTS) {
      const fact: unknown = Reflect.get(error, name);
      if (typeof fact === 'number' || typeof fact === 'string') {
        Reflect.set(this, name, redact(fact, depth));
      }
    }
    if (cause instanceof Error && depth < MAX_LOGGED_DEPTH) {
      this.cause = new SafeError(cause, depth + 1);
    }
  }
}

/** Node reports the failed attempts of one connection in an error without a message of its own. */
function messagesIn(error: Error): string {
  const together: unknown[] = error instanceof AggregateError ? error.errors : [];
  return together.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
}

/** Lines of a stack that name functions and files, and quote nothing. */
function framesOf(stack: string): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return frames.filter((line) => !holdsCardNumber(line)).join('\n');
}

function shownError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const {
    name: type,
    message,
    stack,
    cause,
    ...facts
  } = error instanceof SafeError ? error : new SafeError(error);
  return {
    type,
    message,
    stack,
    ...facts,
    ...(cause !== undefined && { cause: shownError(cause) }),
  };
}
