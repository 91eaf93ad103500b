/** Requests that the document admits: from values to bytes, with what may be answered to them. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { USER_EMAIL } from '../e2e/running-host.ts';
import type { Documented, Operation } from '../http-host/documented.ts';
import { changesPayments } from './administration.ts';
import type { Tenancy } from './fuzzed-host.ts';
import type { Input, Inputs } from './inputs.ts';
import { honoursKeys, isPublic, JSON_TYPE, needsUserEmail, parametersIn } from './operations.ts';
import { type Expected, FuzzRequest, type Header } from './requests.ts';
import type { Json } from './schema-arbitrary.ts';

/** Who sends a request, and what stands in its head beside that. */
export interface Sender {
  readonly tenancy: Tenancy;
  readonly environment: 'live' | 'test';
  readonly headers: readonly Header[];
  /** UserEmail is sent even where it is not required. */
  readonly namesActor: boolean;
  /** Part of the Idempotency-Key; none is sent when absent. */
  readonly nonce?: string;
}

/** Codes that no request deserves that is well-formed, whatever it asks for. */
const NEVER_WELL_FORMED = new Set([
  'malformed_request',
  'duplicate_header',
  'client_id_required',
  'user_email_invalid',
  'user_email_required',
  'user_email_mismatch',
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'body_not_allowed',
  'incomplete_body',
  'invalid_utf8',
  'invalid_json',
  'json_too_deep',
  'api_key_missing',
  'bearer_prefix',
  'api_key_invalid',
  'api_key_revoked',
  'api_key_expired',
  'tenant_mismatch',
  'insufficient_scope',
  'not_acceptable',
  'payload_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'rate_limited',
  'too_many_failed_authentications',
]);

/** What the schemas cannot say and the host checks all the same, by what it then points at. */
const RULES = [
  // Days in order.
  /^(\/query)?\/dateFrom$/,
  // Days and months in order, and not too many.
  /^\/query\/from$/,
  // Either card or token; ids below or above those that the service allocates.
  /^\/card$/,
  /^\/orderId$/,
  // A cursor is what the host has made.
  /^\/query\/cursor$/,
  // An amount that fits the schema can be too large in a currency of many decimals.
  /^(\/data\/transaction)?\/amount$/,
  /^\/(items|refundItems)\/\d+\/(UnitPrice|UnitCost|DiscountAmount|CustomDiscountAmount|Amount)$/,
  // Either an item or an adjustment, each with its own members.
  /^\/refundItems\/\d+(\/(Quantity|Restock))?$/,
  /^(\/items\/\d+)?\/subscription\/rebillAmount$/,
  // Either a frequency or an interval, of ten years at most.
  /^(\/items\/\d+)?(\/subscription)?\/(frequency|interval|intervalCount)$/,
  // Ids that are exact.
  /^\/(orderIds|subscriberIds)$/,
  // Two subscriptions at most.
  /^\/items\/\d+\/subscription$/,
  // Statuses that there are.
  /^\/query\/status$/,
  // Nothing begins in the future.
  /^\/openedAt$/,
  // A report names its payment in one of four ways.
  /^$/,
  // A change says which version it is of, and of which item; null resets only what has a default.
  /^\/(rowVersion|id|name|kind|currency|companyId|mid|title|gatewayId|descriptor|defaultCurrency)$/,
  // A saved search names nobody, and has a filter at least.
  /^\/search(\/\w+)*$/,
  // Language tags, servers of tenants and their texts.
  /^\/(language|sender(\/\w+)?|smtp(\/\w+)?|texts\/\w+\/\w+)$/,
  // Each currency once, the default among them; six decimals.
  /^\/(currencies(\/\d+\/currency)?|(reserve|discountRate)Percentage)$/,
];

const RACES = ['concurrent_update', 'idempotency_in_flight'];
const STATE = ['payment_state', ...RACES];
const REFUND_STATE = [
  ...STATE,
  'not_refundable',
  'refund_exceeds_refundable',
  'refund_items_required',
  'refund_items_invalid',
  'refund_failed',
];

/** An email may have been given to another customer id before. */
const PAID = {
  statuses: [201, 202, 400, 402, 409],
  codes: ['customer_mismatch', 'idempotency_in_flight'],
};

/** An ended subscription cannot be changed. */
const CHANGED: Expected = {
  statuses: [200, 400, 409],
  codes: ['subscription_state', ...RACES],
};

/** A report about what was reported before says the same of it, or is refused. */
const DISPUTED: Expected = { statuses: [200, 202, 409], codes: ['duplicate', ...RACES] };

