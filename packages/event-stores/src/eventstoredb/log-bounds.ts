/** The log's places among all events of a cluster: its beginning, its last event, and how far none follows. */
import type { Calls } from './calls.ts';
import type { ProposedEvent } from './envelope.ts';
import { comparePlaces, type Place, placeOf, positionOf } from './positions.ts';
import type { StreamNames } from './stream-names.ts';

/** The head is mostly among the last events of the cluster, so the first page is short. */
const FIRST_LOOK_EVENTS = 4;
const LOOK_EVENTS = 512;

export class LogBounds {
  readonly #calls: Calls;
  readonly #names: StreamNames;
  readonly #beginning: Place;
  /** The last known event of the log. */
  #head: Place | undefined;
  /** Between the head and this place there is no event of the log. */
  #searched: Place;

  private constructor(calls: Calls, names: StreamNames, beginning: Place) {
    this.#calls = calls;
    this.#names = names;
    this.#beginning = beginning;
    this.#searched = beginning;
  }

  /**
   * The log's beginning is marked by an event before anything is appended: in a cluster with a billion
   * other events, neither the search for the head nor a subscription from the beginning reads those
   * that are older than the log.
   */
  static async find(calls: Calls, names: StreamNames): Promise<LogBounds> {
    const doing = `looking for ${names.beginning}`;
    const retries = calls.retries();
    for (;;) {
      const read = () =>
        calls.read(doing, (client) => client.readStream(names.beginning, 0, 1), retries);
      const [found] = await read();
      if (found !== undefined) {
        return new LogBounds(calls, names, placeOf(positionOf(found.position)));
      }
      try {
        await calls.once((client) => client.append(names.beginning, [newMark(names)], -1));
      } catch (error) {
        await retries.after(error, `marking ${names.beginning}`, 'append');
      }
    }
  }

  /** The place of the log's last event at some moment of this call; undefined for an empty log. */
  async head(): Promise<Place | undefined> {
    const floor = this.#searched;
    let latest: Place | undefined;
    let before: Place | 'end' = 'end';
    for (let count = FIRST_LOOK_EVENTS; ; count = LOOK_EVENTS) {
      const from: Place | 'end' = before;
      const page = await this.#calls.read('looking for the head of the log', (client) =>
        client.readAllBackwards(from, count),
      );
      for (const { streamId, position } of page) {
        const place = placeOf(positionOf(position));
        latest ??= place;
        if (comparePlaces(place, floor) <= 0) return this.#foundHead(undefined, latest);
        if (this.#names.inLog(streamId) !== undefined) return this.#foundHead(place, latest);
        before = place;
      }
      if (page.length < count) return this.#foundHead(undefined, latest);
    }
  }

  #foundHead(head: Place | undefined, latest: Place | undefined): Place | undefined {
    if (head !== undefined) this.saw(head);
    if (latest !== undefined && comparePlaces(latest, this.#searched) > 0) this.#searched = latest;
    return this.#head;
  }

  /** An event of the log is at this place. */
  saw(place: Place): void {
    if (this.#head === undefined || comparePlaces(place, this.#head) > 0) this.#head = place;
    if (comparePlaces(place, this.#searched) > 0) this.#searched = place;
  }

  /** No event of the log is after the one place and up to the other. */
  passed(after: Place, upTo: Place): void {
    if (comparePlaces(after, this.#searched) > 0) return;
    if (comparePlaces(upTo, this.#searched) > 0) this.#searched = upTo;
  }

  /** Where to start so that every event of the log after a place is delivered, and few others are filtered. */
  startAfter(after: Place | undefined): Place {
    const start =
      after === undefined || comparePlaces(after, this.#beginning) < 0 ? this.#beginning : after;
    const isAtHead = this.#head === undefined || comparePlaces(start, this.#head) >= 0;
    return isAtHead && comparePlaces(start, this.#searched) < 0 ? this.#searched : start;
  }
}

function newMark({ prefix }: StreamNames): ProposedEvent {
  return {
    id: crypto.randomUUID(),
    contentType: 'application/json',
    type: 'LogBegan',
    data: { prefix },
    metadata: new TextEncoder().encode('{}'),
  };
}
