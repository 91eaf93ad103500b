/** Checks requests and answers against Stripe's published OpenAPI document. */
import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';
import {
  ADDED_PARAMETERS,
  ADDED_PROPERTIES,
  CHANGED_PROPERTIES,
  NO_LONGER_REQUIRED,
} from './document-additions.ts';
import type { FormObject, FormValue } from './form.ts';
import type { Method } from './route.ts';

/** The environment variable that names the document's path; without it nothing is checked. */
export const DOCUMENT_VARIABLE = 'STRIPE_OPENAPI';

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

const SCHEMAS = '#/components/schemas/';
/** A reference that is compiled when it is first met: most of the document never is. */
const REFERENCE = 'referenceTo';
const OPTIONS = { strict: false, validateFormats: false, allErrors: true };

export class PublishedDocument {
  readonly #document: JsonObject;
  /** Answers are taken as they are; what is form-encoded has strings for numbers. */
  readonly #answers = new Ajv(OPTIONS);
  readonly #requests = new Ajv({ ...OPTIONS, coerceTypes: true });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(path: string) {
    this.#document = JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
    this.#answers.addKeyword(referenceKeyword((name) => this.#schema(name)));
  }

  /** `GET /v1/refunds/{refund}`, of each endpoint. */
  endpoints(): readonly string[] {
    return Object.entries(objectAt(this.#document, 'paths')).flatMap(([path, methods]) =>
      Object.keys(methods as JsonObject).map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  /** @param form - The query of a GET, the body of others. */
  checkRequest(method: Method, path: string, form: FormObject, file = false): readonly string[] {
    const operation = this.#operation(method, path);
    if (operation === undefined) return [`${method} ${path} is not in the document`];
    const name = `${method} ${path}`;
    const validate = this.#compile(`request ${name}`, () => {
      const schema = method === 'GET' ? querySchema(operation) : bodySchema(operation);
      return this.#requests.compile(closed(schema, { added: ADDED_PARAMETERS[name] }));
    });
    const body = { ...(plain(form) as Record<string, unknown>), ...(file ? { file: '' } : {}) };
    return mismatches(`request ${name}`, validate, body);
  }

  checkAnswer(method: Method, path: string, status: number, body: unknown): readonly string[] {
    const operation = this.#operation(method, path);
    if (operation === undefined) return [`${method} ${path} is not in the document`];
    const outcome = status === 200 ? '200' : 'default';
    const name = `answer ${outcome} of ${method} ${path}`;
    const validate = this.#compile(name, () => {
      const answer = objectAt(operation, 'responses', outcome, 'content', 'application/json');
      return this.#answers.compile(closed(objectAt(answer, 'schema')));
    });
    return mismatches(name, validate, body);
  }

  checkObject(name: string, object: unknown): readonly string[] {
    return mismatches(name, this.#schema(name), object);
  }

  #schema(name: string): ValidateFunction {
    return this.#compile(`schema ${name}`, () => {
      const schema = objectAt(this.#document, 'components', 'schemas', name);
      return this.#answers.compile(
        closed(schema, {
          added: ADDED_PROPERTIES[name],
          changed: CHANGED_PROPERTIES[name],
          optional: NO_LONGER_REQUIRED[name],
        }),
      );
    });
  }

  #operation(method: Method, path: string): JsonObject | undefined {
    const methods = objectAt(this.#document, 'paths')[path] as JsonObject | undefined;
    return methods?.[method.toLowerCase()] as JsonObject | undefined;
  }

  #compile(name: string, make: () => ValidateFunction): ValidateFunction {
    const known = this.#compiled.get(name);
    if (known !== undefined) return known;
    const compiled = make();
    this.#compiled.set(name, compiled);
    return compiled;
  }
}

function referenceKeyword(schemaOf: (name: string) => ValidateFunction): FuncKeywordDefinition {
  const validate: FuncKeywordDefinition['validate'] = (name: string, data, _parent, context) => {
    const referred = schemaOf(name);
    if (referred(data) === true) return true;
    const at = context?.instancePath ?? '';
    if (validate !== undefined) {
      validate.errors = (referred.errors ?? []).map((error) => ({
        ...error,
        instancePath: `${at}${error.instancePath}`,
      }));
    }
    return false;
  };
  return { keyword: REFERENCE, schemaType: 'string', errors: 'full', validate };
}