/** What sound requests are answered with, where it is not plainly 200: a payment has a state. */
const SOUND: Readonly<Record<string, Expected>> = {
  createPayment: PAID,
  submitCard: PAID,
  createCheckoutSession: {
    statuses: [201, 400, 409],
    codes: ['amount_not_positive', 'customer_mismatch', ...RACES],
  },
  confirmPayment: { statuses: [200, 202, 400, 402, 409], codes: STATE },
  capturePayment: {
    statuses: [200, 202, 400, 402, 409],
    codes: [...STATE, 'capture_exceeds_authorized', 'amount_not_positive'],
  },
  voidPayment: { statuses: [200, 202, 400, 402, 409], codes: STATE },
  refundPayment: { statuses: [201, 202, 400, 402, 409], codes: REFUND_STATE },
  refundTransaction: { statuses: [200, 400, 402, 409], codes: REFUND_STATE },
  // A name is there once, there are 50 at most, and filters have rules of their own.
  createSavedSearch: {
    statuses: [201, 400, 409],
    codes: ['invalid_request', 'duplicate', 'limit_reached', ...RACES],
  },
  createCustomer: { statuses: [201, 409], codes: ['duplicate', ...RACES] },
  replaceCustomer: {
    statuses: [200, 400, 409],
    codes: ['duplicate', 'limit_reached', 'stale_row_version', ...RACES],
  },
  addPaymentMethod: { statuses: [201, 400, 409], codes: ['limit_reached', ...RACES] },
  removePaymentMethod: { statuses: [200, 404, 409], codes: ['not_found', ...RACES] },
  unsubscribeCustomer: { statuses: [200, 409], codes: RACES },
  freezeSubscription: CHANGED,
  unfreezeSubscription: CHANGED,
  endSubscription: CHANGED,
  changeSubscriptionCard: CHANGED,
  changeSubscriptionPlan: CHANGED,
  reportChargeback: DISPUTED,
  reportAlert: DISPUTED,
  receiveTransaction: { statuses: [200, 409, 422], codes: ['idempotency_key_reused', ...RACES] },
};

export class WellFormed {
  readonly #documented: Documented;

  constructor(documented: Documented) {
    this.#documented = documented;
  }

  /** What the schemas of the document say against these values. */
  faultsOf(operation: Operation, { params, query, body }: Input): string[] {
    return [
      ...this.#faultsOfParameters(operation, 'path', params),
      ...this.#faultsOfParameters(operation, 'query', grouped(query)),
      ...this.#faultsOfBody(operation, body),
    ];
  }

  #faultsOfParameters(
    operation: Operation,
    where: 'path' | 'query',
    values: Readonly<Record<string, Json>>,
  ): string[] {
    return parametersIn(operation, where).flatMap((parameter) => {
      const value = values[parameter.name];
      if (value === undefined) return parameter.required ? [`${parameter.name} is missing`] : [];
      const index = operation.node.parameters.indexOf(parameter);
      const place = [...placeOf(operation), 'parameters', String(index), 'schema'];
      return this.#documented.faultsAt(place, meaningOf(value, parameter.schema));
    });
  }

  #faultsOfBody(operation: Operation, body: Json): string[] {
    const { requestBody } = operation.node;
    if (requestBody === undefined) return body === undefined ? [] : ['takes no body'];
    if (body === undefined) return requestBody.required ? ['the body is missing'] : [];
    const place = [...placeOf(operation), 'requestBody', 'content', JSON_TYPE, 'schema'];
    return this.#documented.faultsAt(place, JSON.parse(JSON.stringify(body)));
  }

  /** What a request may be answered with that satisfies the schemas, and nothing more. */
  admitted(operation: Operation, environment: 'live' | 'test'): Expected {
    const statuses = Object.keys(operation.node.responses).map(Number);
    const refused = statuses.filter((status) => status >= 400 && status < 500);
    const codes = refused
      .flatMap((status) => this.#documented.codesOf(operation, status))
      .filter((code) => !NEVER_WELL_FORMED.has(code))
      .filter((code) => environment === 'test' || code !== 'live_data_forbidden');
    return { statuses: statuses.filter((status) => status < 500), codes, rules: RULES };
  }

  /** A request of values that satisfy the schemas. */
  admittedRequests(
    operation: Operation,
    { inputs, senders }: { inputs: Inputs; senders: fc.Arbitrary<Sender> },
  ): fc.Arbitrary<FuzzRequest> {
    return fc.tuple(inputs.bySchema(operation), senders).map(([input, sender]) => {
      this.#expectAdmitted(operation, input);
      return requestOf(operation, {
        input,
        sender,
        what: 'admitted by the schemas',
        expected: this.admitted(operation, sender.environment),
      });
    });
  }

  /** A request that there is no reason to refuse, but for the state of a payment. */
  soundRequests(
    operation: Operation,
    { inputs, senders }: { inputs: Inputs; senders: fc.Arbitrary<Sender> },
  ): fc.Arbitrary<FuzzRequest> {
    return fc.tuple(inputs.sound(operation), senders).map(([input, sender]) => {
      this.#expectAdmitted(operation, input);
      const expected = this.#deserved(operation, sender);
      const request = requestOf(operation, { input, sender, what: 'sound', expected });
      const isReplacement = changesPayments(operation) && operation.method === 'PUT';
      // Whatever its version is by now.
      return isReplacement ? request.withHeader('If-Match', '*') : request;
    });
  }

  /** A change of what is administered has more rules than are worth repeating here. */
  #deserved(operation: Operation, { environment }: Sender): Expected {
    if (changesPayments(operation)) return this.admitted(operation, environment);
    return SOUND[operation.id] ?? { statuses: [200] };
  }

  /** The fuzzer must not be wrong about what it believes to be valid. */
  #expectAdmitted(operation: Operation, input: Input): void {
    const faults = this.faultsOf(operation, input);
    if (faults.length > 0) {
      throw new Error(`the fuzzer made ${JSON.stringify(input)}: ${faults.join(', ')}`);
    }
  }
}

