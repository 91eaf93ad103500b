/** The rules of the OpenAPI document: shapes on which generators of clients break, and what is missing. */

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as a generator would
type Json = any;

export interface DocumentRule {
  readonly name: string;
  /** Where a document breaks the rule. */
  readonly faults: (document: Json) => string[];
  /** A document that breaks it, and only it is asked. */
  readonly sample: Json;
}

interface Place {
  readonly path: string;
  readonly node: Json;
}

/** Every object of the document, examples left out: they are values, not schemas. */
function* placesIn(node: Json, path = ''): Generator<Place> {
  if (typeof node !== 'object' || node === null) return;
  yield { path, node };
  for (const [name, child] of Object.entries(node)) {
    if (name !== 'example' && name !== 'examples') yield* placesIn(child, `${path}/${name}`);
  }
}

function where(document: Json, isFault: (place: Place) => boolean): string[] {
  return [...placesIn(document)].filter(isFault).map(({ path }) => path);
}

function schemaWith(property: Json): Json {
  return { components: { schemas: { Thing: { type: 'object', properties: { one: property } } } } };
}

function operationsOf(document: Json): { name: string; operation: Json }[] {
  return Object.entries<Json>(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({
      name: `${method} ${path}`,
      operation,
    })),
  );
}

function operationWith(operation: Json): Json {
  return { paths: { '/things': { post: { responses: {}, ...operation } } } };
}

const isObject = ({ type }: Json) => type === 'object' || type?.includes?.('object') === true;
const isNamed = (path: string) => /^\/components\/schemas\/[^/]+$/.test(path);
const isOfType = (type: string, schema: Json) => [schema.type].flat().includes(type);

/** Properties are schemas by their names; what they refer to is looked at where it stands. */
function propertiesWithout(document: Json, names: RegExp, formats: readonly string[]): string[] {
  return [...placesIn(document)].flatMap(({ path, node }) =>
    Object.entries<Json>(node.properties ?? {})
      .filter(([name, each]) => names.test(name) && isOfType('string', each))
      .filter(([, each]) => !formats.includes(each.format))
      .map(([name]) => `${path}/${name}`),
  );
}

function headersOf(operation: Json, status: string): string[] {
  return Object.keys(operation.responses[status]?.headers ?? {});
}

const bodyOf = (operation: Json) => operation.requestBody?.content['application/json'];

