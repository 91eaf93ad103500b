/** The OpenAPI document of the host: what is said of its endpoints as a whole, and of their fields. */
import { EXAMPLES } from './api/examples.ts';
import { FIELD_MEANINGS } from './api/field-meanings.ts';
import { TERMS } from './api/terms.ts';
import type { Endpoint } from './http/endpoint.ts';
import { type DocumentInfo, makeOpenApiDocument, type OpenApiDocument } from './http/openapi.ts';
import { packageVersion } from './package-version.ts';

const DOCUMENT: DocumentInfo = {
  title: 'Counterfoil',
  version: packageVersion(),
  description:
    'An event-sourced payment and subscription ledger: payments, refunds, search and detail, and the books behind them.\n\nA text is refused that holds control characters, the separators U+2028 and U+2029 or half of a surrogate pair. So is a date and time that its offset leads out of the years 0000 to 9999.\n\nMembers of a request body and query parameters that are not known are refused. `null` for an optional member of a request body means that it is absent.',
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

export function documentOf(endpoints: readonly Endpoint[]): OpenApiDocument {
  return makeOpenApiDocument(endpoints, DOCUMENT);
}
