/** The definition of one endpoint, from which routing, validation, documentation and access are derived. */
import type { StreamName, Subject, TenantId } from '@counterfoil/core';
import type { Environment, KeyRecord, SignedMessage } from '@counterfoil/engine';
import { z } from 'zod';
import type { ErrorCode, Refusal } from './errors.ts';
import { secretMember, strict, unboundedPattern } from './input-schema.ts';
import type { UploadDefinition } from './upload.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Who may call: everyone, or the holder of an API key with the scope (`resource:action`). */
export type Access =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'api-key';
      readonly scope: string;
      readonly requiresUserEmail: boolean;
      /** For what has no sandbox, such as keys and settings: a test key is refused. Default: false. */
      readonly liveOnly?: boolean;
      /** Takes messages without a key too, signed as Standard Webhooks say: who has signed, if anybody. */
      readonly orSigned?: (request: SignedRequest) => Promise<KeyRecord | undefined>;
      /** The same for messages that a gateway signs in its own manner. */
      readonly orSignedByGateway?: (
        request: GatewaySignedRequest,
      ) => Promise<KeyRecord | undefined>;
    }
  /** A publishable lead key from an origin that it allows, or a secret one. Answers carry CORS headers. */
  | {
      readonly kind: 'lead-key';
      /** Whether some key allows pages of this origin: they may read refusals too. */
      readonly knowsOrigin: (origin: string) => Promise<boolean>;
    }
  /** A publishable payment key, from an origin that it allows or from pages of the host itself. */
  | {
      readonly kind: 'payment-key';
      readonly knowsOrigin: (origin: string) => Promise<boolean>;
    }
  /** The key of the email service: in the `X-Tenant-Key` header, or as `tenant_key` of the body. */
  | { readonly kind: 'tenant-key' };

export interface SignedRequest extends SignedMessage {
  /** Names and values of the query; of a repeated name, a list. */
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
}