interface Parts {
  readonly input: Input;
  readonly sender: Sender;
  readonly what: string;
  readonly expected: Expected;
}

/** The request of these values. */
export function requestOf(operation: Operation, parts: Parts): FuzzRequest {
  const { input, sender, what, expected } = parts;
  const { method, path } = operation;
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  const target = targetOf(path, input);
  const headers = [
    ...headersOf(operation, sender),
    ...(body === undefined ? [] : [['Content-Type', JSON_TYPE] as const]),
  ];
  if (sender.nonce !== undefined && honoursKeys(operation)) {
    // Another request needs another key, and while a failure shrinks the requests keep changing.
    const mark = createHash('sha256').update(`${target}\n${body}`).digest('hex');
    headers.push(['Idempotency-Key', `${sender.nonce}-${mark}`]);
  }
  return new FuzzRequest({ what, operation, method, target, headers, body, expected });
}

/** Path and query of a request, percent-encoded. */
export function targetOf(path: string, { params, query }: Pick<Input, 'params' | 'query'>): string {
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_all, name) =>
    encodeURIComponent(params[name] ?? ''),
  );
  if (query.length === 0) return filled;
  const pairs = query.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return `${filled}?${pairs.join('&')}`;
}

function headersOf(operation: Operation, sender: Sender): Header[] {
  const { tenancy, environment, headers, namesActor } = sender;
  if (isPublic(operation)) return [...headers];
  const always: Header[] = [
    ['Authorization', environment === 'live' ? tenancy.key : tenancy.testKey],
    ['ClientId', String(tenancy.id)],
  ];
  const isSent = needsUserEmail(operation) || namesActor;
  return [...always, ...(isSent ? [['UserEmail', USER_EMAIL] as const] : []), ...headers];
}

function placeOf({ method, path }: Operation): string[] {
  return ['paths', path, method.toLowerCase()];
}

/** A query as the document describes it: text, or a list of texts where a name is repeated. */
function grouped(query: Input['query']): Record<string, Json> {
  const values: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of query) {
    const earlier = values[name];
    values[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return values;
}

const INTEGER = /^-?\d{1,16}$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** What the text of a parameter means by its schema; a text that means nothing stays one. */
function meaningOf(value: string | string[], schema: Json): Json {
  if (schema.type === 'array') {
    const elements = [value].flat().flatMap((each) => each.split(','));
    return elements.map((each) => meaningOf(each, schema.items));
  }
  if (Array.isArray(value)) return value;
  if (schema.type === 'integer' && INTEGER.test(value)) return Number(value);
  if (schema.type === 'number' && NUMBER.test(value)) return Number(value);
  if (schema.type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
  return value;
}

/** Senders of a tenancy: with either key, and with headers that change nothing. */
export function sendersOf(
  tenancy: Tenancy,
  { nonce, environments }: { nonce: string; environments: readonly ('live' | 'test')[] },
): fc.Arbitrary<Sender> {
  const extra = fc.record(
    {
      'X-Request-Id': fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
      traceparent: fc.constantFrom(TRACE, 'ff-00-00-00', ''),
      Accept: fc.constantFrom(
        '*/*',
        JSON_TYPE,
        'application/*;q=0.1',
        PROBLEM,
        `text/html, ${PROBLEM}`,
      ),
      'X-Forwarded-For': fc.constantFrom('10.0.0.1', "';--"),
      Cookie: fc.constant('a=b; ClientId=1'),
    },
    { requiredKeys: [] },
  );
  return fc
    .record({
      environment: fc.constantFrom(...environments),
      extra: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: extra }),
      namesActor: fc.boolean(),
      isNamed: fc.boolean(),
    })
    .map(({ environment, extra: headers, namesActor, isNamed }) => ({
      tenancy,
      environment,
      namesActor,
      headers: Object.entries(headers) as Header[],
      ...(isNamed && { nonce }),
    }));
}

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const PROBLEM = 'application/problem+json';
