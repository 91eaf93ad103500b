/** Structured logs: one line a request, no bodies, and a net under the fields that must never appear. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Exchange } from './request-context.ts';

export type { Logger };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Bodies, keys and cards are not logged in the first place; this catches the line that forgot. */
const SECRET_FIELDS = [
  'authorization',
  'Authorization',
  'apiKey',
  'key',
  'masterKey',
  'password',
  'token',
  'card',
  'number',
  'cardNumber',
  'cvv',
  'gatewayCredentials',
  'tenant_key',
  'body',
  'html',
  'text',
  'templateContent',
  'templateData',
];

const REDACTED_DEPTHS = ['', '*.', '*.*.'];

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
      redact: {
        paths: REDACTED_DEPTHS.flatMap((depth) => SECRET_FIELDS.map((field) => depth + field)),
        censor: '[redacted]',
      },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  );
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
