/**
 * Prepared statements by their text, so that a query of a known shape is compiled once. One with `LIMIT ?` would
 * be compiled again at each execution, since SQLite's planner uses the value: limits are written `LIMIT ? + 0`.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';

/** Shapes of queries kept prepared, and characters of their texts: what one takes grows with its text. */
const MAX_STATEMENTS = 500;
const MAX_CHARACTERS = 2 ** 19;

type Prepared = LRUCache<string, StatementSync>;

export class Statements {
  readonly database: DatabaseSync;
  readonly #prepared = keptStatements();
  readonly #ofTuples = keptStatements();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  get(sql: string): StatementSync {
    return this.#prepared.get(sql) ?? this.#prepare(sql, this.#prepared);
  }

  /**
   * The same with each row as an array: as an object it takes longer to make and to read, since
   * node:sqlite makes dictionaries.
   */
  tuples(sql: string): StatementSync {
    const known = this.#ofTuples.get(sql);
    if (known !== undefined) return known;
    const made = this.#prepare(sql, this.#ofTuples);
    made.setReturnArrays(true);
    return made;
  }

  #prepare(sql: string, kept: Prepared): StatementSync {
    const made = this.database.prepare(sql);
    kept.set(sql, made);
    return made;
  }

  /** Writes all of it or nothing: what fails is rolled back. */
  transaction<Result>(write: () => Result): Result {
    this.get('BEGIN IMMEDIATE').run();
    try {
      const result = write();
      this.get('COMMIT').run();
      return result;
    } finally {
      const { database } = this;
      if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
    }
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

function keptStatements(): Prepared {
  return new LRUCache({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, sql) => sql.length,
  });
}
