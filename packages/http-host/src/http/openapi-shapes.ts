/** Rewrites the schemas of the document into forms that client generators of most languages support. */

/** The subset of JSON Schema that is rewritten here. */
interface Node {
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Node[];
  $ref?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  [keyword: string]: unknown;
}

interface Parameter {
  readonly schema?: Node;
  style?: string;
  explode?: boolean;
}

const INT32_MAX = 2 ** 31 - 1;
const INT32_MIN = -(2 ** 31);

/**
 * Unicode classes as ranges: few languages support all of them. Left out are surrogates (in UTF-16,
 * `[^\ud800-\udfff]` would refuse every character beyond U+FFFF) and the separators U+2028 and
 * U+2029, which generators write unescaped into source code. The introduction of the document names
 * both.
 */
const RANGES: Readonly<Record<string, string>> = {
  '\\p{Cc}': '\\x00-\\x1f\\x7f-\\x9f',
  '\\p{Cs}': '',
  '\\p{Zl}': '',
  '\\p{Zp}': '',
};

/** Rewrites a document in place without changing its meaning. */
export function simplifyShapes(document: object): void {
  const schemas = (document as { components?: { schemas?: Record<string, Node> } }).components
    ?.schemas;
  visit(document, new Map(Object.entries(schemas ?? {})));
}

function visit(value: unknown, schemas: ReadonlyMap<string, Node>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    // An example is not a schema, whatever it looks like.
    if (name !== 'example' && name !== 'examples') visit(child, schemas);
  }
  if (Array.isArray(value)) return;
  const node = value as Node;
  if (Array.isArray(node.anyOf)) replaceAnyOf(node, node.anyOf, schemas);
  if (node.type === 'integer' || (Array.isArray(node.type) && node.type[0] === 'integer')) {
    node.format ??= fitsInt32(node) ? 'int32' : 'int64';
  }
  if (typeof node.pattern === 'string') node.pattern = plainPattern(node.pattern);
  if ('in' in node && 'schema' in node) spell(node as Parameter);
}

/** A list in a query is a repeated name: the default, but generators differ unless it is explicit. */
function spell(parameter: Parameter): void {
  if (parameter.schema?.type !== 'array') return;
  parameter.style = 'form';
  parameter.explode = true;
}

function replaceAnyOf(node: Node, options: Node[], schemas: ReadonlyMap<string, Node>): void {
  const others = options.filter(({ type }) => type !== 'null');
  const [first] = others;
  if (first === undefined) return;
  const merged = others.length === 1 ? resolve(first, schemas) : oneString(others);
  if (merged === undefined) return;
  const { anyOf: _, ...beside } = node;
  delete node.anyOf;
  // Keywords beside the alternatives override those within one.
  Object.assign(node, merged, beside);
  if (others.length < options.length) admitNull(node);
}

function resolve(node: Node, schemas: ReadonlyMap<string, Node>): Node | undefined {
  if (node.$ref === undefined) return node;
  const target = schemas.get(node.$ref.split('/').at(-1) ?? '');
  // Components come in any order: one that is nullable itself is not flat yet.
  return target?.anyOf === undefined ? target : undefined;
}

function admitNull(node: Node): void {
  if (typeof node.type === 'string') node.type = [node.type, 'null'];
  if (node.enum !== undefined) node.enum = [...node.enum, null];
}

/** A union of string forms becomes one string: few languages have unions of strings. */
function oneString(options: readonly Node[]): Node | undefined {
  const patterns = options.flatMap(({ type, pattern }) => (type === 'string' ? [pattern] : []));
  if (patterns.length < options.length || patterns.includes(undefined)) return undefined;
  const { format: _, ...rest } = options[0] ?? {};
  return { ...rest, pattern: patterns.join('|') };
}

function fitsInt32({ minimum = Number.NEGATIVE_INFINITY, maximum, enum: values }: Node): boolean {
  if (values !== undefined) return true;
  return minimum >= INT32_MIN && (maximum ?? Number.POSITIVE_INFINITY) <= INT32_MAX;
}

function plainPattern(pattern: string): string {
  return pattern.replaceAll(/\\p\{\w+\}/g, (name) => RANGES[name] ?? name);
}
