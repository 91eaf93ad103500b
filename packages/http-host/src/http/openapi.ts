/** Generates the OpenAPI 3.1 document from the endpoints that are served. */
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { codeFor } from './email-errors.ts';
import type { Endpoint } from './endpoint.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import { guideOf, type TermGroup } from './openapi-guide.ts';
import { showSamples } from './openapi-samples.ts';
import { simplifyShapes } from './openapi-shapes.ts';
import { linkTerms } from './openapi-terms.ts';
import { describeFields, type Examples, showExamples } from './openapi-words.ts';

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** The description of each tag; every tag of an endpoint should be here. In the order of the reference. */
  readonly tags: Readonly<Record<string, string>>;
  /** Of the glossary. */
  readonly terms?: readonly TermGroup[];
  /** Descriptions of fields without one in the schema, by name or by `Schema.name`. */
  readonly fieldMeanings?: Readonly<Record<string, string>>;
  readonly examples?: Examples;
}

export type OpenApiDocument = ReturnType<typeof createDocument>;

const ErrorDetail = z
  .object({
    in: z
      .enum(['body', 'query', 'path', 'header'])
      .meta({ description: 'The part of the request that is meant' }),
    pointer: z.string().meta({
      description:
        'JSON Pointer to what is wrong: into the body, or `/query/…`, `/path/…` or `/header/…`',
      example: '/amount',
    }),
    detail: z.string().meta({ description: 'What is wrong', example: 'amount is required' }),
  })
  .meta({ id: 'ErrorDetail' });

const errorMembers = {
  success: z.literal(false).meta({ description: 'Always false' }),
  message: z.string().meta({ description: 'For a reader; not to be parsed' }),
  code: z.string().meta({ description: 'Stable: see the list of codes', example: 'not_found' }),
  error: z.string().optional().meta({
    description: 'What the contract calls the case: of the email service only',
    example: 'Invalid Tenant Key',
  }),
  requestId: z.string().meta({ description: 'As in X-Request-Id' }),
  refundId: z.string().optional().meta({
    format: 'uuid',
    description: 'With `refund_failed`: the refund that the gateway refused',
  }),
  errors: z.array(ErrorDetail).optional().meta({ description: 'The fields at fault' }),
};

const ErrorBody = z
  .object(errorMembers)
  .meta({ id: 'Error', description: 'What every error looks like' });

const Problem = z
  .object({
    type: z.string().meta({ description: 'Where the code is described' }),
    title: z.string().meta({ description: 'What the code means' }),
    status: z.int32().meta({ description: 'The status of the answer' }),
    detail: z.string().meta({ description: 'As `message`' }),
    ...errorMembers,
  })
  .meta({ id: 'Problem', description: 'The same with the members of RFC 9457' });

const EXAMPLE_REQUEST_ID = '01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f';

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

/** Components: every response refers to several of them. */
const HEADERS = {
  'X-Request-Id': {
    description: 'The id that was sent, if usable, else a new one; it is in the logs as well',
    schema: { type: 'string' },
    example: EXAMPLE_REQUEST_ID,
  },
  'RateLimit-Policy': {
    description: 'The limit `q` within `w` seconds, for the tenant in this environment',
    schema: { type: 'string' },
    example: '"default";q=100;w=60',
  },
  RateLimit: {
    description: 'What is left, `r`, and the seconds until it is full again, `t`',
    schema: { type: 'string' },
    example: '"default";r=99;t=60',
  },
  'Idempotency-Replayed': {
    description: 'Present, and `true`, on an answer that was given before',
    schema: { type: 'string', const: 'true' },
  },
  ETag: {
    description: 'The version of the resource, for If-Match',
    schema: { type: 'string' },
    example: '"3"',
  },
  Location: {
    description: 'Where what was made can be read; of a part of a resource, that resource',
    schema: { type: 'string' },
    example: '/v1/payments/01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f',
  },
  'WWW-Authenticate': {
    description: 'The scheme of a raw API key, which no other software knows',
    schema: { type: 'string' },
    example: 'ApiKey realm="counterfoil"',
  },
  Allow: {
    description: 'The methods that the path takes',
    schema: { type: 'string' },
    example: 'GET, HEAD',
  },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' }, example: 1 },
} as const;

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The API key as its raw value, without a Bearer prefix',
  },
  clientId: {
    type: 'apiKey',
    in: 'header',
    name: 'ClientId',
    description: 'The tenant id: the id of the parent company',
  },
  userEmail: {
    type: 'apiKey',
    in: 'header',
    name: 'UserEmail',
    description: 'The email of the party that makes the request, for the audit trail',
  },
  leadKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Lead-Key',
    description: 'A publishable lead key, from a page of an origin that it allows',
  },
  leadSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret lead key, from a server',
  },
  paymentKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Payment-Key',
    description: 'A publishable payment key, from a page of an origin that it allows',
  },
  tenantKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Tenant-Key',
    description: 'The key of the email service; it may stand as `tenant_key` in the body instead',
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description:
      'In place of a key: the signature of Standard Webhooks (`v1,…`, beside `webhook-id` and `webhook-timestamp`) with the secret of the provider',
  },
  gatewaySignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Stripe-Signature',
    description:
      'In place of a key: the signature of the gateway (`t=…,v1=…`) with a secret in the credentials of the merchant account',
  },
} as const;

