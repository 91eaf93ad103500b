/** Calls of the Stripe SDK: one client for each account, retries that cannot charge twice, classified errors. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CredentialsRefused,
  GatewayTimeout,
  type HttpAnswer,
  HttpCalls,
} from '@counterfoil/engine/gateways';
import Stripe from 'stripe';
import type { StripeCredentials } from './credentials.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
const MAX_TRIES = 10;
/** Accounts whose clients are kept. */
const MAX_CLIENTS = 500;

/** Clients by account. A client keeps its connections. */
export class Clients {
  readonly #byScope = new Map<string, Stripe>();
  readonly #clients = new WeakMap<StripeCredentials, Stripe>();

  of(credentials: StripeCredentials): Stripe {
    let client = this.#clients.get(credentials);
    if (client === undefined) {
      client = this.#ofScope(credentials);
      this.#clients.set(credentials, client);
    }
    return client;
  }

  #ofScope(credentials: StripeCredentials): Stripe {
    const name = scopeOf(credentials);
    const known = this.#byScope.get(name);
    if (known !== undefined) return known;
    if (this.#byScope.size >= MAX_CLIENTS) this.#byScope.clear();
    const client = clientOf(credentials);
    this.#byScope.set(name, client);
    return client;
  }
}

/** Names what tokens belong to: a connected account, else the account of the key. */
export function scopeOf({ key, account, apiBase }: StripeCredentials): string {
  return JSON.stringify([apiBase?.href, account, key]);
}

function clientOf({ key, account, apiBase }: StripeCredentials): Stripe {
  return new Stripe(key, {
    // Each try is recorded by the ledger, under the key that makes it one.
    maxNetworkRetries: 0,
    telemetry: false,
    timeout: REQUEST_TIMEOUT_MS,
    httpClient: httpClient(),
    appInfo: { name: 'Counterfoil' },
    ...(account !== undefined && { stripeAccount: account }),
    ...(apiBase !== undefined && {
      host: apiBase.hostname,
      port: apiBase.port === '' ? portOf(apiBase) : apiBase.port,
      protocol: apiBase.protocol === 'http:' ? 'http' : 'https',
    }),
  });
}

/**
 * The SDK's own client takes twice as long for a call. And the SDK sends a request again whose connection
 * was closed, whatever its setting says: it knows such an error by its code, so errors come without one.
 */
function httpClient(): Stripe.HttpClient {
  const calls = new HttpCalls();
  const makeRequest: Stripe.HttpClient['makeRequest'] = async (
    ...[host, port, path, method, headers, body, protocol, timeoutMs]
  ) => {
    const origin = `${protocol}://${host}:${port}`;
    try {
      return responseOf(await calls.call({ origin, path, method, headers, body, timeoutMs }));
    } catch (error) {
      throw new Error('Stripe could not be reached', { cause: error });
    }
  };
  return { getClientName: () => 'counterfoil', makeRequest };
}

function responseOf(answer: HttpAnswer): Awaited<ReturnType<Stripe.HttpClient['makeRequest']>> {
  return {
    getStatusCode: () => answer.status,
    getHeaders: () => answer.headers as Record<string, string>,
    getRawResponse: () => answer,
    toStream() {
      throw new TypeError('answers are not read as streams');
    },
    toJSON: async () => JSON.parse(answer.text),
  };
}

function portOf({ protocol }: URL): string {
  return protocol === 'http:' ? '80' : '443';
}

/**
 * Makes a call, and again after what Stripe did not begin: too many requests, or the same key in use.
 * Throws `GatewayTimeout` where the outcome is unknown, `CredentialsRefused`, or the error of Stripe.
 */
export async function asked<Answer>(
  call: () => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await withoutStack(call);
    } catch (error) {
      if (!isNotBegun(error)) throw classified(error);
      if (tried >= MAX_TRIES) throw new GatewayTimeout('Stripe is busy', { cause: error });
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (tried - 1), LONGEST_WAIT_MS);
      await sleep(waitMs / 2 + Math.random() * (waitMs / 2));
      if (signal?.aborted === true) throw new GatewayTimeout('Stripe did not answer in time');
    }
  }
}

/** The SDK writes down at each call who made it, for its errors, which takes longer than to write the request. */
function withoutStack<Answer>(call: () => Answer): Answer {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function isNotBegun(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return error.statusCode === 429 || error.statusCode === 409;
}

function classified(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode } = error;
  if (statusCode === undefined || statusCode >= 500) {
    return new GatewayTimeout('Stripe gave no answer', { cause: error });
  }
  if (statusCode === 401 || statusCode === 403) {
    return new CredentialsRefused(`Stripe refused the key of the merchant account (${statusCode})`);
  }
  return error;
}

/** A refusal of the request as it is: another state, a wrong amount, an unknown object. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeError {
  const isAnswered =
    error instanceof Stripe.errors.StripeError &&
    (error.statusCode === 400 || error.statusCode === 402 || error.statusCode === 404);
  // The key was used for another request: a defect of the caller, never an answer.
  return isAnswered && !(error instanceof Stripe.errors.StripeIdempotencyError);
}

export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}
