/** The parts of a host by name. */
import type { Engine } from '@counterfoil/engine';
import type { Config } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Readiness } from '../http/health.ts';
import type { Idempotency } from '../http/idempotency.ts';
import type { Logger } from '../http/logging.ts';
import type { Metrics } from '../http/metrics.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import type { Section } from '../http/router.ts';
import type { HttpServer } from '../http/server.ts';
import type { OperatorServices } from '../operator/endpoints.ts';
import type { ParkedStreams } from '../operator/parked-streams.ts';
import type { OperatorWork } from '../operator/work.ts';
import type { RouteServices } from '../routes.ts';

/** Names a part of the host: it is made once, when it is first asked for. */
export type Part<Type> = symbol & { readonly of?: Type };

export type Get = <Type>(wanted: Part<Type>) => Type;
export type Provide = <Type>(name: Part<Type>, make: (get: Get) => Type) => void;

function part<Type>(name: string): Part<Type> {
  return Symbol(name) as Part<Type>;
}

export const PART = {
  config: part<Config>('config'),
  logger: part<Logger>('logger'),
  engine: part<Engine>('engine'),
  ownEndpoints: part<readonly Endpoint[]>('ownEndpoints'),
  readiness: part<Readiness>('readiness'),
  metrics: part<Metrics>('metrics'),
  idempotency: part<Idempotency>('idempotency'),
  rateLimits: part<RateLimits>('rateLimits'),
  routeServices: part<RouteServices>('routeServices'),
  endpoints: part<readonly Endpoint[]>('endpoints'),
  /** Loaded when they are first asked for. */
  sections: part<readonly Section[]>('sections'),
  server: part<HttpServer>('server'),
  parkedStreams: part<ParkedStreams>('parkedStreams'),
  operatorWork: part<OperatorWork>('operatorWork'),
  identity: part<OperatorServices['identity']>('identity'),
  /** The operator's own channel; made only where it is used. */
  operatorServer: part<HttpServer>('operatorServer'),
  /** Undefined where the server of the interface serves the metrics too. */
  metricsServer: part<HttpServer | undefined>('metricsServer'),
};
