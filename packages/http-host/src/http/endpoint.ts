/** The shape of one endpoint, from which its routing, validation, documentation and access all follow. */
import type { StreamName, TenantId } from '@counterfoil/core';
import type { Environment } from '@counterfoil/engine';
import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { strict, unboundedPattern } from './input-schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Who may call: anybody, or the holder of an API key with the scope (`resource:action`). */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'api-key'; readonly scope: string; readonly requiresUserEmail: boolean };

/** On whose behalf a request is made. */
export interface Principal {
  readonly tenantId: TenantId;
  readonly environment: Environment;
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  /** The UserEmail header: claimed, not proven. Undefined where the endpoint does not require it. */
  readonly actor: string | undefined;
}

/** What may be logged along the way of a request; never bodies, never keys. */
export interface RequestLogger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** All that a handler knows about the request beside its input. */
export interface RequestContext {
  readonly requestId: string;
  /** The W3C traceparent header, if it was a valid one. */
  readonly traceparent: string | undefined;
  /** Throws on a public endpoint: there is none. */
  readonly principal: Principal;
  /** Only on endpoints with `idempotency: 'money'`, and only if the caller sent one. */
  readonly idempotencyKey: string | undefined;
  /** The If-Match header, if it was sent. */
  readonly ifMatch: string | undefined;
  /** The If-None-Match header, if it was sent. */
  readonly ifNoneMatch: string | undefined;
  /** The Accept-Encoding header, if it was sent. */
  readonly acceptEncoding: string | undefined;
  /** Logs with the request id. Made on first use. */
  readonly logger: RequestLogger;
  /** Aborted when the caller has gone, or when a shutdown waits no longer. Made on first use. */
  readonly signal: AbortSignal;
}

type Headers = Readonly<Record<string, string>>;

interface Result {
  readonly status: number;
  /** What the answer is about, in the log when it is given; kept with it for whoever compares the two. */
  readonly stream?: StreamName;
  /** False while the work goes on: under an Idempotency-Key it is then not what a repetition is answered. */
  readonly isFinal?: boolean;
  readonly headers?: Headers;
}

/** An answer to be written as JSON. */
export interface JsonResult extends Result {
  readonly body: unknown;
}

/** An answer that is text or bytes already: ready JSON of a read model, or another media type. */
export interface RawResult extends Result {
  readonly raw: string | Buffer;
  /** Default: application/json. */
  readonly contentType?: string;
}

export type HandlerResult = JsonResult | RawResult;

/** What an endpoint answers when it does what it is for; errors stand in `rejections`. */
export interface ResponseDefinition {
  readonly description: string;
  /** Absent: without content. */
  readonly schema?: z.ZodType;
  /** Default: application/json. */
  readonly contentType?: string;
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
  readonly method: Method;
  /** As in OpenAPI: `/v1/payments/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  /** An object schema over the path's parameters, which arrive as text. */
  readonly params?: P;
  /** An object schema over the query: text, or an array of texts where a name is repeated. */
  readonly query?: Q;
  /** A JSON body. An endpoint without this refuses a body; `.optional()` makes it optional. */
  readonly body?: B;
  /**
   * 'ignored': members of the body that the schema does not name are left out. Default: they are
   * refused, in nested objects too. For callers alone that cannot be brought up to date.
   */
  readonly unknownMembers?: 'ignored';
  readonly responses: Readonly<Record<number, ResponseDefinition>>;
  /** The codes that the handler itself may refuse with; those of the HTTP layer need no mention. */
  readonly rejections: readonly ErrorCode[];
  /** 'money': honours Idempotency-Key. For every operation that moves money or sends mail. */
  readonly idempotency: 'none' | 'money';
  /**
   * 'told': answers carry the version as an ETag. 'checked': If-Match is honoured as well; 'cached':
   * If-None-Match is.
   */
  readonly version?: 'told' | 'checked' | 'cached';
  /** For probes: answered even when all other requests are turned away. */
  readonly answeredUnderOverload?: boolean;
  handle(context: RequestContext, input: Input<P, Q, B>): Promise<HandlerResult>;
}

/** An endpoint as the server keeps it: what its handler expects is known only to itself. */
export interface Endpoint extends Omit<EndpointDefinition, 'handle'> {
  handle(
    context: RequestContext,
    input: { params: unknown; query: unknown; body: unknown },
  ): Promise<HandlerResult>;
}

/** Declares an endpoint; the handler's input is typed by the schemas. */
export function endpoint<
  P extends z.ZodType = NoInput,
  Q extends z.ZodType = NoInput,
  B extends z.ZodType = NoInput,
>(definition: EndpointDefinition<P, Q, B>): Endpoint {
  checkPath(definition);
  checkBounded(definition as unknown as EndpointDefinition);
  const { access, body, query, unknownMembers } = definition;
  return {
    // The server hands a handler only what that handler's own schemas have answered.
    ...(definition as unknown as Endpoint),
    ...(body !== undefined && unknownMembers !== 'ignored' && { body: strict(body) }),
    ...(query !== undefined && { query: strict(query) }),
    ...(query === undefined && access.kind === 'api-key' && { query: NO_PARAMETERS }),
  };
}

/** A probe may be asked with whatever its caller adds against caches; a caller with a key may not. */
const NO_PARAMETERS = z.strictObject({});

/** Whether all that the endpoint answers is JSON, so that a caller who admits none is refused. */
export function answersJson({ responses }: Pick<Endpoint, 'responses'>): boolean {
  for (const status in responses) {
    if (responses[status]?.contentType !== undefined) return false;
  }
  return true;
}

const PATH =
  /^\/(?:[A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9]*\})?(?:\/(?:[A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9]*\}))*$/;

/** The names in a path, in order: `/v1/payments/{id}` has `id`. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
}

/** Input of any length that is held against a pattern is a way to stop the host. */
function checkBounded({ operationId, params, query, body }: EndpointDefinition): void {
  for (const schema of [params, query, body]) {
    const place = schema && unboundedPattern(schema);
    if (place === undefined) continue;
    throw new Error(
      `${operationId}: at ${place} a pattern comes before a maximum length: use bounded() of api/wire.ts`,
    );
  }
}

/** A mistake in a declaration is found at start, not by the first caller. */
function checkPath(definition: { operationId: string; path: string; params?: unknown }): void {
  const { operationId, path, params } = definition;
  if (!PATH.test(path)) throw new Error(`${operationId}: not a path: ${path}`);
  if (pathParameters(path).length > 0 && params === undefined) {
    throw new Error(`${operationId}: the parameters of ${path} have no schema`);
  }
}
