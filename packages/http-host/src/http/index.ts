/** The HTTP layer: how endpoints are declared, served and documented. */

export {
  checkClaimedTenant,
  checkClaimedUser,
} from './authenticate.ts';
export { actorOf } from './caller.ts';
export type { Counted, Counter } from './counter.ts';
export {
  type Access,
  type Endpoint,
  type EndpointDefinition,
  endpoint,
  type HandlerResult,
  type JsonResult,
  type Principal,
  type RawResult,
  type RequestContext,
  type RequestLogger,
} from './endpoint.ts';
export { ERRORS, type ErrorCode, type ErrorDetail, Refusal, refuse } from './errors.ts';
export { healthEndpoints, metricsEndpoint, Readiness, type ReadinessCheck } from './health.ts';
export { Idempotency } from './idempotency.ts';
export { createLogger, LOG_LEVELS, type Logger, type LogLevel } from './logging.ts';
export { Metrics } from './metrics.ts';
export {
  type DocumentInfo,
  makeOpenApiDocument,
  type OpenApiDocument,
} from './openapi.ts';
export { openApiEndpoint } from './openapi-endpoint.ts';
export {
  DEFAULT_REQUESTS_PER_MINUTE,
  type MakeCounter,
  type RateLimitOptions,
  RateLimits,
} from './rate-limit.ts';
export { sharedCounters } from './rate-limit-postgres.ts';
export { referencePageEndpoints } from './reference-page.ts';
export { type CloseReport, DEFAULT_LIMITS, type HttpLimits, HttpServer } from './server.ts';
