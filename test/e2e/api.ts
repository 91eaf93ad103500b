/** The documented operations as their callers use them, through the client; and raw HTTP beside it. */
import {
  type CounterfoilClient,
  type components,
  createClient,
  type paths,
} from '@counterfoil/client';

// biome-ignore lint/suspicious/noExplicitAny: the tests read bodies of the wire untyped
export type Json = any;

export type Headings = Readonly<Record<string, string | undefined>>;

export interface Answer<Body = Json> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where it is not JSON. */
  readonly body: Body;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have an operation of a method. */
type PathOf<Verb extends Method> = {
  [Path in keyof paths]: paths[Path] extends Readonly<Record<Verb, Operation>> ? Path : never;
}[keyof paths];

interface Operation {
  readonly parameters: { readonly path?: unknown; readonly query?: unknown };
  readonly requestBody?: unknown;
  readonly responses: object;
}

type OperationOf<Verb extends Method, Path extends PathOf<Verb>> = Extract<
  paths[Path][Verb],
  Operation
>;

type PathIn<Of extends Operation> = undefined extends Of['parameters']['path']
  ? unknown
  : { readonly path: Of['parameters']['path'] };

type BodyIn<Of extends Operation> = Of extends { readonly requestBody: infer Body }
  ? { readonly body: ContentOf<Body> }
  : Of extends { readonly requestBody?: infer Body }
    ? { readonly body?: ContentOf<NonNullable<Body>> }
    : unknown;

/** What a request consists of: what its operation documents, and headers besides. */
type Asked<Of extends Operation> = PathIn<Of> &
  BodyIn<Of> & {
    readonly query?: Of['parameters']['query'];
    readonly headers?: Headings;
    /** Its `Idempotency-Key`. */
    readonly key?: string;
  };

/** Nothing need be given where nothing is required. */
type Given<Of extends Operation> =
  Record<never, never> extends Asked<Of> ? [asked?: Asked<Of>] : [asked: Asked<Of>];

type JsonType = 'application/json' | 'application/merge-patch+json';

type ContentOf<Body> = Body extends { readonly content: infer Content }
  ? Content[keyof Content & JsonType]
  : undefined;

/** The documented answers of an operation: the refusals are in `default`. */
type Documented<Responses> = {
  [Status in keyof Responses]: Status extends 'default' ? never : ContentOf<Responses[Status]>;
}[keyof Responses];

export type Schemas = components['schemas'];

type Refusal = Schemas['Error'];

/** The members of the answer, and in their place those of a refusal. */
export type Answered<Body> = Body & Partial<Omit<Refusal, keyof Body>>;

type AnswerOf<Verb extends Method, Path extends PathOf<Verb>> = Promise<
  Answer<Answered<Documented<OperationOf<Verb, Path>['responses']>>>
>;

/** A request that is kept, to be sent again and to other hosts: the same operation with the same content. */
export interface KeptRequest {
  readonly method: Method;
  /** As the document has it, such as `/v1/payments/{id}`. */
  readonly path: string;
  /** The parts of the path that are in braces. */
  readonly segments?: Json;
  readonly query?: Json;
  readonly body?: Json;
  readonly headers?: Headings;
  /** Its `Idempotency-Key`. */
  readonly key?: string;
}

/** A request of a documented operation, with the types of the document. */
export function requestOf<Verb extends Method, Path extends PathOf<Verb>>(
  method: Verb,
  path: Path,
  ...[asked]: Given<OperationOf<Verb, Path>>
): KeptRequest {
  return kept(method, path, asked);
}

function kept(method: Method, path: string, { path: segments, ...asked }: Json = {}): KeptRequest {
  return { method, path, segments, ...asked };
}

export interface ApiOptions {
  /** Read for each request: a host may be at another one after a restart. */
  readonly url: () => string;
  /** Sent with each request that has none of the same name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sees the text of every answer. */
  readonly inspect?: (text: string) => void;
}

/**
 * Each operation by its method and path, with the types of the document. The client's retries are off:
 * a repetition would hide its answer, or the death of a host.
 */
