/** One line for each request: no body, no key, no query. */
import { activeTrace, type PinoLogger as Logger } from '@counterfoil/engine';
import type { Exchange } from './request-context.ts';

export {
  createLogger,
  LOG_LEVELS,
  type LogLevel,
  type PinoLogger as Logger,
} from '@counterfoil/engine';

/** The logger for `logRequest`. Its lines have fixed, harmless fields, so it does no redaction. */
export function requestLoggerOf(logger: Logger): Logger {
  return logger.child({}, { formatters: { log: (facts) => facts } });
}

/** Writes the line of an answered request. Logs the route, not the URL: a query may contain an address. */
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
      ...activeTrace(),
      ...(request.socket.destroyed && { callerGone: true }),
    },
    'request',
  );
}
