/** What a host does with the keys of customers beside sealing and opening, wherever they stand. */
import type { AnyVault, Subject } from '@counterfoil/core';

/** `kept`: the customer has a key. `erased`: they had one. `none`: nothing was ever sealed for them. */
export type KeyState = 'kept' | 'erased' | 'none';

/** A file answers at once, a database later. */
type Awaitable<Answer> = Answer | Promise<Answer>;

/** Keys in a file (`PersonalKeys`) or in the database that hosts share (`PersonalKeyTable`). */
export interface CustomerKeys {
  /** For good; and nothing is sealed for this person any more. Durable when it is done. */
  destroy(subject: Subject): Awaitable<void>;
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
  /** Whether there never was a customer. */
  isEmpty(): Awaitable<boolean>;
  close(): Awaitable<void>;
}

/** What a host seals and opens with. */
export type CustomerVault = CustomerKeys & AnyVault;
