/** The table of all endpoints. */
import { EXAMPLES } from './api/examples.ts';
import { FIELD_MEANINGS } from './api/field-meanings.ts';
import { API, type ApiServices } from './api/slices.ts';
import { TERMS } from './api/terms.ts';
import type { ConsoleServices } from './console/slice.ts';
import type { Endpoint } from './http/endpoint.ts';
import { healthEndpoints, metricsEndpoint, type Readiness } from './http/health.ts';
import type { Metrics } from './http/metrics.ts';
import { type DocumentInfo, makeOpenApiDocument, openApiEndpoint } from './http/openapi.ts';
import { referencePageEndpoints } from './http/reference-page.ts';
import type { Section } from './http/router.ts';
import { packageVersion } from './package-version.ts';
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

const DOCUMENT: DocumentInfo = {
  title: 'Counterfoil',
  version: packageVersion(),
  description:
    'An event-sourced payment and subscription ledger: payments, refunds, search and detail, and the books behind them.\n\nA text is refused that holds control characters, the separators U+2028 and U+2029 or half of a surrogate pair.\n\nMembers of a request body and query parameters that are not known are refused. `null` for an optional member of a request body means that it is absent.',
  tags: {
    'Customer Service': 'Transactions, customers, and what an agent does with them',
    Admin:
      'Keys, settings, reference data and merchant accounts of a tenant, and the advanced transaction search',
    'Email service': 'Mails from the tenant’s own domains, and what became of them',
    'Customer Leads': 'Who began a session, and what it led to',
    Mitigation: 'Searches for providers of chargeback mitigation',
    Widget: 'The script of pages, and the frames that it shows',
    'Card API': 'Payments and what follows them',
    Subscriptions: 'What is billed again and again',
    Ledger: 'The books and reports, derived from the events',
    Settlements: 'Files of acquirers and payouts of gateways, held against the books',
    Operations: 'For those who run the host',
  },
  terms: TERMS,
  fieldMeanings: FIELD_MEANINGS,
  examples: EXAMPLES,
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
  const document = () => makeOpenApiDocument(endpoints, DOCUMENT);
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