const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names the request: a repetition within 24 hours gets the first answer, and the money moves once. A key belongs to one operation (`/v1/payments` and `/v1/card/submit` are one): the same key at both refund endpoints is two refunds, so repeat a request where it was first sent. One that holds a card number is refused.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: 'order-1042-refund-1',
} as const;

const IF_MATCH_PARAMETER = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the version that is to be changed; another one is refused with 412.',
  schema: { type: 'string', minLength: 1 },
  example: '"3"',
} as const;

const IF_NONE_MATCH_PARAMETER = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what the caller has; if it is still the same, the answer is 304.',
  schema: { type: 'string' },
  example: 'W/"3"',
} as const;

/** Codes of the protocol, for every operation. */
const PROTOCOL_CODES = [
  'malformed_request',
  'duplicate_header',
  'host_required',
  'method_not_allowed',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
] as const satisfies readonly ErrorCode[];

/** The codes that the HTTP layer itself may return for an operation. */
export function layerCodes(operation: Endpoint): ErrorCode[] {
  const { access, body, upload, params, query, idempotency } = operation;
  const codes: ErrorCode[] = [...PROTOCOL_CODES, 'not_acceptable', 'internal_error'];
  // An id that is empty, too long or not decodable matches no route.
  if (params !== undefined) codes.push('route_not_found');
  if (!operation.answeredUnderOverload) codes.push('overloaded');
  if (access.kind === 'api-key') {
    codes.push('client_id_required', 'user_email_invalid', 'card_invalid');
    codes.push('user_email_required', 'user_unknown');
    codes.push('api_key_missing', 'bearer_prefix', 'api_key_invalid');
    codes.push('api_key_revoked', 'api_key_expired', 'tenant_mismatch', 'insufficient_scope');
    if (access.liveOnly === true) codes.push('live_data_forbidden');
    if ((access.orSigned ?? access.orSignedByGateway) !== undefined)
      codes.push('signature_invalid');
    codes.push('rate_limited', 'too_many_failed_authentications');
  }
  if (access.kind === 'tenant-key') {
    codes.push('invalid_tenant_key', 'tenant_mismatch');
    codes.push('rate_limited', 'too_many_failed_authentications');
  }
  if ('knowsOrigin' in access) {
    codes.push('api_key_missing', 'api_key_invalid', 'api_key_revoked', 'api_key_expired');
    codes.push('tenant_mismatch', 'origin_not_allowed');
    codes.push('rate_limited', 'too_many_failed_authentications');
  }
  if (body !== undefined || params !== undefined || query !== undefined) {
    codes.push('invalid_request', 'card_invalid');
  }
  if (upload !== undefined) {
    codes.push('incomplete_body', 'payload_too_large', 'unsupported_media_type');
    codes.push('unsupported_content_encoding');
  } else if (body === undefined) codes.push('body_not_allowed');
  else {
    codes.push('incomplete_body', 'invalid_utf8', 'invalid_json', 'json_too_deep');
    codes.push('payload_too_large', 'unsupported_media_type', 'unsupported_content_encoding');
    if (access.kind === 'api-key') codes.push('user_email_mismatch');
  }
  if (idempotency === 'money') {
    codes.push('idempotency_key_invalid', 'idempotency_in_flight', 'idempotency_key_reused');
  }
  const ofProtocol = new Set<ErrorCode>(PROTOCOL_CODES);
  const named = codes.map((code) => (ofProtocol.has(code) ? code : codeFor(operation, code)));
  return [...new Set(named)];
}

