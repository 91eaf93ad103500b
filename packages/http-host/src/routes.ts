/** The table of all endpoints. */

import type { TestClock } from '@counterfoil/engine';
import { type CardServices, cardEndpoints } from './api/card.ts';
import { type CustomerServices, customerServiceEndpoints } from './api/customer-service.ts';
import { type CustomerRecordServices, customerEndpoints } from './api/customers.ts';
import { EXAMPLES } from './api/examples.ts';
import { GLOSSARY } from './api/glossary.ts';
import { type LedgerServices, ledgerEndpoints } from './api/ledger.ts';
import { type PaymentListServices, paymentListEndpoint } from './api/payment-list.ts';
import { type RecurringServices, recurringEndpoint } from './api/recurring.ts';
import {
  type SubscriptionChangeServices,
  subscriptionChangeEndpoints,
} from './api/subscription-changes.ts';
import { type SubscriptionReadServices, subscriptionEndpoints } from './api/subscriptions.ts';
import { testClockEndpoints } from './api/test-clock.ts';
import { type SearchServices, searchEndpoints } from './api/transaction-search.ts';
import { type UnsubscribeServices, unsubscribeEndpoint } from './api/unsubscribe.ts';
import type { Endpoint } from './http/endpoint.ts';
import { healthEndpoints, metricsEndpoint, type Readiness } from './http/health.ts';
import type { Metrics } from './http/metrics.ts';
import { type DocumentInfo, makeOpenApiDocument, openApiEndpoint } from './http/openapi.ts';
import { referencePageEndpoints } from './http/reference-page.ts';

export interface RouteServices
  extends CustomerServices,
    CustomerRecordServices,
    SearchServices,
    CardServices,
    LedgerServices,
    PaymentListServices,
    RecurringServices,
    SubscriptionChangeServices,
    SubscriptionReadServices,
    UnsubscribeServices {
  readonly readiness: Readiness;
  /** Undefined where metrics have a port of their own. */
  readonly metrics: Metrics | undefined;
  /** Of a test environment; without it its endpoints do not exist. */
  readonly testClock: TestClock | undefined;
}

const DOCUMENT: DocumentInfo = {
  title: 'Counterfoil',
  version: '1.0.0',
  description:
    'An event-sourced payment and subscription ledger: payments, refunds, search and detail, and the books behind them.\n\nA text is refused that holds control characters, the separators U+2028 and U+2029 or half of a surrogate pair.\n\nMembers of a request body and query parameters that are not known are refused. `null` for an optional member of a request body means that it is absent.',
  tags: {
    'Customer Service': 'Transactions, customers, and what an agent does with them',
    Admin: 'The advanced transaction search',
    'Card API': 'Payments and what follows them',
    Subscriptions: 'What is billed again and again',
    Ledger: 'The books and reports, derived from the events',
    Operations: 'For those who run the host',
  },
  glossary: GLOSSARY,
  examples: EXAMPLES,
};

/** Every endpoint of the host; custom ones last. */
export function routes(
  services: RouteServices,
  ownEndpoints: readonly Endpoint[],
): readonly Endpoint[] {
  const endpoints: Endpoint[] = [
    ...customerServiceEndpoints(services),
    unsubscribeEndpoint(services),
    ...customerEndpoints(services),
    ...searchEndpoints(services),
    ...cardEndpoints(services),
    paymentListEndpoint(services),
    ...subscriptionEndpoints(services),
    ...subscriptionChangeEndpoints(services),
    ...ledgerEndpoints(services),
    recurringEndpoint(services),
    ...healthEndpoints(services.readiness),
    ...(services.metrics === undefined ? [] : [metricsEndpoint(services.metrics)]),
    ...(services.testClock === undefined ? [] : testClockEndpoints(services.testClock)),
    ...ownEndpoints,
  ];
  // The document includes its own endpoint, so it is generated after all endpoints exist.
  const document = () => makeOpenApiDocument(endpoints, DOCUMENT);
  endpoints.push(openApiEndpoint(document), ...referencePageEndpoints(document));
  return endpoints;
}
