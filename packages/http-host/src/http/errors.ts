/** Every error of the host: the table of codes, the refusal that a handler throws, and its body. */

/** One row of the table. `title` is the default message; `description` is for the reference. */
export interface ErrorRow {
  readonly status: number;
  readonly title: string;
  readonly description: string;
  /** The same request may succeed later, so this response is not stored for replay. */
  readonly transient?: true;
  /** What the contract calls the case: the member `error` of the body. */
  readonly caseName?: string;
}

/**
 * The only mapping of codes to HTTP statuses. Codes are part of the interface: they are added,
 * never renamed. Within a status the order is that of the checks.
 */
export const ERRORS = {
  // 400: the form of the request
  malformed_request: {
    status: 400,
    title: 'The request is not well-formed HTTP',
    description:
      'The request could not be parsed, or its framing is ambiguous (Transfer-Encoding beside Content-Length, an unknown transfer coding). The connection is closed.',
  },
  duplicate_header: {
    status: 400,
    title: 'A header that must be unique was sent more than once',
    description:
      'Authorization, ClientId, UserEmail, Idempotency-Key, Host and the headers that frame a message may each be sent once.',
  },
  host_required: {
    status: 400,
    title: 'The Host header is missing',
    description: 'HTTP/1.1 requires exactly one Host header.',
  },
  client_id_required: {
    status: 400,
    title: 'The ClientId header is missing',
    description: 'ClientId carries the tenant id, the id of the parent company.',
  },
  user_email_required: {
    status: 400,
    title: 'The UserEmail header is missing',
    description: 'UserEmail names the party that makes the request; it is kept in the audit trail.',
  },
  user_email_invalid: {
    status: 400,
    title: 'The UserEmail header is not an email address',
    description: 'UserEmail must be one email address of at most 254 characters.',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The Idempotency-Key header is not usable',
    description: 'Idempotency-Key is 1 to 255 visible ASCII characters.',
  },
  body_not_allowed: {
    status: 400,
    title: 'This operation takes no body',
    description: 'A body was sent to an operation that has none.',
  },
  incomplete_body: {
    status: 400,
    title: 'The body ended early or is framed wrongly',
    description: 'The connection broke off, or a chunk of the body was malformed.',
  },
  invalid_utf8: {
    status: 400,
    title: 'The body is not valid UTF-8',
    description: 'JSON is exchanged in UTF-8.',
  },
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    description: 'The body could not be parsed as JSON.',
  },
  json_too_deep: {
    status: 400,
    title: 'The JSON body is nested too deeply',
    description: 'Objects and arrays may be nested at most 32 deep.',
  },
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    description:
      'Something is missing, wrong or not known. `errors` names each: `in` says which part of the request, `pointer` where in it.',
  },
  invalid_request_format: {
    status: 400,
    title: 'The request to the email service is not valid',
    description:
      'Something is missing, wrong or not known, or a template cannot be rendered. `errors` names each.',
    caseName: 'Invalid Request Format',
  },
  user_email_mismatch: {
    status: 400,
    title: 'userEmail in the body differs from the UserEmail header',
    description: 'Where the body carries userEmail it must be the address of the UserEmail header.',
  },
  // 400: business rules
  currency_unknown: {
    status: 400,
    title: 'The currency is not known',
    description: 'The currency is not an ISO 4217 code that the service settles.',
  },
  amount_precision: {
    status: 400,
    title: 'The amount has more decimals than its currency',
    description: 'An amount may have no more decimals than ISO 4217 gives its currency.',
  },
  amount_not_positive: {
    status: 400,
    title: 'The amount must be greater than zero',
    description: 'Payments, captures and settlements move more than nothing.',
  },
  reference_unknown: {
    status: 400,
    title: 'The request names something that does not exist',
    description:
      'An application, company, shop, product, price point, campaign, affiliate or merchant account of that id is not defined for the tenant.',
  },
  customer_mismatch: {
    status: 400,
    title: 'customer.id is not the customer of this email',
    description:
      'A payment may name the customer who has its email. For a new email it may bring an id of its own, outside 1,000,000,000 to 2,147,483,647, that no customer has.',
  },
  no_merchant_account: {
    status: 400,
    title: 'No merchant account takes this payment',
    description:
      'Every merchant account of the company was passed over: its currencies, its card networks or its largest price do not admit the payment, or its monthly cap leaves no room for it. `errors` names each with its reason.',
  },
  page_out_of_reach: {
    status: 400,
    title: 'The page is too far from any that was read before',
    description:
      'A page can be jumped to within 100,000 records. Narrow the search, read the pages in order, or list payments by cursor.',
  },
  evidence_invalid: {
    status: 400,
    title: 'This cannot be evidence',
    description:
      'Evidence is a PDF, PNG, JPEG or TIFF by its first bytes, or plain text in UTF-8, of at most 5 MiB; a dispute has at most 20 files. A chargeback is represented with at least one file or field.',
  },
  search_too_broad: {
    status: 400,
    title: 'The search needs a narrower filter',
    description:
      'Name `email`, `orderId`, `arn`, `authCode`, `bin` with `last4`, `mid` with `amount`, or `amount` with `dateFrom` and `dateTo`.',
  },
  card_invalid: {
    status: 400,
    title: 'The card is not valid',
    description:
      'The number fails its check digit, or the card has expired. Or what looks like a card number stands elsewhere than in `card.number`: in another text of the request, or in `Idempotency-Key` or `UserEmail`; `errors` names the places.',
  },
  token_unknown: {
    status: 400,
    title: 'The token is not that of a card of this customer',
    description:
      'A token belongs to the customer of its payment or payment method, as long as that payment method is kept. It is unknown for anybody else, and after the payment method was removed or the customer erased.',
  },
  role_in_use: {
    status: 400,
    title: 'A user has this role',
    description: 'Take the role from every user before it is removed.',
  },
  role_built_in: {
    status: 400,
    title: 'The role is built in',
    description: 'Built-in roles cannot be changed or removed; define one of your own.',
  },
  last_owner: {
    status: 400,
    title: 'The tenant would be left without an owner',
    description: 'The last owner cannot be disabled, and cannot lose the role.',
  },
  capture_exceeds_authorized: {
    status: 400,
    title: 'The amount is greater than what was authorized',
    description: 'A capture may take at most the authorized amount.',
  },
  payment_state: {
    status: 400,
    title: 'The state of the payment does not allow this',
    description: 'Read the payment again: its status does not allow the operation.',
  },
  checkout_session_state: {
    status: 409,
    title: 'The checkout session does not allow this',
    description:
      'It is complete or expired, another of its cards is under way, or too many were declined. Nothing was taken by this request.',
  },
  subscription_state: {
    status: 400,
    title: 'The state of the subscription does not allow this',
    description: 'It has ended, is frozen, or is not due. Read the subscription again.',
  },
  not_refundable: {
    status: 400,
    title: 'The transaction cannot be refunded',
    description: 'It was not captured, is charged back, or its refund window has passed.',
  },
  refund_exceeds_refundable: {
    status: 400,
    title: 'The amount is greater than what can still be refunded',
    description:
      'Refunds, RDR credits and open, lost or accepted chargebacks together never exceed the captured amount.',
  },
  refund_items_required: {
    status: 400,
    title: 'A partial refund of an ecommerce order needs a complete refundItems list',
    description: 'The amounts of refundItems must add up to the amount refunded.',
  },
  refund_items_invalid: {
    status: 400,
    title: 'refundItems does not fit the order',
    description:
      'An item is not part of the order, or more of it would be refunded than was bought.',
  },
  limit_reached: {
    status: 400,
    title: 'The resource can hold no more of these',
    description:
      'A customer has at most 20 payment methods, and at most 100 emails in the course of time.',
  },
  // 401
  api_key_missing: {
    status: 401,
    title: 'The Authorization header is missing',
    description: 'Authorization carries the API key as its raw value.',
  },
  bearer_prefix: {
    status: 401,
    title: 'Send the API key as the raw value of Authorization, without a Bearer prefix',
    description: 'Authorization carries the API key alone, with no scheme before it.',
  },
  api_key_invalid: {
    status: 401,
    title: 'The API key is not valid',
    description: 'The value of Authorization is not a key of this service.',
  },
  api_key_revoked: {
    status: 401,
    title: 'The API key has been revoked',
    description: 'The key was revoked; use another.',
  },
  api_key_expired: {
    status: 401,
    title: 'The API key has expired',
    description: 'The key is past its expiry, or past the overlap of its rotation.',
  },
  invalid_tenant_key: {
    status: 401,
    title: 'The tenant key (`tenant_key` or X-Tenant-Key) is missing or not known',
    description:
      '`tenant_key` of the body or the X-Tenant-Key header must carry an active key of the email service; where both are sent they must be the same.',
    caseName: 'Invalid Tenant Key',
  },
  signature_invalid: {
    status: 401,
    title: 'The signature is not valid',
    description:
      'The message is not signed with a secret of the provider that the query names, or of the merchant account that the path names, or its time is more than five minutes from ours. `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of Standard Webhooks; gateways sign in their own headers.',
  },
  // 402
  refund_failed: {
    status: 402,
    title: 'The gateway refused the refund',
    description: 'Nothing was paid; the amount can be refunded again, in another way if need be.',
  },
  // 403
  tenant_mismatch: {
    status: 403,
    title: 'The API key does not belong to this tenant',
    description:
      'ClientId, and parentCompanyId where the body carries it, must be the tenant of the key.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key lacks the scope for this operation',
    description: 'Issue a key with the scope that the operation names.',
  },
  user_unknown: {
    status: 403,
    title: 'UserEmail does not name an active user',
    description:
      'The tenant admits known users only (`requireKnownUsers`): the user was not invited, has not accepted, or is disabled.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'The key does not allow this origin',
    description:
      'Pages may write leads from the allowed origins of their publishable key, exactly: scheme, host and port. `null` is never one.',
  },
  live_data_forbidden: {
    status: 403,
    title: 'A test key makes and sees sandbox data only',
    description: 'Use a live key, or leave `sandbox` out.',
  },
  unauthorized_domain: {
    status: 403,
    title: 'The domain of the sender is not among /api/admin/senderdomains of the tenant',
    description:
      'The domain of `from` must be among the sender domains of the tenant: see `/api/admin/senderdomains`.',
    caseName: 'Unauthorized Domain',
  },
  // 404 to 406
  route_not_found: {
    status: 404,
    title: 'There is no such operation',
    description: 'No operation has this path.',
  },
  not_found: {
    status: 404,
    title: 'There is no such resource',
    description: 'It does not exist, or it belongs to another tenant: the answer is the same.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take this method',
    description: 'Allow names the methods of the path.',
  },
  not_acceptable: {
    status: 406,
    title: 'The answer has no form that Accept and Accept-Encoding admit',
    description:
      'Answers are application/json; errors may be application/problem+json. Codings are gzip and br; answers with secrets have none.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    description: 'The head or the body of the request took too long. The connection is closed.',
  },
  // 409 to 417
  duplicate: {
    status: 409,
    title: 'It exists already',
    description: 'Something with the same identifier exists already.',
  },
  email_not_resendable: {
    status: 409,
    title: 'The email cannot be sent again',
    description:
      'It is still to be sent, what it said is not kept, its person is erased, or all its recipients are suppressed: the message says which.',
    caseName: 'Email Not Resendable',
  },
  idempotency_conflict: {
    status: 409,
    title: 'This idempotencyKey names another email',
    description: 'A key names one email for 7 days; use a new key for other content.',
    caseName: 'Idempotency Conflict',
  },
  key_not_active: {
    status: 409,
    title: 'The key is not active',
    description: 'It has expired, was revoked, or was rotated before.',
  },
  endpoint_disabled: {
    status: 409,
    title: 'The webhook endpoint is disabled',
    description:
      'It was disabled by the service, for `disabledReason`: nothing is sent to it until its status is made `active`.',
  },
  customer_erased: {
    status: 409,
    title: 'The customer is erased, or about to be',
    description: 'Nothing more can be learned of the person; a new customer can be registered.',
  },
  stale_row_version: {
    status: 409,
    title: 'The resource was changed in the meantime',
    description: 'rowVersion is not the current one: read the resource again and repeat.',
  },
  concurrent_update: {
    status: 409,
    title: 'Others kept changing the resource at the same time',
    description: 'Nothing was done; repeat the request after the seconds that Retry-After names.',
    transient: true,
  },
  idempotency_in_flight: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still under way',
    description: 'Repeat the request after the seconds that Retry-After names.',
    transient: true,
  },
  precondition_failed: {
    status: 412,
    title: 'If-Match does not name the current version',
    description: 'Read the resource again and repeat with its current ETag.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    description: 'A body may have at most 1 MiB, unless the operation says otherwise.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body has a media type that the operation does not take',
    description:
      'Content-Type must be application/json, or another type that the operation names, in UTF-8.',
  },
  unsupported_content_encoding: {
    status: 415,
    title: 'The body must not be encoded',
    description: 'Any Content-Encoding is refused, `identity` among them: leave the header out.',
  },
  expectation_failed: {
    status: 417,
    title: 'The Expect header asks for something unknown',
    description: 'Only 100-continue is understood.',
  },
  // 422 to 431
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key was used with another request',
    description: 'A key names one request for 24 hours; use a new key for a new request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    description: 'The limit of the tenant is used up; Retry-After names the seconds to wait.',
    transient: true,
  },
  too_many_failed_authentications: {
    status: 429,
    title: 'Too many failed authentications from this address',
    description:
      'Retry-After names the seconds to wait. Requests with a valid key are not affected.',
    transient: true,
  },
  headers_too_large: {
    status: 431,
    title: 'The head of the request is too large',
    description: 'The request line and the headers together may have at most 16 KiB.',
  },
  // 5xx
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    description:
      'The request id finds the cause in the logs. Repeating with the same Idempotency-Key is safe.',
    transient: true,
  },
  server_error: {
    status: 500,
    title: 'Something went wrong on our side',
    description:
      'The request id finds the cause in the logs. Repeating it is safe: a key names one email.',
    transient: true,
    caseName: 'Server Error',
  },
  gateway_error: {
    status: 502,
    title: 'The payment gateway could not be used',
    description: 'The gateway refused the connection or answered with something unintelligible.',
    transient: true,
  },
  overloaded: {
    status: 503,
    title: 'The service has too much to do',
    description:
      'Nothing was done, unless the message says that it may have been; repeat after the seconds that Retry-After names.',
    transient: true,
  },
} as const satisfies Record<string, ErrorRow>;

