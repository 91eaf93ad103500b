/** Which operations administer a tenant, whose requests they are, and what they take. */
import fc from 'fast-check';
import type { Operation } from '../http-host/documented.ts';
import { JSON_TYPE, scopeOf } from './operations.ts';
import {
  ABSENT,
  type Json,
  maybe,
  type Overrides,
  optionsOf,
  type SchemaArbitraries,
} from './schema-arbitrary.ts';

/**
 * Scopes of operations that get refused requests only. An accepted one could revoke a key of this
 * run, require users that there are none of, lower the limit of requests, or block payments. A dispute
 * is answered once, and there are few. No gateway of the host reports events
 * or payouts.
 */
const REFUSED_ONLY: ReadonlySet<string> = new Set([
  'keys:write',
  'settings:write',
  'users:write',
  'disputes:write',
  'blacklist:write',
  'senderdomains:write',
  'webhooks:write',
  'mails:write',
  'gateway-events:write',
]);

/** Single operations beside them: of payouts, and one that removes what other requests read. */
const REFUSED_OPERATIONS: ReadonlySet<string> = new Set(['settlePayouts', 'deleteSavedSearch']);

/** Scopes of operations that change what payments can be made: accepted for a tenant that makes none. */
const CHANGES_PAYMENTS: ReadonlySet<string> = new Set([
  'references:write',
  'merchant-accounts:write',
]);

export function isRefusedOnly(operation: Operation): boolean {
  return REFUSED_OPERATIONS.has(operation.id) || REFUSED_ONLY.has(scopeOf(operation) ?? '');
}

export function changesPayments(operation: Operation): boolean {
  return CHANGES_PAYMENTS.has(scopeOf(operation) ?? '');
}

export const COMPANY = 5;
const HELD = ['GBP', 'USD', 'EUR'];

/** What must agree with each other, or with what the tenant has. */
const AGREEING: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  companyId: fc.constant(COMPANY),
  gatewayId: fc.constant(1),
  currency: fc.constantFrom(...HELD),
  defaultCurrency: fc.constantFrom(...HELD),
  fields: fc.constant({}),
  currencies: fc.constant(HELD.map((currency) => ({ currency }))),
};

const AMOUNTS = fc.integer({ min: 1, max: 10_000 }).map((minor) => minor / 100);

/** What a change says, as far as the schemas do not. A null would reset what has no default, too. */
export function administered(operation: Operation, schemas: SchemaArbitraries): Overrides {
  const given = operation.node.requestBody?.content[JSON_TYPE].schema;
  if (given === undefined) return {};
  const body = schemas.resolve(given);
  const place = body.type === 'array' ? '/*' : '';
  const { properties = {} } = schemas.resolve(body.items ?? body);
  const overrides = Object.entries<Json>(properties).map(([name, schema]) => {
    const options = optionsOf(schema) ?? [schema];
    const [present] = options.filter(({ type }) => type !== 'null');
    const usual = present?.type === 'number' ? AMOUNTS : schemas.of(present);
    return [`${place}/${name}`, maybe(AGREEING[name] ?? usual)] as const;
  });
  return { ...Object.fromEntries(overrides), '/id': ABSENT, '/rowVersion': ABSENT };
}