export interface GatewaySignedRequest extends Pick<SignedRequest, 'query' | 'body'> {
  /** The header in which the gateway signs. */
  readonly signature: string;
  /** Of the path. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** The authenticated caller. */
export interface Principal {
  readonly tenantId: TenantId;
  readonly environment: Environment;
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  /** The UserEmail header: claimed, not proven. Undefined where the endpoint does not require it. */
  readonly actor: string | undefined;
  /** Of a key that is bound to an application. */
  readonly bound?: { readonly applicationId: number; readonly isPublishable: boolean };
}

/** The logger of a request; bodies and keys are never logged. */
export interface RequestLogger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What a page of a refusal may ask. */
export interface RefusedRequest {
  readonly context: RequestContext;
  /** Of the path, as far as it was understood. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** What a handler knows about the request besides its input. */
export interface RequestContext {
  readonly requestId: string;
  /** Of the connection. */
  readonly remoteAddress: string | undefined;
  /** The Host header, if it was sent. */
  readonly host: string | undefined;
  /** Takes the id that the request is about, for the record of its activity. */
  noteSubject(id: unknown): void;
  /** The W3C traceparent header, if valid. */
  readonly traceparent: string | undefined;
  /** Throws on a public endpoint. */
  readonly principal: Principal;
  /** Only on endpoints with `idempotency: 'money'`, if the caller sent one. */
  readonly idempotencyKey: string | undefined;
  /** The If-Match header, if it was sent. */
  readonly ifMatch: string | undefined;
  /** The Origin header, if it was sent. */
  readonly origin: string | undefined;
  /** The Cookie header, if it was sent. */
  readonly cookie: string | undefined;
  /** The User-Agent header, if it was sent. */
  readonly userAgent: string | undefined;
  /** The If-None-Match header, if it was sent. */
  readonly ifNoneMatch: string | undefined;
  /** The one of these media types that the Accept header prefers; the first where it does not say. */
  accepted<Type extends string>(types: readonly Type[]): Type | undefined;
  /** The body of an endpoint with `upload`. May be read once. */
  content(): AsyncIterable<Uint8Array>;
  /** Logs with the request id. Created on first use. */
  readonly logger: RequestLogger;
  /** Aborted when the caller disconnects, or when a shutdown stops waiting. Created on first use. */
  readonly signal: AbortSignal;
}

type Headers = Readonly<Record<string, string>>;

interface Result {
  readonly status: number;
  /** The stream that the response is about; stored with it. */
  readonly stream?: StreamName;
  /** The single person that the response is about: an erasure removes it. Others are searched. */
  readonly subject?: Subject;
  /**
   * False while the work continues: a repetition under the same Idempotency-Key is not answered
   * with this response.
   */
  readonly isFinal?: boolean;
  readonly headers?: Headers;
}

/** A response to be serialized as JSON. */
export interface JsonResult extends Result {
  readonly body: unknown;
}

/** A response that is text or bytes already: serialized JSON of a read model, or another media type. */
export interface RawResult extends Result {
  readonly raw: string | Buffer;
  /** Default: application/json. */
  readonly contentType?: string;
  /** The same buffer every time: it is compressed once. */
  readonly isConstant?: boolean;
  /** The same in brotli, where it is there already. */
  readonly brotli?: Buffer;
}

/** A response of any length, sent as it is made. Not for operations with an Idempotency-Key. */
export interface StreamResult extends Result {
  readonly chunks: AsyncIterable<string>;
  readonly contentType: string;
}

export type HandlerResult = JsonResult | RawResult | StreamResult;

/** A successful response; errors are listed in `rejections`. */
export interface ResponseDefinition {
  readonly description: string;
  /** Absent: without content. */
  readonly schema?: z.ZodType;
  /** Default: application/json. */
  readonly contentType?: string;
  /** Answered instead where the Accept header prefers them: see `RequestContext.accepted`. */
  readonly orElse?: string | readonly string[];
}

/** A media type of bodies beside application/json. */
export interface BodyType {
  readonly mediaType: string;
  /** Other parameters than the charset are admitted. Default: false. */
  readonly anyParameters?: boolean;
  /** The bytes as a JSON value; throws a Refusal. Default: JSON. */
  readonly read?: (bytes: Buffer) => unknown;
  /** Of a type that is no JSON: the document has it in place of the schema. */
  readonly example?: string;
}

export type NoInput = z.ZodUndefined;

/** The validated input: the output of each schema, undefined where the endpoint has none. */
export interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

export interface EndpointDefinition<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  /** Unique; also the scope of an Idempotency-Key, so it is never renamed. */
  readonly operationId: string;
  /**
   * What activity records requests as: the part of the ledger and its call, as `payments.refund`. For
   * every command, and for reads that are recorded. Absent: nothing is recorded of requests here; calls
   * of `engine.as()` record themselves.
   */
  readonly action?: string;
  /** 'exports': only answers that are files rather than JSON. Default: every request. */
  readonly recorded?: 'exports';
  /** What stands before the id of the path in the subject of the activity. */
  readonly subjectPrefix?: string;
  readonly method: Method;
  /** As in OpenAPI: `/v1/payments/{id}`. With `/*` at its end all that nothing else is found for. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  /** An object schema of the path parameters, which arrive as text. */
  readonly params?: P;
  /** An object schema of the query: text, or an array of texts where a name is repeated. */
  readonly query?: Q;
  /** A JSON body. Without this the endpoint refuses a body; `.optional()` makes it optional. */
  readonly body?: B;
  /** Other media types of the body. */
  readonly bodyTypes?: readonly BodyType[];
  /** A body of another type, read with `content()` of the context. It has a limit of its own. */
  readonly upload?: UploadDefinition;
  /** Refuses an upload before any of it is received. */
  readonly admit?: (context: RequestContext) => Promise<void>;
  /**
   * 'ignored': unknown members of the body are dropped, for callers that cannot be updated.
   * Default: they are refused, in nested objects too.
   */
  readonly unknownMembers?: 'ignored';
  readonly responses: Readonly<Record<number, ResponseDefinition>>;
  /** The codes that the handler itself may refuse with; those of the HTTP layer are added. */
  readonly rejections: readonly ErrorCode[];
  /** 'money': supports Idempotency-Key. For every operation that moves money or sends mail. */
  readonly idempotency: 'none' | 'money';
  /**
   * 'sent': responses carry the version as an ETag. 'checked': If-Match is honoured too; 'cached':
   * If-None-Match is.
   */
  readonly version?: 'sent' | 'checked' | 'cached';
  /** Responses hold keys or secrets, such as those that are shown once: they are never compressed. */
  readonly holdsSecrets?: boolean;
  /** What a refusal is shown as, for pages. Default: JSON. */
  readonly refusalPage?: (
    refusal: Refusal,
    requestId: string,
    request: RefusedRequest,
  ) => RawResult | Promise<RawResult>;
  /** For probes: answered even under overload. */
  readonly answeredUnderOverload?: boolean;
  handle(context: RequestContext, input: Input<P, Q, B>): Promise<HandlerResult>;
}

/** An endpoint as the server keeps it: the input type of its handler is erased. */
export interface Endpoint extends Omit<EndpointDefinition, 'handle'> {
  handle(
    context: RequestContext,
    input: { params: unknown; query: unknown; body: unknown },
  ): Promise<HandlerResult>;
}

/** Declares an endpoint; the schemas type the handler's input. */
export function endpoint<
  P extends z.ZodType = NoInput,
  Q extends z.ZodType = NoInput,
  B extends z.ZodType = NoInput,
>(definition: EndpointDefinition<P, Q, B>): Endpoint {
  checkPath(definition);
  checkBounded(definition as unknown as EndpointDefinition);
  checkSecrets(definition as unknown as EndpointDefinition);
  const { access, body, query, unknownMembers } = definition;
  return {
    // The server passes a handler only what that handler's own schemas returned.
    ...(definition as unknown as Endpoint),
    ...(body !== undefined && unknownMembers !== 'ignored' && { body: strict(body) }),
    ...(query !== undefined && { query: strict(query) }),
    ...(query === undefined && hasOwnQuery(access) && { query: NO_PARAMETERS }),
  };
}

function hasOwnQuery({ kind }: Access): boolean {
  return kind === 'api-key' || kind === 'tenant-key';
}

/** Public endpoints accept any query parameters, such as cache busters; endpoints with a key do not. */
const NO_PARAMETERS = z.strictObject({});

/** Whether all responses are JSON: a caller whose Accept header excludes JSON is then refused. */
export function answersJson({ responses }: Pick<Endpoint, 'responses'>): boolean {
  for (const status in responses) {
    const { contentType, orElse } = responses[status] ?? {};
    if (contentType !== undefined || orElse !== undefined) return false;
  }
  return true;
}

const PATH =
  /^\/(?:[A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9]*\})?(?:\/(?:[A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9]*\}))*(?:\/\*)?$/;

