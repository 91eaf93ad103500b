/** Claims on idempotency keys and other work that one host at a time may do. */
import type { Pool, PoolClient } from 'pg';
import type { Logger } from '../logger.ts';
import { RoundTrips } from './round-trips.ts';

/** The server detects a dead client machine after about 20 seconds. */
const KEEP_ALIVE = `
  SELECT set_config('tcp_keepalives_idle', '5', false),
    set_config('tcp_keepalives_interval', '5', false),
    set_config('tcp_keepalives_count', '3', false)`;

const CLAIM = 'SELECT * FROM counterfoil_host.claim_answers($1, $2, $3, $4, $5)';

export interface Wanted {
  readonly key: string;
  readonly fingerprint: string;
  readonly nowMs: number;
}

/** With the answer that is kept under the key, if one is; its columns are null otherwise. */
export interface Tried {
  readonly is_mine: boolean;
  /** Whether it is known that the key is held for another request. */
  readonly is_another_request: boolean;
  readonly fingerprint: string | null;
  readonly status: number;
  readonly content_type: string;
  readonly body: Buffer;
  readonly is_text: boolean;
  readonly headers: string | null;
  readonly recorded_at_ms: string;
  readonly expires_at_ms: string;
}

type Asked =
  | { readonly kind: 'want'; readonly wanted: Wanted }
  | { readonly kind: 'release'; readonly key: string; readonly fingerprint: string }
  | { readonly kind: 'reconnect' };

export interface ClaimsOptions {
  readonly pool: Pool;
  /**
   * Called when the connection was lost while it held this number of claims: until they are taken again
   * another host may have begun to answer the same requests.
   */
  readonly onLost?: ((claims: number) => void) | undefined;
}

/**
 * Session-level advisory locks on one dedicated connection of the pool: they end with it. When it is
 * lost, those that are still needed are taken again on the next one. Another host may have begun the
 * same work in between: the ids that are made from the key let it happen once.
 */
export class Claims {
  readonly #pool: Pool;
  readonly #onLost: (claims: number) => void;
  readonly #roundTrips = new RoundTrips<Asked, Tried | undefined>((asked) => this.#carry(asked));
  /** The request that each claimed key is held for. */
  readonly #held = new Map<string, string>();
  #connection: PoolClient | undefined;

  constructor({ pool, onLost = () => undefined }: ClaimsOptions) {
    this.#pool = pool;
    this.#onLost = onLost;
  }

  /** What is kept under the key, and whether it is claimed now. One process never asks for a key twice. */
  async want(wanted: Wanted): Promise<Tried> {
    const tried = await this.#roundTrips.ask({ kind: 'want', wanted });
    if (tried === undefined) throw new Error('a claim has no answer');
    return tried;
  }

  /** For a key that was claimed; travels with what is wanted next. */
  release(key: string): void {
    const fingerprint = this.#held.get(key);
    if (fingerprint === undefined) return;
    this.#held.delete(key);
    // When it fails the connection is given up, and the claim with it.
    this.#roundTrips.ask({ kind: 'release', key, fingerprint }).catch(() => undefined);
  }

  /** Ends all claims. */
  async close(): Promise<void> {
    await this.#roundTrips.rest();
    this.#giveUp();
  }

  async #carry(asked: readonly Asked[]): Promise<readonly (Tried | undefined)[]> {
    const connection = this.#connection;
    if (connection !== undefined) {
      try {
        return await this.#ask(connection, asked);
      } catch {
        // The connection may have died unnoticed: another one checks whether the server has.
        this.#lose(connection);
      }
    }
    const next = await this.#connect();
    try {
      return await this.#ask(next, asked);
    } catch (error) {
      this.#lose(next);
      throw error;
    }
  }

  async #ask(
    connection: PoolClient,
    asked: readonly Asked[],
  ): Promise<readonly (Tried | undefined)[]> {
    const wanted = asked.flatMap((each) => (each.kind === 'want' ? [each.wanted] : []));
    const released = asked.flatMap((each) => (each.kind === 'release' ? [each] : []));
    const tried = await claim(connection, wanted, released);
    for (const [index, { key, fingerprint }] of wanted.entries()) {
      if (tried[index]?.is_mine) this.#held.set(key, fingerprint);
    }
    let next = 0;
    return asked.map(({ kind }) => {
      if (kind !== 'want') return undefined;
      next += 1;
      return tried[next - 1];
    });
  }

  async #connect(): Promise<PoolClient> {
    const connection = await this.#pool.connect();
    this.#connection = connection;
    connection.on('error', () => undefined);
    connection.once('end', () => {
      // At once, and not with the next request: others may be asked for the same keys now.
      if (this.#lose(connection)) {
        this.#roundTrips.ask({ kind: 'reconnect' }).catch(() => undefined);
      }
    });
    try {
      await connection.query(KEEP_ALIVE);
      const held = [...this.#held].map(([key, fingerprint]) => ({ key, fingerprint, nowMs: 0 }));
      if (held.length > 0) await claim(connection, held, []);
      return connection;
    } catch (error) {
      this.#lose(connection);
      throw error;
    }
  }

  /** Whether claims were lost with it; false for a connection that is given up already. */
  #lose(connection: PoolClient): boolean {
    if (this.#connection !== connection) return false;
    this.#giveUp();
    if (this.#held.size > 0) this.#onLost(this.#held.size);
    return this.#held.size > 0;
  }

  #giveUp(): void {
    this.#connection?.release(true);
    this.#connection = undefined;
  }
}

/** For `onLost`. */
export function logLostClaims(logger: Logger): (claims: number) => void {
  return (claims) => logger.warn({ claims }, 'the connection that held the claims was lost');
}

async function claim(
  connection: PoolClient,
  wanted: readonly Wanted[],
  released: readonly { readonly key: string; readonly fingerprint: string }[],
): Promise<readonly Tried[]> {
  const { rows } = await connection.query<Tried>({
    name: 'claim-answers',
    text: CLAIM,
    values: [
      released.map(({ key }) => key),
      released.map(({ fingerprint }) => fingerprint),
      wanted.map(({ key }) => key),
      wanted.map(({ fingerprint }) => fingerprint),
      // Those of one turn, a millisecond apart at most.
      Math.max(0, ...wanted.map(({ nowMs }) => nowMs)),
    ],
  });
  return rows;
}
