/** What an OpenAPI document says of requests and answers, as checks on real ones. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: the document and the answers are looked into as a user would
type Json = any;

/** One operation of the document. */
export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** The node of the document. */
  readonly node: Json;
}

/** One response, as far as the document describes it. */
export interface Answered {
  readonly status: number;
  /** The Content-Type header. */
  readonly contentType: string;
  /** Parsed if it is JSON, else the text. */
  readonly body: Json;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'trace'];
const ROOT = 'document';

export class Documented {
  readonly document: Json;
  readonly operations: readonly Operation[];
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  /**
   * Formats of requests have a pattern beside them, which is what the host checks; `addFormats` has
   * the formats checked as well, as clients do.
   */
  constructor(document: Json, addFormats?: (ajv: Ajv2020) => void) {
    this.document = document;
    const validateFormats = addFormats !== undefined;
    this.#ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats });
    addFormats?.(this.#ajv);
    this.#ajv.addSchema(document, ROOT, undefined, false);
    this.operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method] !== undefined).map((method) => ({
        id: item[method].operationId,
        method: method.toUpperCase(),
        path,
        node: item[method],
      })),
    );
  }

  /** What the document and an answer to this operation disagree about; nothing when all is well. */
  faultsOfAnswer(operation: Operation, { status, contentType, body }: Answered): string[] {
    const { method, path, node } = operation;
    const which = `${method} ${path}: ${status}`;
    const response = node.responses[status];
    if (response === undefined) return [`${which} is not in the document`];
    const type = mediaTypeOf(contentType);
    if (response.content === undefined && body === '') return [];
    if (response.content?.[type] === undefined)
      return [`${which} as ${type} is not in the document`];
    const place = ['paths', path, method.toLowerCase(), 'responses', `${status}`, 'content', type];
    return this.faultsAt([...place, 'schema'], body).map((fault) => `${which}: ${fault}`);
  }

  /** What is wrong with a value by the schema that stands at this place of the document. */
  faultsAt(place: readonly string[], value: Json): string[] {
    const validate = this.#validatorAt(place);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
    );
  }

  /** The schema itself, references followed. */
  resolve(schema: Json): Json {
    if (schema?.$ref === undefined) return schema;
    const { $ref, ...beside } = schema;
    return { ...this.resolve(this.#nodeAt($ref.split('/').slice(1))), ...beside };
  }

  /** The codes that the document lists for a status of an operation. */
  codesOf(operation: Operation, status: number): string[] {
    const content = operation.node.responses[status]?.content ?? {};
    return Object.keys(content['application/json']?.examples ?? {});
  }

  #nodeAt(path: readonly string[]): Json {
    return path.reduce((node, step) => node[step], this.document);
  }

  #validatorAt(place: readonly string[]): ValidateFunction {
    const pointer = place.map(stepOf).join('/');
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `${ROOT}#/${pointer}` });
      this.#validators.set(pointer, validate);
    }
    return validate;
  }
}

/** `text/html` of `text/html; charset=utf-8`. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]?.trim() ?? '';
}

/** A step of a JSON Pointer that stands in a URI. */
function stepOf(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
