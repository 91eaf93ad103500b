/** Counts requests in the host database: one limit for all hosts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RoundTrips } from '@counterfoil/engine/storage';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import type { IRateLimiterPostgresOptions, RateLimiterPostgres } from 'rate-limiter-flexible';
import { type Counted, type Counter, MemoryCounter } from './counter.ts';
import type { MakeCounter } from './rate-limit.ts';

/** Timeout of a count. */
const TIMEOUT_MS = 1_000;
/** After a failure the database is not queried for this long; each host counts in memory. */
const REST_MS = 1_000;

const MS_PER_SECOND = 1_000;
const SWEEP_EVERY_MS = 60_000;
const SWEEP = 'DELETE FROM counterfoil_host.rate_limits WHERE expire < $1';

export interface SharedCountersOptions {
  /** A database with the tables of `openHostDatabase`. */
  readonly pool: Pool;
  /** Called when the database is unavailable: until it is back, each host grants the full limit. */
  readonly onFailure: (error: unknown) => void;
}

/** Windows end by the hosts' own clocks, which must agree to within a second or so. */
export function sharedCounters({ pool, onFailure }: SharedCountersOptions): MakeCounter {
  const database = new PatientDatabase(pool, onFailure);
  return (options) => new SharedCounter(database, options);
}

/** Hosts on files have no use for the library. */
async function limiterOf(options: IRateLimiterPostgresOptions): Promise<RateLimiterPostgres> {
  const { RateLimiterPostgres } = await import('rate-limiter-flexible');
  return new RateLimiterPostgres(options);
}

class SharedCounter implements Counter {
  readonly #database: PatientDatabase;
  readonly #limiter: Promise<RateLimiterPostgres>;
  /** Used while the database is unavailable. */
  readonly #own: MemoryCounter;
  readonly #roundTrips = new RoundTrips<string, Counted>((keys) => this.#countAll(keys));
  #sweptAtMs = performance.now();

  constructor(database: PatientDatabase, options: Parameters<MakeCounter>[0]) {
    this.#database = database;
    this.#own = new MemoryCounter({ durationMs: options.duration * MS_PER_SECOND });
    this.#limiter = limiterOf({
      ...options,
      storeClient: database,
      storeType: 'pool',
      schemaName: 'counterfoil_host',
      tableName: 'rate_limits',
      tableCreated: true,
      // Its timer would keep the process alive.
      clearExpiredByTimeout: false,
    });
  }

  consume(key: string): Promise<Counted> {
    return this.#roundTrips.ask(key);
  }

  /** Concurrent requests of one tenant are one update of one row; each gets its own place in the count. */
  async #countAll(keys: readonly string[]): Promise<readonly Counted[]> {
    const times = new Map<string, number>();
    for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
    const results = new Map<string, Counted>();
    await Promise.all(
      [...times].map(async ([key, count]) => {
        results.set(key, await this.#consume(key, count));
      }),
    );
    this.#sweep();
    return keys.map((key) => {
      const { consumedPoints = 0, msBeforeNext = 0 } = results.get(key) ?? {};
      const after = (times.get(key) ?? 1) - 1;
      times.set(key, after);
      return { consumedPoints: consumedPoints - after, msBeforeNext };
    });
  }

  async #consume(key: string, count: number): Promise<Counted> {
    try {
      return await (await this.#limiter).consume(key, count);
    } catch {
      // `PatientDatabase` has reported it.
      return this.#own.consume(key, count);
    }
  }

  /** Removes expired windows as often as new ones begin. */
  #sweep(): void {
    if (performance.now() - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = performance.now();
    const sweep = { name: 'sweep-rate-limits', text: SWEEP, values: [Date.now()] };
    // Another host sweeps too; leftover rows are harmless.
    this.#database.query(sweep).catch(() => undefined);
  }
}

/** Short timeout, then a pause: rate limiting must not delay requests. */
class PatientDatabase {
  readonly #pool: Pool;
  readonly #onFailure: (error: unknown) => void;
  #restsUntilMs = 0;

  constructor(pool: Pool, onFailure: (error: unknown) => void) {
    this.#pool = pool;
    this.#onFailure = onFailure;
  }

  async query(query: QueryConfig): Promise<QueryResult> {
    if (performance.now() < this.#restsUntilMs) throw new Error('the database is left alone');
    const waiting = new AbortController();
    const tooLate = sleep(TIMEOUT_MS, undefined, { signal: waiting.signal }).then(() => {
      throw new Error(`no answer within ${TIMEOUT_MS} ms`);
    });
    try {
      return await Promise.race([this.#pool.query(query), tooLate]);
    } catch (error) {
      if (performance.now() >= this.#restsUntilMs) this.#onFailure(error);
      this.#restsUntilMs = performance.now() + REST_MS;
      throw error;
    } finally {
      waiting.abort();
    }
  }
}
