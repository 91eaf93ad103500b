/** Descriptions and examples of the document where a schema has none. */

export interface Examples {
  /** Examples of path parameters, by the path up to the parameter. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Examples of request bodies, by the name of their schema. */
  readonly bodies: Readonly<Record<string, unknown>>;
}

interface Schema {
  $ref?: string;
  description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
  description?: string;
  example?: unknown;
}

interface Body {
  readonly content?: { readonly 'application/json'?: { schema?: Schema; example?: unknown } };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
}

interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/**
 * Describes fields and parameters by their names; a description in the schema takes precedence.
 * Throws for a name that no field has.
 */
export function describeFields(made: object, meanings: Readonly<Record<string, string>>): void {
  const { paths = {}, components } = made as Document;
  const schemas = components?.schemas ?? {};
  const unused = new Set(Object.keys(meanings));
  const describe = (target: { description?: string }, ...keys: string[]) => {
    const key = keys.find((each) => meanings[each] !== undefined);
    if (key === undefined) return;
    unused.delete(key);
    target.description ??= meanings[key] ?? '';
  };
  for (const [owner, { properties = {} }] of Object.entries(schemas)) {
    for (const [name, schema] of Object.entries(properties)) {
      if (schemas[nameOf(schema) ?? '']?.description !== undefined) continue;
      describe(schema, `${owner}.${name}`, name);
    }
  }
  for (const { parameters = [] } of operationsOf(paths)) {
    for (const parameter of parameters) {
      if (parameter.schema?.description === undefined) describe(parameter, parameter.name);
    }
  }
  if (unused.size > 0) throw new Error(`no field is called ${[...unused].join(', ')}`);
}

/** Adds an example to each body and each path id. */
export function showExamples(made: object, { parameters: ids, bodies }: Examples): void {
  const { paths = {} } = made as Document;
  for (const [path, item] of Object.entries(paths)) {
    for (const { parameters = [], requestBody } of Object.values(item)) {
      for (const parameter of parameters) {
        if (parameter.in !== 'path') continue;
        const place = `{${parameter.name}}`;
        const example = ids[path.slice(0, path.indexOf(place) + place.length)];
        if (example !== undefined) parameter.example ??= example;
      }
      const media = requestBody?.content?.['application/json'];
      const example = bodies[nameOf(media?.schema ?? {}) ?? ''];
      if (media !== undefined && example !== undefined) media.example ??= example;
    }
  }
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

function operationsOf(paths: Required<Document>['paths']): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item));
}
