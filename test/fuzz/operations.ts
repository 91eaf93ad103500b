/** What is read of an operation of the document. */
import type { Documented, Operation } from '../http-host/documented.ts';
import type { Json } from './schema-arbitrary.ts';

/** The only type that bodies are made in: files, CSV, JSON lines and merge patches have their own tests. */
export const JSON_TYPE = 'application/json';

export function takesJson({ path, node }: Operation): boolean {
  // Of what was kept or sent before: the contract's tests ask for it.
  if (path.includes('{digest}') || path.includes('{deliveryId}')) return false;
  // Keys of pages and of mail, origins, the widget and files of the reference have their own tests.
  if (/^\/(api\/public|api\/email|widget|docs\/)/.test(path)) return false;
  return node.requestBody === undefined || node.requestBody.content[JSON_TYPE] !== undefined;
}

export function isPublic({ node }: Operation): boolean {
  return node.security.length === 0;
}

export function needsUserEmail({ node }: Operation): boolean {
  return node.security[0]?.userEmail !== undefined;
}

export function honoursKeys(operation: Operation): boolean {
  return parametersIn(operation, 'header').some(({ name }) => name === 'Idempotency-Key');
}

/** The scope that the description of an operation names; a public one has none. */
export function scopeOf({ node }: Operation): string | undefined {
  return /Scope: `([^`]+)`/.exec(node.description)?.[1];
}

/** The parameters of an operation that stand in this part of a request. */
export function parametersIn({ node }: Operation, where: 'path' | 'query' | 'header'): Json[] {
  return (node.parameters ?? []).filter((each: Json) => each.in === where);
}

/** Whether the path names a customer: by a number, where payments have a UUID. */
export function isAboutCustomer({ path }: Operation): boolean {
  return path.startsWith('/customers/{id}');
}

/** Whether it names a subscription, by a number too. */
export function isAboutSubscription({ path }: Operation): boolean {
  return path.startsWith('/v1/subscriptions/{id}');
}

export function isAboutCheckout({ path }: Operation): boolean {
  return path.startsWith('/v1/checkout-sessions/{id}');
}

/** `/api/admin/keys` of `/api/admin/keys/{id}/rotate`: a collection whose item the path names. */
export function collectionOf({ path }: Operation): string | undefined {
  return /^(\/api\/admin\/\w+)\/\{id\}/.exec(path)?.[1];
}

export function collectionsOf({ operations }: Documented): string[] {
  return [...new Set(operations.flatMap((each) => collectionOf(each) ?? []))];
}

/** An unknown id. */
export const NOWHERE = '0198c0de-0000-7000-8000-000000000000';
const NO_NUMBER = '2000000000';

export function nowhereFor(operation: Operation): string {
  return idTypeOf(operation) === 'integer' ? NO_NUMBER : NOWHERE;
}

/** What the path names something by. A text may be anything, as that of a built-in role. */
export function idTypeOf(operation: Operation): 'uuid' | 'integer' | 'text' | undefined {
  const [id] = parametersIn(operation, 'path');
  if (id === undefined) return undefined;
  if (id.schema.type === 'integer') return 'integer';
  return id.schema.format === 'uuid' ? 'uuid' : 'text';
}