export const DOCUMENT_RULES: readonly DocumentRule[] = [
  {
    name: 'what may be null has a list of types',
    faults: (document) => where(document, ({ node }) => Array.isArray(node.anyOf)),
    sample: schemaWith({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
  },
  {
    name: 'alternatives only say what is required',
    faults: (document) =>
      where(document, ({ node }) =>
        [node.oneOf ?? [], node.allOf ?? []].flat().some((each) => each.required === undefined),
      ),
    sample: schemaWith({ oneOf: [{ type: 'string' }, { type: 'integer' }] }),
  },
  {
    name: 'patterns are plain: no classes of Unicode, nothing looked at aside, ASCII alone',
    faults: (document) =>
      where(
        document,
        ({ node }) =>
          typeof node.pattern === 'string' && /\\p\{|\(\?[=!<]|[^ -~]/i.test(node.pattern),
      ),
    sample: schemaWith({ type: 'string', pattern: '^[^\\p{Cc}]*$' }),
  },
  {
    name: 'objects have names',
    faults: (document) =>
      where(document, ({ path, node }) => isObject(node) && !!node.properties && !isNamed(path)),
    sample: schemaWith({ type: 'object', properties: {} }),
  },
  {
    name: 'integers say how large they may be',
    faults: (document) =>
      where(
        document,
        ({ path, node }) =>
          isOfType('integer', node) &&
          !['int32', 'int64'].includes(node.format) &&
          !path.startsWith('/components/headers'),
      ),
    sample: schemaWith({ type: 'integer' }),
  },
  {
    name: 'instants and days have their format',
    faults: (document) =>
      propertiesWithout(document, /(At|Date|_at)$|^(sent|completed|date|at|timestamp)$/, [
        'date-time',
        'date',
      ]),
    sample: schemaWith({ type: 'object', properties: { createdAt: { type: 'string' } } }),
  },
  {
    name: 'ids of transactions have their format',
    faults: (document) =>
      propertiesWithout(document, /^(messageI[dD]|MessageId|transactionId|paymentId|refundId)$/, [
        'uuid',
      ]),
    sample: schemaWith({ type: 'object', properties: { refundId: { type: 'string' } } }),
  },
  {
    name: 'lists in a query say how they are spelled',
    faults: (document) =>
      where(document, ({ node }) => {
        const isList = 'in' in node && node.schema?.type === 'array';
        return isList && !(node.style === 'form' && node.explode === true);
      }),
    sample: operationWith({ parameters: [{ in: 'query', name: 'a', schema: { type: 'array' } }] }),
  },
  {
    name: 'bodies have an example',
    faults: (document) =>
      operationsOf(document)
        .filter(({ operation }) => bodyOf(operation) && bodyOf(operation).example === undefined)
        .map(({ name }) => name),
    sample: operationWith({ requestBody: { content: { 'application/json': { schema: {} } } } }),
  },
  {
    name: 'required parameters have an example',
    faults: (document) =>
      where(document, ({ node }) => {
        const isRequired = 'in' in node && 'name' in node && node.required === true;
        return isRequired && (node.example ?? node.schema?.example) === undefined;
      }),
    sample: operationWith({ parameters: [{ in: 'path', name: 'a', required: true, schema: {} }] }),
  },
  {
    name: 'properties and parameters are described',
    faults: (document) =>
      [...placesIn(document)].flatMap(({ path, node }) => [
        ...Object.entries<Json>(path.endsWith('/properties') ? {} : (node.properties ?? {}))
          .filter(([, each]) => !isDescribed(document, each))
          .map(([name]) => `${path}/${name}`),
        ...('in' in node && 'name' in node && !(node.description ?? node.schema?.description)
          ? [`${path} (${node.name})`]
          : []),
      ]),
    sample: schemaWith({ type: 'string' }),
  },
  {
    name: 'descriptions say more than the name',
    faults: (document) =>
      [...placesIn(document)].flatMap(({ path, node }) => [
        ...Object.entries<Json>(path.endsWith('/properties') ? {} : (node.properties ?? {}))
          .filter(([name, { description }]) => isOnlyName(description, name))
          .map(([name]) => `${path}/${name}`),
        ...('in' in node && 'name' in node && isOnlyName(node.description, node.name)
          ? [`${path} (${node.name})`]
          : []),
      ]),
    sample: schemaWith({ type: 'string', description: 'The one' }),
  },
  {
    name: 'operations name the statuses of the protocol',
    faults: (document) =>
      operationsOf(document).flatMap(({ name, operation }) =>
        ['405', '408', '417', '431', '500']
          .filter((status) => operation.responses[status] === undefined)
          .map((status) => `${name}: ${status}`),
      ),
    sample: operationWith({}),
  },
  {
    name: 'answers name the headers that belong to their status',
    faults: (document) =>
      operationsOf(document).flatMap(({ name, operation }) =>
        Object.entries({ 201: 'Location', 401: 'WWW-Authenticate', 405: 'Allow' })
          .filter(([status]) => operation.responses[status] !== undefined)
          .filter(([status, header]) => !headersOf(operation, status).includes(header))
          .map(([status, header]) => `${name}: ${status} without ${header}`),
      ),
    sample: operationWith({ responses: { 401: { description: '' } } }),
  },
  {
    name: 'codes are named by an operation, and those that are named are explained',
    faults: (document) => {
      const named = new Set(
        operationsOf(document).flatMap(({ operation }) =>
          Object.values<Json>(operation.responses).flatMap(({ content }) =>
            Object.keys(content?.['application/json']?.examples ?? {}),
          ),
        ),
      );
      const explained = new Set(Object.keys(document['x-error-codes'] ?? {}));
      return [...named, ...explained].filter((code) => named.has(code) !== explained.has(code));
    },
    sample: { 'x-error-codes': { strange: { status: 400 } } },
  },
];

/** `The first name` of `firstName`. */
function isOnlyName(description: string | undefined, name: string): boolean {
  const letters = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return description !== undefined && letters(description.replace(/^The /i, '')) === letters(name);
}

function isDescribed(document: Json, schema: Json): boolean {
  if (schema.description !== undefined) return true;
  const name = schema.$ref?.split('/').at(-1);
  return name !== undefined && document.components.schemas[name].description !== undefined;
}
