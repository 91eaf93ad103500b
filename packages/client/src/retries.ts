/** Repeats requests that were not carried out, or that have one effect however often they are sent. */

export interface RetryOptions {
  /** Of one request, the first included. Default: 4. */
  readonly attempts?: number;
  /** A `Retry-After` beyond it ends the repetition. Default: 30,000. */
  readonly maxDelayMs?: number;
  /** Doubled at each attempt; a random part of it is waited in addition to `Retry-After`. Default: 250. */
  readonly delayMs?: number;
}

type Fetch = (request: Request) => Promise<Response>;

interface Retrying extends RetryOptions {
  readonly fetch: Fetch;
  /** Whether a request may be sent again although it may have been carried out. */
  readonly mayRepeat: (request: Request) => boolean;
}

/** 409 with one of these says that nothing was done, or that the first answer will be there soon. */
const REPEATED_CONFLICTS: ReadonlySet<unknown> = new Set([
  'concurrent_update',
  'idempotency_in_flight',
]);

/** Those that have a `Location` to go to. */
const REDIRECTIONS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const REDIRECTED = 'the request was redirected: baseUrl must be the address of the host itself';

/** No repetition makes a key valid. */
const WRONG_KEY = 'too_many_failed_authentications';

/** A `fetch` that waits and sends the same request again; the last answer or failure is the result. */
export function retrying(options: Retrying): Fetch {
  const { fetch, mayRepeat, attempts = 4, maxDelayMs = 30_000, delayMs = 250 } = options;
  return async (request) => {
    const { signal } = request;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts;
      const sent = isLast ? request : request.clone();
      const outcome = await outcomeOf(fetch, sent);
      const again = !isLast && !signal.aborted && (await isRepeated(outcome, mayRepeat(request)));
      const delay = again ? delayOf({ outcome, attempt, delayMs, now: Date.now() }) : Infinity;
      if (delay > maxDelayMs) return resultOf(outcome);
      if ('response' in outcome) await outcome.response.body?.cancel();
      await wait(delay, signal);
    }
  };
}

type Outcome = { readonly response: Response } | { readonly failure: unknown };

async function outcomeOf(fetch: Fetch, request: Request): Promise<Outcome> {
  try {
    const response = await fetch(request);
    if (!isRedirection(response)) return { response };
    await response.body?.cancel();
    return { failure: new Error(REDIRECTED) };
  } catch (failure) {
    return { failure };
  }
}

/** Browsers hide the status of one that is not followed. */
function isRedirection({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || REDIRECTIONS.has(status);
}

function resultOf(outcome: Outcome): Response {
  if ('failure' in outcome) throw outcome.failure;
  return outcome.response;
}

async function isRepeated(outcome: Outcome, mayRepeat: boolean): Promise<boolean> {
  // fetch throws a TypeError where the network failed.
  if ('failure' in outcome) return mayRepeat && outcome.failure instanceof TypeError;
  const { response } = outcome;
  switch (response.status) {
    case 409:
      return REPEATED_CONFLICTS.has(await codeOf(response));
    case 429:
      return (await codeOf(response)) !== WRONG_KEY;
    case 503:
      return mayRepeat;
    default:
      return false;
  }
}

async function codeOf(response: Response): Promise<unknown> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
}

interface Waited {
  readonly outcome: Outcome;
  readonly attempt: number;
  readonly delayMs: number;
  readonly now: number;
}

function delayOf({ outcome, attempt, delayMs, now }: Waited): number {
  const asked = 'response' in outcome ? outcome.response.headers.get('Retry-After') : null;
  // Callers that were refused together do not come back together.
  return askedMs(asked, now) + Math.random() * delayMs * 2 ** (attempt - 1);
}

/** `Retry-After` in milliseconds from now: seconds, or a date. */
function askedMs(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

/** Rejects with the reason of the signal as soon as it is aborted. */
function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const aborted = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', aborted);
      resolve();
    }, delayMs);
    signal.addEventListener('abort', aborted, { once: true });
  });
}
