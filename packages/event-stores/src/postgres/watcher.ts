/** Follows the settled head of the log by LISTEN/NOTIFY, and by polling. */
import type { Position } from '@counterfoil/core';
import type pg from 'pg';
import { BackOff } from '../back-off.ts';
import { Notifier } from '../notifier.ts';
import { kindOf, mayPass, portError } from './failures.ts';
import { BEFORE_ALL, positionOf } from './positions.ts';
import { connect, disconnect, type Server } from './sessions.ts';

/** While a transaction older than the newest event runs: one that rolls back sends no notification. */
const UNSETTLED_POLL_MS = 25;

export interface WatcherOptions {
  readonly server: Server;
  readonly schema: string;
  readonly place: string;
  readonly pollMs: number;
}

/** One row: `settled_head`. */
export type HeadRow = readonly [
  transaction: string | null,
  ordinal: number | null,
  isNewest: boolean,
];

export function headOf(row: HeadRow | undefined): Position {
  const [transaction, ordinal] = row ?? [];
  if (typeof transaction !== 'string' || typeof ordinal !== 'number') return BEFORE_ALL;
  return positionOf(transaction, ordinal);
}

export class Watcher {
  readonly #options: WatcherOptions;
  /** Notifies when the head has moved, and when watching has ended. */
  readonly headMoved = new Notifier();
  readonly #stop = new AbortController();
  readonly #lookWanted = new Notifier();
  /** A look was requested since the last one began. */
  #isWanted = false;
  /** This store has committed, and has not notified others yet. */
  #isToAnnounce = false;
  #head: Position;
  #client: pg.Client | undefined;
  #failure: Error | undefined;
  readonly #ended: Promise<void>;

  constructor(options: WatcherOptions, head: Position) {
    this.#options = options;
    this.#head = head;
    this.#ended = this.#watch();
  }

  /** No event can appear before or at it any more. */
  get head(): Position {
    return this.#head;
  }

  /** A permanent failure: the log is not watched any more. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Notifies other stores of this log that it has grown, and reads the head now. */
  announce(): void {
    this.#isToAnnounce = true;
    this.#look();
  }

  saw(head: Position): void {
    if (head <= this.#head) return;
    this.#head = head;
    this.headMoved.notify();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#lookWanted.notify();
    this.headMoved.notify();
    if (this.#client !== undefined) disconnect(this.#client);
    await this.#ended;
  }

  #look(): void {
    this.#isWanted = true;
    this.#lookWanted.notify();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    const backOff = new BackOff();
    while (!signal.aborted) {
      try {
        await this.#follow(backOff);
      } catch (error) {
        if (signal.aborted) return;
        if (!mayPass(error)) {
          this.#failure = portError(error, this.#options.place);
          this.headMoved.notify();
          return;
        }
        await backOff.pause(signal);
      }
    }
  }

  /** Reads the head repeatedly until the end. Throws when the connection is lost. */
  async #follow(backOff: BackOff): Promise<void> {
    const { signal } = this.#stop;
    const { server, schema, pollMs } = this.#options;
    let isLost = false;
    const client = await connect(server, 'watcher', () => {
      isLost = true;
      this.#look();
    });
    this.#client = client;
    try {
      client.on('notification', () => this.#look());
      await client.query(`LISTEN ${schema}`);
      while (!signal.aborted && !isLost) {
        this.#isWanted = false;
        const isNewest = await this.#lookOnce(client);
        backOff.reset();
        if (!this.#isWanted)
          await this.#lookWanted.wait(signal, isNewest ? pollMs : UNSETTLED_POLL_MS);
      }
    } finally {
      this.#client = undefined;
      disconnect(client);
    }
    if (isLost) throw new Error('the connection to the log was lost');
  }

  /** Resolves to whether the newest event is settled. */
  async #lookOnce(client: pg.Client): Promise<boolean> {
    const { schema } = this.#options;
    const announces = this.#isToAnnounce;
    this.#isToAnnounce = false;
    // Not in the transaction of the append: transactions that notify commit one after the other.
    const text = announces
      ? `SELECT head.* FROM pg_notify('${schema}', '') AS told, ${schema}.settled_head() AS head`
      : `SELECT * FROM ${schema}.settled_head()`;
    try {
      const name = announces ? 'announce' : 'look';
      const query = { name, text, rowMode: 'array' as const };
      const { rows } = await client.query<[...HeadRow]>(query);
      this.saw(headOf(rows[0]));
      return rows[0]?.[2] ?? true;
    } catch (error) {
      this.#isToAnnounce ||= announces;
      if (kindOf(error) !== 'foreign') throw error;
      await client.query(`SELECT ${schema}.begin_era_where_needed()`);
      return false;
    }
  }
}
