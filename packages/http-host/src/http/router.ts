/** Finds the endpoint of a request: find-my-way over the declared paths, with 404, 405 and Allow. */
import findMyWay from 'find-my-way';
import type { Endpoint } from './endpoint.ts';
import { type Refusal, refuse } from './errors.ts';

export interface Match {
  readonly endpoint: Endpoint;
  readonly params: Record<string, string | undefined>;
  /** The query as it was sent, without its question mark. */
  readonly queryText: string;
}

export interface Miss {
  readonly refusal: Refusal;
  /** One of the path, which takes another method. */
  readonly of?: Endpoint | undefined;
}

/** Longer path parameters are not ids of ours. */
const MAX_PARAMETER_LENGTH = 255;

/** A query may repeat a name as often as a filter in a body may have elements. */
const MAX_QUERY_PARAMETERS = 1_000;

type Router = ReturnType<typeof findMyWay>;

/** All endpoints with a path that begins so, loaded with the first request for one of them. */
export interface Section {
  readonly prefix: string;
  readonly load: () => Promise<readonly Endpoint[]>;
}

/** Routes requests over a table of endpoints. */
export class EndpointRouter {
  readonly #router: Router = findMyWay({
    maxParamLength: MAX_PARAMETER_LENGTH,
    // Parsed only for endpoints that declare a query.
    querystringParser: (text) => text,
  });
  readonly #operationIds = new Set<string>();
  readonly #methods = new Set<string>();
  /** Paths without parameters: what one of them names is never a parameter of another. */
  readonly #constant = new Set<string>();
  /** Those that are not loaded. */
  readonly #sections: Set<Section>;
  readonly #loading = new Map<Section, Promise<void>>();

  constructor(endpoints: readonly Endpoint[], sections: readonly Section[] = []) {
    for (const { prefix } of sections) {
      const taken = endpoints.find(({ path }) => path.startsWith(prefix));
      if (taken !== undefined) throw new Error(`${taken.path}: paths from ${prefix} on are taken`);
    }
    this.#add(endpoints);
    this.#sections = new Set(sections);
  }

  /** To be waited for before `find`. Undefined where all is loaded. Rejects when a section cannot be loaded. */
  load(target: string): Promise<void> | undefined {
    if (this.#sections.size === 0) return undefined;
    const url = originForm(target) ?? '';
    for (const section of this.#sections) {
      if (url.startsWith(section.prefix)) return this.#loaded(section);
    }
    return undefined;
  }

  #loaded(section: Section): Promise<void> {
    const known = this.#loading.get(section);
    if (known !== undefined) return known;
    const loading = section
      .load()
      .then((endpoints) => {
        this.#add(endpoints);
        this.#sections.delete(section);
      })
      // What failed is tried again with the next request.
      .finally(() => this.#loading.delete(section));
    this.#loading.set(section, loading);
    return loading;
  }

  #add(endpoints: readonly Endpoint[]): void {
    for (const endpoint of endpoints) {
      const { method, path, operationId } = endpoint;
      if (this.#operationIds.has(operationId)) throw new Error(`operationId twice: ${operationId}`);
      this.#operationIds.add(operationId);
      this.#router.on(method, path.replaceAll(/\{([^{}]+)\}/g, ':$1'), doNothing, endpoint);
      this.#methods.add(method);
      if (!path.includes('{')) this.#constant.add(path);
    }
  }

  /** The endpoint, or the refusal: unknown path, or another method. HEAD is answered by GET. */
  find(method: string, target: string): Match | Miss {
    const url = originForm(target);
    if (url === undefined) return { refusal: refuse('route_not_found') };
    const found = this.#findIn(method === 'HEAD' ? 'GET' : method, url);
    const endpoint = found?.store as Endpoint | undefined;
    if (endpoint === undefined) return this.#miss(url);
    if (isForTheRest(endpoint)) {
      const miss = this.#miss(url);
      if (miss.of !== undefined && !isForTheRest(miss.of)) return miss;
    }
    return {
      endpoint,
      params: found?.params ?? {},
      queryText: found?.searchParams as unknown as string,
    };
  }

  /** Names the methods of the path; those of any path only where it has none of its own. */
  #miss(url: string): Miss {
    const all = [...this.#methods]
      .map((method) => this.#findIn(method, url)?.store as Endpoint | undefined)
      .filter((endpoint) => endpoint !== undefined);
    const own = all.filter((endpoint) => !isForTheRest(endpoint));
    const taken = own.length > 0 ? own : all;
    if (taken.length === 0) return { refusal: refuse('route_not_found') };
    const allowed: string[] = taken.map(({ method }) => method);
    if (allowed.includes('GET')) allowed.push('HEAD');
    const headers = { Allow: allowed.join(', ') };
    return { refusal: refuse('method_not_allowed', undefined, { headers }), of: taken[0] };
  }

  #findIn(method: string, url: string) {
    const found = this.#router.find(method as Parameters<Router['find']>[0], url);
    for (const name in found?.params) {
      // A trailing slash with an empty parameter is an unknown path.
      if (found.params[name] === '' || this.#constant.has(pathOf(url))) return null;
    }
    return found;
  }
}

/** Takes what no other endpoint does. */
function isForTheRest({ path }: Endpoint): boolean {
  return path.endsWith('*');
}

function doNothing(): void {}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?]*/i;

/**
 * Path and query of a target in origin or absolute form (RFC 9112, section 3.2). Any other target
 * that does not begin with a slash has no path: the router would read `*` as one.
 */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  if (!SCHEME_AND_AUTHORITY.test(target)) return undefined;
  const rest = target.replace(SCHEME_AND_AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Parses a query for the schemas: text, or a list of texts where a name is repeated. */
export function parseQuery(text: string): Record<string, string | string[]> {
  // Without a prototype, so that any parameter name is safe.
  const query: Record<string, string | string[]> = Object.create(null);
  if (text === '') return query;
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    count += 1;
    if (count > MAX_QUERY_PARAMETERS) {
      throw refuse('invalid_request', `At most ${MAX_QUERY_PARAMETERS} query parameters`);
    }
    const earlier = query[name];
    if (earlier === undefined) query[name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else query[name] = [earlier, value];
  }
  return query;
}
