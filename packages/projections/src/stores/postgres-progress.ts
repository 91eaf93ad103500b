/** Follows the progress of read models, for hosts whose projections run in other processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@counterfoil/core';
import type { ProjectionMessage } from '../progress.ts';
import { BackOff } from './back-off.ts';
import type { Database } from './postgres-database.ts';

/** Notifications may be lost with a connection, and a replica has none. */
const POLL_MS = 250;
/** A server that has not answered by then is treated as lost. */
const QUERY_TIMEOUT_MS = 10_000;

interface Following {
  readonly projections: readonly string[];
  readonly receive: (message: ProjectionMessage) => void;
  readonly signal: AbortSignal;
}

/** Ends with the signal only: failures are retried. */
export async function followProgress(database: Database, following: Following): Promise<void> {
  const { signal } = following;
  const follower = new Follower(database, following);
  const backOff = new BackOff();
  while (!signal.aborted) {
    try {
      await follower.follow(() => backOff.reset());
    } catch {
      await backOff.pause(signal);
    }
  }
}

class Follower {
  readonly #database: Database;
  readonly #following: Following;
  /** By shard. */
  #reported: readonly (Position | null)[] = [];

  constructor(database: Database, following: Following) {
    this.#database = database;
    this.#following = following;
  }

  /** Follows over one connection, as long as that lasts. */
  async follow(onHeard: () => void): Promise<void> {
    const { signal } = this.#following;
    const { schema } = this.#database;
    const client = this.#database.client(QUERY_TIMEOUT_MS);
    const query = {
      name: 'counterfoil_progress',
      text: `SELECT min(s.position) AS position, max(s.behind_ms) AS "behindMs", count(s.position) AS "count"
             FROM ${schema}.live JOIN ${schema}.builds b USING (projection, build)
               JOIN ${schema}.shards s ON s.build_id = b.id
             WHERE projection = ANY($1) GROUP BY s.shard ORDER BY s.shard`,
      values: [this.#following.projections],
    };
    let woken = new AbortController();
    const wake = () => woken.abort();
    for (const event of ['notification', 'error', 'end'] as const) client.on(event, wake);
    signal.addEventListener('abort', wake);
    try {
      await client.connect();
      // A replica takes no listeners: there it is the polling alone.
      await client.query(`LISTEN "${schema}"`).catch(() => undefined);
      while (!signal.aborted) {
        // Before the query: what changes while it runs must not be missed.
        woken = new AbortController();
        const { rows } = await client.query<Reached>(query);
        onHeard();
        this.#report(rows);
        await sleep(POLL_MS, undefined, { signal: woken.signal }).catch(() => undefined);
      }
    } finally {
      signal.removeEventListener('abort', wake);
      await client.end().catch(() => undefined);
    }
  }

  /** Shards that have reached the same position are reported together. */
  #report(rows: readonly Reached[]): void {
    const { projections, receive } = this.#following;
    const wanted = new Set(projections).size;
    // A projection without a build has not reached anything.
    const reached = rows.map(({ position, count }) => (Number(count) < wanted ? null : position));
    const news = new Map<Position, number[]>();
    for (const [shard, position] of reached.entries()) {
      if (position === null || position === this.#reported[shard]) continue;
      news.set(position, [...(news.get(position) ?? []), shard]);
    }
    this.#reported = reached;
    for (const [position, these] of news) {
      const behindMs = Math.max(...these.map((shard) => Number(rows[shard]?.behindMs)));
      const shards = { these, of: rows.length };
      receive({ type: 'caught-up-to', position, events: 0, behindMs, shards });
    }
  }
}

interface Reached {
  readonly position: Position | null;
  readonly behindMs: string;
  readonly count: string;
}
