/** Rate limits: per tenant and environment, and per address for failed authentications. */
import { isIPv6 } from 'node:net';
import type { KeyRecord } from '@counterfoil/engine';
import { type Counted, type Counter, MemoryCounter } from './counter.ts';
import { type Refusal, refuse } from './errors.ts';
import type { Exchange } from './request-context.ts';

type Visit = Pick<Exchange, 'remoteAddress' | 'params' | 'endpoint'>;

const WINDOW_SECONDS = 60;

/** The default limit of a tenant (contract: 100 requests a minute). */
export const DEFAULT_REQUESTS_PER_MINUTE = 100;

/** Generous for a misconfigured client, far too few for guessing keys. */
const DEFAULT_FAILURES_PER_MINUTE = 60;

/** Of the pages of one address, and of one session by one operation. */
const ADDRESS_VISITS_PER_MINUTE = 300;
const SESSION_VISITS_PER_MINUTE = 30;

/** The library has one limit for all keys, ours differ by tenant: it counts, we compare. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const MS_PER_SECOND = 1_000;

export type MakeCounter = (options: {
  readonly keyPrefix: string;
  readonly points: number;
  readonly duration: number;
}) => Counter;

export interface RateLimitOptions {
  readonly failuresPerMinute?: number;
  /** Where requests are counted. Default: the memory of this process. */
  readonly makeCounter?: MakeCounter;
}

/** The remaining allowance of the tenant. */
export interface RateUse {
  /** Response headers, names and values alternating. */
  readonly headers: readonly string[];
  readonly refusal: Refusal | undefined;
}

/**
 * Several hosts on one database share the limits (`sharedCounters`); hosts that count in memory
 * each grant them. Uses real time, not the test clock: it protects this machine.
 */
export class RateLimits {
  readonly #requests: Counter;
  readonly #failures: Counter;
  readonly #visits: Counter;
  readonly #failuresPerMinute: number;

  constructor(options: RateLimitOptions = {}) {
    const { makeCounter = countInMemory } = options;
    const window = { points: NO_LIMIT, duration: WINDOW_SECONDS };
    this.#requests = makeCounter({ keyPrefix: 'requests', ...window });
    this.#failures = makeCounter({ keyPrefix: 'failures', ...window });
    this.#visits = makeCounter({ keyPrefix: 'visits', ...window });
    this.#failuresPerMinute = options.failuresPerMinute ?? DEFAULT_FAILURES_PER_MINUTE;
  }

  /** Counts one authenticated request. The headers follow draft-ietf-httpapi-ratelimit-headers-10. */
  use(key: KeyRecord): RateUse | Promise<RateUse> {
    const limit = key.rateLimitPerMinute;
    // Anybody can send with a publishable key: that must not use up what the tenant's own requests may.
    const apart = key.kind.endsWith('publishable') ? ':pages' : '';
    const counted = this.#requests.consume(`${key.tenantId}:${key.environment}${apart}`);
    return counted instanceof Promise
      ? counted.then((count) => useOf(limit, count))
      : useOf(limit, counted);
  }

  /**
   * Counts a request of a page about one session; returns the refusal once there were too many from its
   * address, or about its session. Generous for the buyers behind one address.
   */
  async visit({ remoteAddress, params, endpoint }: Visit): Promise<Refusal | undefined> {
    const session = params?.['id'] ?? '';
    const [byAddress, bySession] = await Promise.all([
      this.#visits.consume(`address:${networkOf(remoteAddress ?? '')}`),
      this.#visits.consume(`session:${endpoint?.operationId}:${session}`),
    ]);
    const passed = [
      byAddress.consumedPoints > ADDRESS_VISITS_PER_MINUTE ? byAddress : undefined,
      bySession.consumedPoints > SESSION_VISITS_PER_MINUTE ? bySession : undefined,
    ].find((each) => each !== undefined);
    if (passed === undefined) return undefined;
    const seconds = Math.ceil(passed.msBeforeNext / MS_PER_SECOND);
    return refuse('rate_limited', undefined, { headers: { 'Retry-After': String(seconds) } });
  }

  /**
   * Counts a failed authentication; returns the refusal once there were too many. Valid keys are
   * never refused: behind a proxy all callers share one address, and one of them must not lock out
   * the others. 256 random bits cannot be guessed anyway.
   */
  async failed(address: string | undefined): Promise<Refusal | undefined> {
    const { consumedPoints, msBeforeNext } = await this.#failures.consume(networkOf(address ?? ''));
    if (consumedPoints <= this.#failuresPerMinute) return undefined;
    const seconds = Math.ceil(msBeforeNext / MS_PER_SECOND);
    return refuse('too_many_failed_authentications', undefined, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
}

function useOf(limit: number, { consumedPoints, msBeforeNext }: Counted): RateUse {
  const resetSeconds = Math.ceil(msBeforeNext / MS_PER_SECOND);
  const headers = [
    'RateLimit-Policy',
    `"default";q=${limit};w=${WINDOW_SECONDS}`,
    'RateLimit',
    `"default";r=${Math.max(0, limit - consumedPoints)};t=${resetSeconds}`,
  ];
  const refusal =
    consumedPoints > limit
      ? refuse('rate_limited', undefined, { headers: { 'Retry-After': String(resetSeconds) } })
      : undefined;
  return { headers, refusal };
}

function countInMemory({ duration }: Parameters<MakeCounter>[0]): Counter {
  return new MemoryCounter({ durationMs: duration * MS_PER_SECOND });
}

const IPV6_NETWORK_GROUPS = 4;

/** An IPv6 caller has a whole /64: count the network. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [front = '', back] = address.split('::');
  const groups = front === '' ? [] : front.split(':');
  // `::` stands for zeros; only those in the first four groups matter here.
  if (back !== undefined) {
    const tail = back === '' ? [] : back.split(':');
    while (groups.length + tail.length < 8) groups.push('0');
    groups.push(...tail);
  }
  return groups.slice(0, IPV6_NETWORK_GROUPS).join(':');
}
