/** The newest events of the log, kept in memory for the subscriptions that are near its end. */
import type { AppendRequest, StoredEvent } from '@counterfoil/core';
import { MAX_BATCH_CHARACTERS } from '../batches.ts';
import { positionOf } from './messages.ts';

const MAX_EVENTS = 2_048;
const MAX_CHARACTERS = 4 * 2 ** 20;

/** Without a gap: those before them have to be read from the file. */
export class RecentEvents {
  readonly #events: StoredEvent[] = [];
  /** Of the last one; 0 for none. */
  #last = 0;
  #characters = 0;

  /** Adds what one append has made; `position` and `revision` are those of its last event. */
  add({ stream, events, command }: AppendRequest, position: number, revision: number): void {
    const before = position - events.length;
    // Another append is unknown here.
    if (before !== this.#last) this.#clear();
    for (const [
      index,
      { id, type, schemaVersion, tenantId, time, data, metadata },
    ] of events.entries()) {
      const fromLast = events.length - 1 - index;
      this.#characters += data.length;
      this.#events.push({
        ...{ id, type, schemaVersion, tenantId, time, data, metadata, stream },
        revision: revision - fromLast,
        position: positionOf(position - fromLast),
        commandId: command.id,
        commandFingerprint: command.fingerprint,
      });
    }
    this.#last = position;
    while (this.#events.length > MAX_EVENTS || this.#characters > MAX_CHARACTERS) {
      this.#forgetHalf();
    }
  }

  /** Up to `limit` events after a position, as a subscription has them; undefined where one is unknown. */
  after(position: number, upTo: number, limit: number): StoredEvent[] | undefined {
    const first = this.#last - this.#events.length;
    if (position < first || upTo > this.#last) return undefined;
    const found: StoredEvent[] = [];
    let characters = 0;
    for (let at = position - first; at < upTo - first && found.length < limit; at += 1) {
      const event = this.#events[at] as StoredEvent;
      found.push(event);
      characters += event.data.length;
      if (characters >= MAX_BATCH_CHARACTERS) break;
    }
    return found;
  }

  #clear(): void {
    this.#events.length = 0;
    this.#characters = 0;
  }

  /** At once, so that each event is moved in memory about once. */
  #forgetHalf(): void {
    const forgotten = this.#events.splice(0, Math.ceil(this.#events.length / 2));
    for (const { data } of forgotten) this.#characters -= data.length;
  }
}
