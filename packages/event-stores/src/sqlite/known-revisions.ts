/** How far streams reach, kept by the log's only writer: most reads of what is cached find nothing new. */
import type { StreamName } from '@counterfoil/core';

/** Streams whose last revision is kept; about 150 bytes each. */
const KNOWN_STREAMS = 50_000;

/**
 * Of a stream that is known here, no event beyond the kept revision has been acknowledged to
 * anybody; of any other stream nothing is said. In the order in which the log last told of them.
 */
export class KnownRevisions {
  readonly #last = new Map<StreamName, number>();

  /** The revision beyond which there is nothing, -1 for an empty stream; undefined when not known. */
  of(stream: StreamName): number | undefined {
    return this.#last.get(stream);
  }

  /** The log was just read: the stream has nothing beyond this revision. */
  sawEnd(stream: StreamName, revision: number): void {
    this.#keep(stream, revision);
  }

  /** An answer told of this revision; a later read may have told of more. */
  acknowledged(stream: StreamName, revision: number): void {
    this.#keep(stream, Math.max(revision, this.#last.get(stream) ?? -1));
  }

  forget(stream: StreamName): void {
    this.#last.delete(stream);
  }

  #keep(stream: StreamName, revision: number): void {
    // Taken out first: a stream that is set again would keep its old place.
    this.#last.delete(stream);
    this.#last.set(stream, revision);
    if (this.#last.size <= KNOWN_STREAMS) return;
    const oldest = this.#last.keys().next();
    if (!oldest.done) this.#last.delete(oldest.value);
  }
}
