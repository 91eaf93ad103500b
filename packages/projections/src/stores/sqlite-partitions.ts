/** The partitions of a build by name and number; documents carry the number. */
import { type Checksummed, type Checksums, checksumOf } from './checksums.ts';
import type { Statements } from './sqlite-statements.ts';

export class Partitions {
  readonly #statements: Statements;
  readonly #checksums: Checksums;
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();

  constructor(statements: Statements, checksums: Checksums) {
    this.#statements = statements;
    this.#checksums = checksums;
  }

  /** Clears what is cached of a transaction that was rolled back. */
  forget(): void {
    this.#ids.clear();
    this.#names.clear();
  }

  /** Undefined when there are no documents of it. */
  idToRead(name: string): number | undefined {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const row = this.#statements
      .get('SELECT id, revision, seal FROM partitions WHERE name = ?')
      .get(name);
    if (row === undefined) return undefined;
    const id = row['id'] as number;
    const where = location(id, row['revision'] as number);
    this.#checksums.verify(where, { body: name, seal: row['seal'] as number });
    this.#ids.set(name, id);
    return id;
  }

  idToWrite(name: string): number {
    const known = this.idToRead(name);
    if (known !== undefined) return known;
    const row = this.#statements
      .get('SELECT coalesce(max(id), 0) + 1 AS next FROM partitions')
      .get();
    const id = row?.['next'] as number;
    this.#statements
      .get('INSERT INTO partitions (id, name, revision, seal) VALUES (?, ?, 0, ?)')
      .run(id, name, checksumOf(location(id, 0), name));
    this.#ids.set(name, id);
    return id;
  }

  name(id: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const { body: name } = this.#row(id);
    this.#names.set(id, name);
    return name;
  }

  /** Counts the commits that changed a document of it; 0 when there is none. */
  revision(name: string): number {
    const id = this.idToRead(name);
    return id === undefined ? 0 : this.#row(id).revision;
  }

  /** A document of it changes. */
  touch(id: number): void {
    const { body, revision } = this.#row(id);
    const next = revision + 1;
    this.#statements
      .get('UPDATE partitions SET revision = ?, seal = ? WHERE id = ?')
      .run(next, checksumOf(location(id, next), body), id);
  }

  /**
   * Throws `damaged` unless every partition is found by its name: one that is not would look empty.
   * Done once, by the worker that takes the build over.
   */
  check(): void {
    const rows = this.#statements.get('SELECT id FROM partitions NOT INDEXED').all();
    for (const { id } of rows) {
      const name = this.name(id as number);
      if (this.idToRead(name) !== id) throw this.#checksums.damage(`no index leads to ${name}`);
    }
  }

  #row(id: number): Checksummed & { readonly revision: number } {
    const row = this.#statements
      .get('SELECT name AS body, revision, seal FROM partitions WHERE id = ?')
      .get(id) as (Checksummed & { readonly revision: number }) | undefined;
    if (row === undefined) throw this.#checksums.damage(`there is no partition ${id}`);
    this.#checksums.verify(location(id, row.revision), row);
    return row;
  }
}

function location(id: number, revision: number): string {
  return `partition ${id} ${revision}`;
}
