/** Positions of a log, and what they are in the log that it was copied to. */
import type { Position } from '@counterfoil/core';
import { MoveError } from './move-error.ts';

/** Learns the positions that are asked for from a walk through both logs. */
export class Positions {
  readonly #wanted: readonly string[];
  readonly #found = new Map<string, Position>();
  #next = 0;
  #last: Position | undefined;

  constructor(wanted: Iterable<string>) {
    this.#wanted = [...new Set(wanted)].sort();
  }

  /** To be called for every event, in the order of the log. */
  meet(source: Position, target: Position): void {
    for (let next = this.#wanted[this.#next]; next !== undefined && next <= source; ) {
      const found = next === source ? target : this.#last;
      // Where no event is: what was read up to there was read up to the event before it.
      if (found !== undefined) this.#found.set(next, found);
      this.#next += 1;
      next = this.#wanted[this.#next];
    }
    this.#last = target;
  }

  /** Throws a MoveError for a position before the first event or behind the last one. */
  of(position: string): Position {
    const found = this.#found.get(position);
    if (found !== undefined) return found;
    throw new MoveError(
      'refused',
      `something has read up to position ${position}, where the log is not: run \`counterfoil doctor\` on the source`,
    );
  }
}
