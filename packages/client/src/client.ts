/** The client: openapi-fetch with the headers of a caller, one Idempotency-Key a request, and repetition. */
import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { type paths, READS_BY_POST, WITH_IDEMPOTENCY_KEY } from './openapi.ts';
import { type RetryOptions, retrying } from './retries.ts';

export interface ClientOptions {
  /** The address of the host, such as `https://pay.example`. */
  readonly baseUrl: string;
  /** Sent as it is in `Authorization`. */
  readonly apiKey?: string;
  /** The tenant's id. */
  readonly clientId?: number | string;
  /** The agent on whose behalf requests are made. Operations that require it say so. */
  readonly userEmail?: string;
  /** Of the email operations. */
  readonly tenantKey?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly retries?: RetryOptions;
}

/**
 * `GET`, `POST`, `PUT`, `PATCH` and `DELETE`, each of a path of the interface. The result has `data`,
 * or `error` where the status is not 2xx, and `response`. What cannot be reached is thrown, as by `fetch`.
 */
export type CounterfoilClient = Client<paths, 'application/json'>;

const IDEMPOTENCY_KEY = 'Idempotency-Key';

export function createClient(options: ClientOptions): CounterfoilClient {
  const repeatable = new WeakSet<Request>();
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: options.baseUrl,
    headers: headersOf(options),
    // A redirected request would show its card and key to another address: `retrying` refuses to.
    redirect: 'manual',
    fetch: retrying({
      fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
      mayRepeat: (request) => repeatable.has(request),
      ...options.retries,
    }),
  });
  client.use(prepare(repeatable));
  return client;
}

function headersOf({ apiKey, clientId, userEmail, tenantKey, headers }: ClientOptions) {
  return {
    ...headers,
    ...(apiKey !== undefined && { Authorization: apiKey }),
    ...(clientId !== undefined && { ClientId: String(clientId) }),
    ...(userEmail !== undefined && { UserEmail: userEmail }),
    ...(tenantKey !== undefined && { 'X-Tenant-Key': tenantKey }),
  };
}

/** Names each request that has an effect, and notes those that have one effect however often they are sent. */
function prepare(repeatable: WeakSet<Request>): Middleware {
  return {
    onRequest({ request, schemaPath }) {
      const operation = `${request.method} ${schemaPath}`;
      const isKeyed = WITH_IDEMPOTENCY_KEY.has(operation);
      if (isKeyed && !request.headers.has(IDEMPOTENCY_KEY)) {
        request.headers.set(IDEMPOTENCY_KEY, crypto.randomUUID());
      }
      const isRead = request.method === 'GET' || READS_BY_POST.has(operation);
      if (isKeyed || isRead) repeatable.add(request);
    },
  };
}