/** The names in a path, in order: `/v1/payments/{id}` has `id`. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
}

/** Matching a pattern against input of unbounded length allows denial of service. */
function checkBounded({ operationId, params, query, body }: EndpointDefinition): void {
  for (const schema of [params, query, body]) {
    const place = schema && unboundedPattern(schema);
    if (place === undefined) continue;
    throw new Error(
      `${operationId}: at ${place} a pattern comes before a maximum length: use bounded() of api/wire.ts`,
    );
  }
}

/** Responses with keys and secrets must not be compressed by mistake. */
function checkSecrets({ operationId, responses, holdsSecrets }: EndpointDefinition): void {
  if (holdsSecrets === true) return;
  for (const { schema } of Object.values(responses)) {
    const place = schema && secretMember(schema);
    if (place === undefined) continue;
    throw new Error(`${operationId}: its responses have ${place}: set holdsSecrets`);
  }
}

/** Mistakes in a declaration are reported at start. */
function checkPath(definition: { operationId: string; path: string; params?: unknown }): void {
  const { operationId, path, params } = definition;
  if (!PATH.test(path)) throw new Error(`${operationId}: not a path: ${path}`);
  if (pathParameters(path).length > 0 && params === undefined) {
    throw new Error(`${operationId}: the parameters of ${path} have no schema`);
  }
}