function mismatches(what: string, validate: ValidateFunction, value: unknown): readonly string[] {
  if (validate(value) === true) return [];
  const errors = validate.errors ?? [];
  const telling = errors.filter(({ keyword, params }) => {
    const ofNull = keyword === 'type' && params['type'] === 'null';
    return keyword !== 'anyOf' && keyword !== REFERENCE && !ofNull;
  });
  return (telling.length > 0 ? telling : errors).map((error) => `${what}: ${shown(error)}`);
}

function shown({ instancePath, message, params }: Partial<ErrorObject>): string {
  const extra: unknown = params?.['additionalProperty'];
  return `${instancePath || '/'} ${message}${typeof extra === 'string' ? `: ${extra}` : ''}`;
}

interface Changes {
  readonly added?: readonly string[] | undefined;
  readonly changed?: readonly string[] | undefined;
  readonly optional?: readonly string[] | undefined;
}

/** What JSON Schema and OpenAPI 3.0 share, and what is taken over as it is. */
const TAKEN_OVER = ['type', 'enum', 'maxLength', 'pattern'];

/**
 * OpenAPI 3.0 as JSON Schema: `nullable` beside it, and no properties beside the declared ones.
 * An object that declares no properties says nothing of what it holds.
 */
function closed(schema: Json, changes: Changes = {}): JsonObject {
  const given = schema as JsonObject;
  const out: Record<string, Json> = {};
  for (const key of TAKEN_OVER) {
    if (given[key] !== undefined) out[key] = given[key];
  }
  const { $ref: reference, items, anyOf, additionalProperties: further, required } = given;
  if (reference !== undefined) out[REFERENCE] = String(reference).replace(SCHEMAS, '');
  if (items !== undefined) out['items'] = closed(items);
  if (Array.isArray(anyOf)) out['anyOf'] = anyOf.map((each: Json) => closed(each));
  if (isObject(further)) out['additionalProperties'] = closed(further);
  if (Array.isArray(required)) {
    out['required'] = required.filter((name) => !changes.optional?.includes(String(name)));
  }
  const properties = isObject(given['properties']) ? Object.entries(given['properties']) : [];
  if (properties.length > 0) {
    const any = [...(changes.added ?? []), ...(changes.changed ?? [])].map((name) => [name, {}]);
    out['properties'] = {
      ...Object.fromEntries(properties.map(([name, each]) => [name, closed(each)])),
      ...Object.fromEntries(any),
    };
    out['additionalProperties'] ??= false;
  }
  return given['nullable'] === true ? { anyOf: [out, { type: 'null' }] } : out;
}

function querySchema(operation: JsonObject): JsonObject {
  const query = (operation['parameters'] as readonly JsonObject[]).filter(
    (each) => each['in'] === 'query',
  );
  return {
    type: 'object',
    properties: Object.fromEntries(
      query.map((each) => [String(each['name']), each['schema'] ?? {}]),
    ),
    required: query.filter((each) => each['required'] === true).map((each) => each['name'] ?? ''),
  };
}

function bodySchema(operation: JsonObject): JsonObject {
  const [body] = Object.values(objectAt(operation, 'requestBody', 'content'));
  return objectAt(body as JsonObject, 'schema');
}

/** Form values as JSON: what is keyed by positions is a list. Metadata may have such keys itself. */
function plain(value: FormValue, name = ''): Json {
  if (typeof value === 'string') return value;
  const entries = Object.entries(value);
  const isList =
    name !== 'metadata' &&
    entries.length > 0 &&
    entries.every(([key], place) => key === String(place));
  if (isList) return entries.map(([, each]) => plain(each));
  return Object.fromEntries(entries.map(([key, each]) => [key, plain(each, key)]));
}

function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject {
  let at: Json | undefined = object;
  for (const key of path) {
    at = isObject(at) ? at[key] : undefined;
  }
  if (!isObject(at)) throw new Error(`The document has no ${path.join(' / ')}`);
  return at;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const documents = new Map<string, PublishedDocument>();

/** Read and compiled once for each path: both are costly, and neither changes. */
export function publishedDocument(): PublishedDocument | undefined {
  const path = process.env[DOCUMENT_VARIABLE];
  if (path === undefined || path === '') return undefined;
  const known = documents.get(path) ?? new PublishedDocument(path);
  documents.set(path, known);
  return known;
}
