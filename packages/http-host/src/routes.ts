/** The table of all endpoints. */
import { API, type ApiServices } from './api/slices.ts';
import type { ConsoleServices } from './console/slice.ts';
import type { Endpoint } from './http/endpoint.ts';
import { healthEndpoints, metricsEndpoint, type Readiness } from './http/health.ts';
import type { Metrics } from './http/metrics.ts';
import { openApiEndpoint } from './http/openapi-endpoint.ts';
import { referencePageEndpoints } from './http/reference-page.ts';
import type { Section } from './http/router.ts';
import {
  type AuthenticationPageServices,
  authenticationPageEndpoints,
} from './pages/authentication-pages.ts';
import { type MailPageServices, mailPageEndpoints } from './pages/mail-pages.ts';

export type RouteServices = ApiServices &
  MailPageServices &
  AuthenticationPageServices &
  ConsoleServices & {
    readonly readiness: Readiness;
    /** Undefined where metrics have a port of their own. */
    readonly metrics: Metrics | undefined;
  };

/** Every endpoint of the host but those of `sections`; custom ones last. */
export function routes(
  services: RouteServices,
  ownEndpoints: readonly Endpoint[],
): readonly Endpoint[] {
  const endpoints: Endpoint[] = [
    ...API.flatMap((each) => each.endpoints(services)),
    ...healthEndpoints(services.readiness),
    ...(services.metrics === undefined ? [] : [metricsEndpoint(services.metrics)]),
    ...ownEndpoints,
  ];
  // The document includes its own endpoint, so it is generated after all endpoints exist.
  const document = async () => {
    const { documentOf } = await import('./document.ts');
    return documentOf(endpoints);
  };
  endpoints.push(openApiEndpoint(document), ...referencePageEndpoints(document));
  return [...endpoints, ...mailPageEndpoints(services), ...authenticationPageEndpoints(services)];
}

/** Many hosts are only called by programs, and the console takes 12 MB. */
export function sections(services: ConsoleServices): readonly Section[] {
  const console = async () => {
    const { consoleEndpoints } = await import('./console/serve.ts');
    return consoleEndpoints(services);
  };
  return [{ prefix: '/console', load: console }];
}

/** Every address of the console, for tests that go through all of them. */
export async function consoleRoutes() {
  const { consoleRoutes } = await import('./console/serve.ts');
  return consoleRoutes();
}