/** Generates the document of these endpoints. */
export function makeOpenApiDocument(
  endpoints: readonly Endpoint[],
  info: DocumentInfo,
): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of endpoints) {
    const method = operation.method.toLowerCase() as 'get';
    paths[operation.path] = { ...paths[operation.path], [method]: operationOf(operation) };
  }
  const used = new Set(endpoints.map(({ tag }) => tag));
  const codes = codesOf(endpoints);
  const document: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: {
      title: info.title,
      version: info.version,
      description: guideOf(info.description, codes, info.terms ?? []),
      license: LICENSE,
    },
    servers: [{ url: '/', description: 'This host' }],
    tags: Object.entries(info.tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: componentsOf(endpoints),
    'x-error-codes': codes,
  };
  const made = createDocument(document);
  simplifyShapes(made);
  describeFields(made, info.fieldMeanings ?? {});
  linkTerms(made, info.terms ?? []);
  if (info.examples !== undefined) showExamples(made, info.examples);
  showSamples(made);
  return made;
}

/** The rows of the codes that some operation lists. */
function codesOf(endpoints: readonly Endpoint[]): Partial<typeof ERRORS> {
  const named = new Set<string>(endpoints.flatMap(failureCodes));
  return pick(ERRORS, named);
}

function operationOf(operation: Endpoint): ZodOpenApiOperationObject {
  const { params, query, body, upload, access } = operation;
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: descriptionOf(operation),
    security: securityOf(access),
    ...((params ?? query) !== undefined && {
      requestParams: {
        ...(params !== undefined && { path: params as z.ZodObject }),
        ...(query !== undefined && { query: query as z.ZodObject }),
      },
    }),
    ...parametersOf(operation),
    ...(body !== undefined && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: body }, ...otherTypes(operation, body) },
      },
    }),
    ...(upload !== undefined && {
      requestBody: {
        required: true,
        description: `At most ${upload.maxBytes} bytes`,
        content: { [upload.mediaType]: { schema: { type: 'string' }, example: upload.example } },
      },
    }),
    responses: { ...successes(operation), ...failures(operation) },
  };
}

/** The media types of the body beside JSON. */
function otherTypes({ bodyTypes = [] }: Endpoint, body: z.ZodType) {
  const text = { type: 'string' } as const;
  return Object.fromEntries(
    bodyTypes.map(({ mediaType, example }) => [
      mediaType,
      example === undefined ? { schema: body } : { schema: text, example },
    ]),
  );
}

