/** Prepared statements by their text, so that a query of a known shape is compiled once. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Shapes of queries kept prepared; the oldest gives way. */
const MAX_STATEMENTS = 500;

export class Statements {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  get(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    if (this.#prepared.size >= MAX_STATEMENTS) {
      const [oldest] = this.#prepared.keys();
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    const made = this.database.prepare(sql);
    this.#prepared.set(sql, made);
    return made;
  }

  /** Runs several statements on one moment of the file. */
  snapshot<Result>(read: () => Result): Result {
    if (this.database.isTransaction) return read();
    this.get('BEGIN').run();
    try {
      return read();
    } finally {
      this.get('COMMIT').run();
    }
  }
}
