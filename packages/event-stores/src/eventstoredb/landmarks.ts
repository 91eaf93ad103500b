/** Places of the log among everybody's events: where it begins, its last event, and how far nothing follows. */
import type { Calls } from './calls.ts';
import type { ProposedEvent } from './envelope.ts';
import { comparePlaces, type Place, placeOf, positionOf } from './positions.ts';
import type { StreamNames } from './stream-names.ts';

/** The head is most often the last event of all, so the first look is a short one. */
const FIRST_LOOK_EVENTS = 4;
const LOOK_EVENTS = 512;

export class Landmarks {
  readonly #calls: Calls;
  readonly #names: StreamNames;
  readonly #beginning: Place;
  /** The last event of the log as far as is known. */
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
   * The log's beginning is marked by an event of its own before anything is appended: in a cluster
   * with a billion events of others, neither the search for the head nor a subscription from the
   * beginning looks at those that are older than the log.
   */
  static async find(calls: Calls, names: StreamNames): Promise<Landmarks> {
    const doing = `looking for ${names.beginning}`;
    const patience = calls.patience();
    for (;;) {
      const read = () =>
        calls.read(doing, (client) => client.readStream(names.beginning, 0, 1), patience);
      const [found] = await read();
      if (found !== undefined) {
        return new Landmarks(calls, names, placeOf(positionOf(found.position)));
      }
      try {
        await calls.once((client) => client.append(names.beginning, [newMark(names)], -1));
      } catch (error) {
        await patience.after(error, `marking ${names.beginning}`, 'append');
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

  /** An event of the log stands there. */
  saw(place: Place): void {
    if (this.#head === undefined || comparePlaces(place, this.#head) > 0) this.#head = place;
    if (comparePlaces(place, this.#searched) > 0) this.#searched = place;
  }

  /** No event of the log stands after the one place and up to the other. */
  passed(after: Place, upTo: Place): void {
    if (comparePlaces(after, this.#searched) > 0) return;
    if (comparePlaces(upTo, this.#searched) > 0) this.#searched = upTo;
  }

  /** Where to begin so that every event of the log after a place comes, and few of others. */
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
