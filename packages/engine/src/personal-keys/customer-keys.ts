/** What a host does with the keys of customers beside sealing and opening, wherever they stand. */
import type { AnyVault, Position, Subject } from '@counterfoil/core';
import type { Awaitable } from '../storage/sql-tables.ts';

/** `kept`: the customer has a key. `erased`: they had one. `none`: nothing was ever sealed for them. */
export type KeyState = 'kept' | 'erased' | 'none';

/**
 * Up to where in the log no key is missing. It stands beside the keys and in the same commits, so that
 * older keys bring an older mark.
 */
export interface KeyMark {
  /** Nothing is missing up to the event right after this position. */
  readonly after: Position;
  /** The id of that event: a log that took another course does not have it there. */
  readonly eventId: string;
  /** How many keys there were at least. */
  readonly keys: number;
}

/** Keys in a file (`PersonalKeys`) or in the database that hosts share (`PersonalKeyTable`). */
export interface CustomerKeys {
  /**
   * For good; and nothing is sealed for this person any more. Durable when it is done. What may be left
   * of the key beside its row goes with `scrub`.
   */
  destroy(subject: Subject): Awaitable<void>;
  /**
   * Leaves nothing of destroyed keys beside the rows. Waits for nobody: false while somebody reads where
   * they stood.
   */
  scrub(): Awaitable<boolean>;
  /** Throws where a key does not open. */
  stateOf(subject: Subject): Awaitable<KeyState>;
  /**
   * Lets go of what is remembered of a person. For each host, when the log says that somebody was
   * erased: another one has destroyed the key.
   */
  forget(subject: Subject): void;
  /** Tells of every key that does not open; answers how many customers there are. */
  check(onFault: (customer: string) => void): Awaitable<number>;
  /** The first event of the log that the keys belong to; undefined before it has one. */
  firstEvent(): Awaitable<string | undefined>;
  belongTo(firstEvent: string): Awaitable<void>;
  /** Of how many customers there is a key, or the tombstone of one. It never becomes less. */
  count(): Awaitable<number>;
  /** Those of whom there is neither a key nor the tombstone of one. */
  missing(subjects: readonly Subject[]): Awaitable<readonly Subject[]>;
  /** Up to where in the log nothing is missing; undefined before it was first looked for. */
  mark(): Awaitable<KeyMark | undefined>;
  /** After `belongTo`. */
  setMark(mark: KeyMark): Awaitable<void>;
  close(): Awaitable<void>;
}

/** What a host seals and opens with. */
export type CustomerVault = CustomerKeys & AnyVault;
