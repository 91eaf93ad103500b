/** Structured logs: one line a request, no bodies, and a net under the fields that must never appear. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { holdsCardNumber } from '../gateways/card-number-in-text.ts';
import type { Exchange } from './request-context.ts';

export type { Logger };

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

/** Characters that wait for whoever reads the log; what comes beyond them is lost. */
const MAX_UNREAD = 16 * 2 ** 20;

/** What is nested deeper is not written at all. */
const MAX_LOGGED_DEPTH = 6;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Default: standard output, written without waiting for it. */
  readonly destination?: DestinationStream;
}

/** The logger of the host. Errors are written with their stack, under `err`. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
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

/**
 * The logger for `logRequest`. Its lines have the same fields every time, all of them harmless, and
 * there is one for every request: so it does not look for secrets in them.
 */
export function requestLoggerOf(logger: Logger): Logger {
  return logger.child({}, { formatters: { log: (facts) => facts } });
}

/** Writes the line of an answered request. The route, not the URL: a query may hold an address. */
export function logRequest(logger: Logger, exchange: Exchange, status: number): void {
  if (!logger.isLevelEnabled('info')) return;
  const { request, endpoint, requestId, startedAtMs, knownPrincipal } = exchange;
  logger.info(
    {
      requestId,
      method: request.method,
      route: endpoint?.path ?? null,
      status,
      durationMs: Math.round((performance.now() - startedAtMs) * 1_000) / 1_000,
      tenantId: knownPrincipal?.tenantId,
      environment: knownPrincipal?.environment,
      keyId: knownPrincipal?.keyId,
      remoteAddress: request.socket.remoteAddress,
      ...(request.socket.destroyed && { callerGone: true }),
    },
    'request',
  );
}