export class Api {
  /** Raw HTTP, where the wire itself is the subject. */
  readonly wire: Wire;
  readonly #url: () => string;
  readonly #client: CounterfoilClient;
  readonly #texts = new WeakMap<Response, string>();

  constructor(options: ApiOptions) {
    const { url, headers, inspect } = options;
    this.wire = new Wire(options);
    this.#url = url;
    this.#client = createClient({
      // Each request has its own.
      baseUrl: '',
      headers,
      retries: { attempts: 1 },
      fetch: async (request) => {
        const response = await fetch(request);
        const text = await response.text();
        inspect?.(text);
        const read = new Response(text === '' ? null : text, response);
        this.#texts.set(read, text);
        return read;
      },
    });
  }

  get<Path extends PathOf<'get'>>(
    path: Path,
    ...[asked]: Given<OperationOf<'get', Path>>
  ): AnswerOf<'get', Path> {
    return this.send(kept('get', path, asked));
  }

  post<Path extends PathOf<'post'>>(
    path: Path,
    ...[asked]: Given<OperationOf<'post', Path>>
  ): AnswerOf<'post', Path> {
    return this.send(kept('post', path, asked));
  }

  put<Path extends PathOf<'put'>>(
    path: Path,
    ...[asked]: Given<OperationOf<'put', Path>>
  ): AnswerOf<'put', Path> {
    return this.send(kept('put', path, asked));
  }

  patch<Path extends PathOf<'patch'>>(
    path: Path,
    ...[asked]: Given<OperationOf<'patch', Path>>
  ): AnswerOf<'patch', Path> {
    return this.send(kept('patch', path, asked));
  }

  delete<Path extends PathOf<'delete'>>(
    path: Path,
    ...[asked]: Given<OperationOf<'delete', Path>>
  ): AnswerOf<'delete', Path> {
    return this.send(kept('delete', path, asked));
  }

  /** Sends a request that is kept; the same one may be sent again, here or elsewhere. */
  async send(request: KeptRequest): Promise<Answer> {
    const { method, path, segments, query, body, headers, key } = request;
    const init = {
      baseUrl: this.#url(),
      params: { path: segments, query },
      body,
      headers: absentAsNull({ ...(key !== undefined && { 'Idempotency-Key': key }), ...headers }),
    };
    const { data, error, response } = await this.#client.request(
      method,
      path as never,
      init as never,
    );
    const text = this.#texts.get(response) ?? '';
    return { status: response.status, headers: response.headers, text, body: data ?? error };
  }
}

/** Requests as they are written, with the headers of a caller: one is left out by `undefined`. */
export class Wire {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  async get(path: string, headers: Headings = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  async post(path: string, body: Json = {}, headers: Headings = {}): Promise<Answer> {
    return this.send('POST', path, JSON.stringify(body), {
      'Content-Type': 'application/json',
      ...headers,
    });
  }

  async send(
    method: string,
    path: string,
    body: string | undefined,
    headers: Headings = {},
  ): Promise<Answer> {
    const { url, headers: usual, inspect } = this.#options;
    const answer = await fetch(url() + path, {
      method,
      headers: withoutAbsent({ ...usual, ...headers }),
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    inspect?.(text);
    const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '') && text !== '';
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  }
}

/** A query as it is written in an address. */
export function queryOf(written: string): Json {
  const query = new URLSearchParams(written);
  const valuesOf = (name: string) => {
    const all = query.getAll(name);
    return all.length > 1 ? all : all[0];
  };
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, valuesOf(name)]));
}

/** What a caller looks for in an answer; throws where it is not there. */
export function present<Value>(value: Value): NonNullable<Value> {
  if (value === undefined || value === null) throw new Error('the answer has no such value');
  return value;
}

function withoutAbsent(headers: Headings): Record<string, string> {
  const present = Object.entries(headers).filter(
    (each): each is [string, string] => each[1] !== undefined,
  );
  return Object.fromEntries(present);
}

/** The client leaves out a header that is null. */
function absentAsNull(headers: Headings): Record<string, string | null> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? null]));
}