/** A stable, documented error code. */
export type ErrorCode = keyof typeof ERRORS;

/** One problem, and where it is. */
export interface ErrorDetail {
  /** The part of the request. Default: derived from the pointer. */
  readonly in?: 'body' | 'query' | 'path' | 'header';
  /** A JSON Pointer into the body; of a parameter or header `/query/…`, `/path/…` or `/header/…`. */
  readonly pointer: string;
  readonly detail: string;
}

interface RefusalOptions {
  readonly errors?: readonly ErrorDetail[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The refund that was attempted and failed. */
  readonly refundId?: string | undefined;
}

/** An expected refusal of a request. Carries no stack trace. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly refundId: string | undefined;

  constructor(code: ErrorCode, message: string, options: RefusalOptions) {
    // Every bad request creates a Refusal: collecting a stack would cost more than the rest.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Refusal';
    this.code = code;
    this.status = ERRORS[code].status;
    this.errors = options.errors;
    this.headers = options.headers;
    this.refundId = options.refundId;
  }
}

/**
 * Makes a refusal: `throw refuse('refund_exceeds_refundable')`. The message defaults to the title
 * of the code and is sent to the caller unchanged.
 */
export function refuse(code: ErrorCode, message?: string, options: RefusalOptions = {}): Refusal {
  return new Refusal(code, message ?? ERRORS[code].title, options);
}

/** Whether the same request may get another response later. */
export function isTransient(code: ErrorCode): boolean {
  const row: ErrorRow = ERRORS[code];
  return row.transient === true;
}

/** The body of an error in either form. The problem form has the members of RFC 9457 too. */
export function errorBody(refusal: Refusal, requestId: string, form: 'json' | 'problem'): string {
  const { code, message, refundId } = refusal;
  const { caseName: error }: ErrorRow = ERRORS[code];
  const errors = refusal.errors?.map((each) => ({ in: partOf(each), ...each }));
  const shared = {
    ...{ success: false, message, code, error, requestId },
    ...(errors && { errors }),
    refundId,
  };
  if (form === 'json') return JSON.stringify(shared);
  return JSON.stringify({
    type: problemType(code),
    title: ERRORS[code].title,
    status: refusal.status,
    detail: message,
    ...shared,
  });
}

/** The part of a handler's pointer; pointers from a schema name their part themselves. */
function partOf({ pointer }: ErrorDetail): NonNullable<ErrorDetail['in']> {
  const part = /^\/(query|path|header)\//.exec(pointer)?.[1];
  return part === 'query' || part === 'path' || part === 'header' ? part : 'body';
}

/** The problem type of a code: its entry in the reference page, relative to the host. */
export function problemType(code: ErrorCode): string {
  return `/docs#error-${code}`;
}