/** The headers that an operation takes in addition to those of every request. */
function parametersOf({ idempotency, version }: Endpoint) {
  const parameters = [
    ...(idempotency === 'money' ? [IDEMPOTENCY_PARAMETER] : []),
    ...(version === 'checked' ? [IF_MATCH_PARAMETER] : []),
    ...(version === 'cached' ? [IF_NONE_MATCH_PARAMETER] : []),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function descriptionOf({ description, access, action }: Endpoint): string {
  const scope = access.kind === 'api-key' ? [`Scope: \`${access.scope}\`.`] : [];
  const recorded = action === undefined ? [] : [`Activity: \`${action}\`.`];
  const facts = [...scope, ...recorded].join(' ');
  return facts === '' ? description : `${description}\n\n${facts}`;
}

function securityOf(access: Endpoint['access']): Record<string, string[]>[] {
  if (access.kind === 'public') return [];
  if (access.kind === 'payment-key') return [{ paymentKey: [] }];
  if (access.kind === 'lead-key') return [{ leadSecret: [] }, { leadKey: [] }];
  if (access.kind === 'tenant-key') return [{ tenantKey: [] }];
  const { requiresUserEmail, orSigned, orSignedByGateway } = access;
  const keyed = { apiKey: [], clientId: [], ...(requiresUserEmail && { userEmail: [] }) };
  return [
    keyed,
    ...(orSigned === undefined ? [] : [{ webhookSignature: [] }]),
    ...(orSignedByGateway === undefined ? [] : [{ gatewaySignature: [] }]),
  ];
}

function headersOf({ access, idempotency }: Endpoint): (keyof typeof HEADERS)[] {
  return [
    'X-Request-Id',
    ...(access.kind !== 'public' ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
    ...(idempotency === 'money' ? (['Idempotency-Replayed'] as const) : []),
  ];
}

function headerReferences(names: readonly (keyof typeof HEADERS)[]) {
  return Object.fromEntries(names.map((name) => [name, reference('headers', name)]));
}

function reference(kind: 'headers' | 'examples', name: string): { $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

type Responses = Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject>;

function successes(operation: Endpoint): Responses {
  const responses: Responses = {};
  for (const [status, definition] of Object.entries(operation.responses)) {
    const { description, schema, contentType = 'application/json', orElse } = definition;
    responses[status as '200'] = {
      description,
      headers: headerReferences([
        ...headersOf(operation),
        ...(operation.version === undefined ? [] : (['ETag'] as const)),
        ...(status === '201' ? (['Location'] as const) : []),
      ]),
      ...(schema !== undefined &&
        status !== '204' && {
          content: {
            [contentType]: { schema },
            ...Object.fromEntries(
              [orElse ?? []].flat().map((each) => [each, { schema: { type: 'string' } }]),
            ),
          },
        }),
    };
  }
  return responses;
}

/** One response per status, with an example of each code. A declared response takes precedence. */
function failures(operation: Endpoint): Responses {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of failureCodes(operation)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Responses = {};
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[`${status}` as '400'] = failure(operation, codes);
  }
  return responses;
}

function failureCodes(operation: Endpoint): ErrorCode[] {
  const codes = new Set([...layerCodes(operation), ...operation.rejections]);
  return [...codes].filter((code) => operation.responses[ERRORS[code].status] === undefined);
}

function failure(operation: Endpoint, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const headers = [...headersOf(operation), ...codes.flatMap(headersOfCode)];
  const examples = Object.fromEntries(codes.map((code) => [code, reference('examples', code)]));
  return {
    description: codes.map((code) => `- \`${code}\`: ${ERRORS[code].title}`).join('\n'),
    headers: headerReferences(headers),
    content: {
      'application/json': { schema: ErrorBody, examples },
      'application/problem+json': { schema: Problem },
    },
  };
}

/** The headers of a refusal. */
function headersOfCode(code: ErrorCode): (keyof typeof HEADERS)[] {
  if (RETRIED.has(code)) return ['Retry-After'];
  if (ERRORS[code].status === 401) return ['WWW-Authenticate'];
  return code === 'method_not_allowed' ? ['Allow'] : [];
}

const RETRIED: ReadonlySet<ErrorCode> = new Set([
  'rate_limited',
  'too_many_failed_authentications',
  'overloaded',
  'idempotency_in_flight',
  'concurrent_update',
]);

function exampleOf(code: ErrorCode) {
  const { title } = ERRORS[code];
  const value = { success: false, message: title, code, requestId: EXAMPLE_REQUEST_ID };
  return { summary: title, value };
}

/** The components that some operation refers to. */
function componentsOf(endpoints: readonly Endpoint[]): ZodOpenApiComponentsObject {
  const codes = endpoints.flatMap(failureCodes);
  const schemes = endpoints.flatMap(({ access }) =>
    securityOf(access).flatMap((each) => Object.keys(each)),
  );
  const headers = new Set<string>(endpoints.flatMap(headersOf));
  for (const code of codes) for (const name of headersOfCode(code)) headers.add(name);
  if (endpoints.some(({ responses }) => responses[201] !== undefined)) headers.add('Location');
  if (endpoints.some(({ version }) => version !== undefined)) headers.add('ETag');
  return {
    securitySchemes: pick(SECURITY_SCHEMES, new Set(schemes)),
    headers: pick(HEADERS, headers),
    examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
  };
}

function pick<T extends object>(all: T, names: ReadonlySet<string>): Partial<T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name))) as Partial<T>;
}
