/** Counts requests in the host database, so that a limit is one limit however many hosts there are. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RoundTrips } from '@counterfoil/engine/storage';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { type Counted, type Counter, MemoryCounter } from './counter.ts';
import type { MakeCounter } from './rate-limit.ts';

/** A request waits no longer than this to be counted. */
const TIMEOUT_MS = 1_000;
/** After a failure the database is left alone for so long: meanwhile each host counts for itself. */
const REST_MS = 1_000;

const MS_PER_SECOND = 1_000;
const SWEEP_EVERY_MS = 60_000;
const SWEEP = 'DELETE FROM counterfoil_host.rate_limits WHERE expire < $1';

export interface SharedCountersOptions {
  /** Of a database that has the tables of `openHostDatabase`. */
  readonly pool: Pool;
  /** Told when the database could not be asked: until it can be again, each host grants the limit. */
  readonly onFailure: (error: unknown) => void;
}

/** Windows end by the hosts' own clocks, which must agree to within a second or so. */
export function sharedCounters({ pool, onFailure }: SharedCountersOptions): MakeCounter {
  const database = new PatientDatabase(pool, onFailure);
  return (options) => new SharedCounter(database, options);
}

class SharedCounter implements Counter {
  readonly #database: PatientDatabase;
  readonly #limiter: RateLimiterPostgres;
  /** While the database is away. */
  readonly #own: MemoryCounter;
  readonly #roundTrips = new RoundTrips<string, Counted>((keys) => this.#countAll(keys));
  #sweptAtMs = performance.now();

  constructor(database: PatientDatabase, options: Parameters<MakeCounter>[0]) {
    this.#database = database;
    this.#own = new MemoryCounter({ durationMs: options.duration * MS_PER_SECOND });
    this.#limiter = new RateLimiterPostgres({
      ...options,
      storeClient: database,
      storeType: 'pool',
      schemaName: 'counterfoil_host',
      tableName: 'rate_limits',
      tableCreated: true,
      // Its timer would outlive the host.
      clearExpiredByTimeout: false,
    });
  }

  consume(key: string): Promise<Counted> {
    return this.#roundTrips.ask(key);
  }

  /** Requests of one tenant in one turn are one change of one row: each is told its own place in it. */
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
      return await this.#limiter.consume(key, count);
    } catch {
      // `PatientDatabase` has told of it.
      return this.#own.consume(key, count);
    }
  }

  /** Windows that have ended are removed, as often as new ones begin. */
  #sweep(): void {
    if (performance.now() - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = performance.now();
    const sweep = { name: 'sweep-rate-limits', text: SWEEP, values: [Date.now()] };
    // Another host sweeps as well, and what is left over hurts nobody.
    this.#database.query(sweep).catch(() => undefined);
  }
}

/** Gives up early, and stays away for a moment: a limit is no reason to keep anybody waiting. */
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
