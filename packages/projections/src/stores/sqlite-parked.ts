/** The streams that a build could not apply, and their events that wait. */
import type { StoredEvent } from '@counterfoil/core';
import type { Commit, ParkedStream } from '../read-model-store.ts';
import { type Checksummed, type Checksums, checksumOf } from './checksums.ts';
import type { Statements } from './sqlite-statements.ts';

export class Parked {
  readonly #statements: Statements;
  readonly #checksums: Checksums;

  constructor(statements: Statements, checksums: Checksums) {
    this.#statements = statements;
    this.#checksums = checksums;
  }

  streams(): readonly Omit<ParkedStream, 'events'>[] {
    return this.#statements
      .get('SELECT stream, error AS body, seal FROM parked_streams ORDER BY stream')
      .all()
      .map((row) => {
        const stream = row['stream'] as string;
        return {
          stream,
          error: this.#checksums.verify(location(stream), row as unknown as Checksummed),
        };
      });
  }

  events(stream: string): readonly StoredEvent[] {
    return this.#statements
      .get(
        'SELECT revision, event AS body, seal FROM parked_events WHERE stream = ? ORDER BY revision',
      )
      .all(stream)
      .map((row) => {
        const where = location(stream, row['revision'] as number);
        return JSON.parse(
          this.#checksums.verify(where, row as unknown as Checksummed),
        ) as StoredEvent;
      });
  }

  write({ park = [], unpark = [] }: Commit): void {
    const stream = this.#statements.get('INSERT OR IGNORE INTO parked_streams VALUES (?, ?, ?)');
    const event = this.#statements.get(
      'INSERT INTO parked_events (stream, revision, event, seal) VALUES (?, ?, ?, ?)',
    );
    for (const name of unpark) {
      this.#statements.get('DELETE FROM parked_events WHERE stream = ?').run(name);
      this.#statements.get('DELETE FROM parked_streams WHERE stream = ?').run(name);
    }
    for (const { event: stored, error } of park) {
      stream.run(stored.stream, error, checksumOf(location(stored.stream), error));
      const text = JSON.stringify(stored);
      const seal = checksumOf(location(stored.stream, stored.revision), text);
      event.run(stored.stream, stored.revision, text, seal);
    }
  }
}

function location(stream: string, revision?: number): string {
  return revision === undefined ? `parked ${stream}` : `parked ${stream} ${revision}`;
}
