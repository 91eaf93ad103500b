/** What a host does with the keys of customers beside sealing and opening, wherever they are kept. */
import type { AnyVault, Subject } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import { type Awaitable, mapped } from '../storage/sql-tables.ts';
import type { KeyMark, KeyRows } from './key-rows.ts';
import { KeyCipher, nameOf, type UsableKey } from './personal-key-cipher.ts';

/** `kept`: the customer has a key. `erased`: they had one. `none`: nothing was ever sealed for them. */
export type KeyState = 'kept' | 'erased' | 'none';

/** Unwrapped keys that need not be looked up: a customer's events come close together. */
const MAX_KEYS = 10_000;
/**
 * Customers come by ascending ids. When the one before has a key, keys for so many are made in one
 * commit, so that a payment seldom waits for the disk.
 */
const BLOCK_SIZE = 256;
/** The most that are made ahead at a time, for all tenants together. */
const MAX_AHEAD = 1_024;

/**
 * Keys in a file (`PersonalKeys`), which answers at once, or in the database that hosts share
 * (`PersonalKeyTable`).
 */
export class CustomerKeys {
  protected readonly rows: KeyRows;
  protected readonly cipher: KeyCipher;
  protected readonly keys = new LRUCache<string, UsableKey>({ max: MAX_KEYS });

  constructor(rows: KeyRows, wrappingKey: Uint8Array) {
    this.rows = rows;
    this.cipher = new KeyCipher(wrappingKey);
  }

  /**
   * For good: nothing is sealed for this person again. Durable when it is done; what may be left of the
   * key beside its row goes with `scrub`.
   */
  destroy(subject: Subject): Awaitable<void> {
    return mapped(this.rows.destroy(subject), () => this.forget(subject));
  }

  /** Leaves nothing of destroyed keys beside the rows. False, at once, while a reader is there. */
  scrub(): Awaitable<boolean> {
    return this.rows.scrub();
  }

  /** Throws where a key does not open. */
  stateOf(subject: Subject): Awaitable<KeyState> {
    return mapped(this.rows.find([subject]), ([row]) => {
      if (row === undefined) return 'none';
      if (row.wrapped === null) return 'erased';
      this.cipher.unwrapped(row.wrapped, nameOf(subject));
      return 'kept';
    });
  }

  /** Drops what is remembered of a person whose key another host has destroyed. */
  forget(subject: Subject): void {
    this.keys.delete(nameOf(subject));
  }

  /** Reports every key that does not open; answers how many customers there are. */
  async check(onFault: (customer: string) => void): Promise<number> {
    let customers = 0;
    for await (const page of this.rows.pages()) {
      customers += page.length;
      for (const { subject, wrapped } of page) {
        const name = nameOf(subject);
        if (this.usable(wrapped, name) instanceof Error) onFault(name);
      }
    }
    return customers;
  }

  /** The first event of the log that the keys belong to; undefined before it has one. */
  firstEvent(): Awaitable<string | undefined> {
    return this.rows.firstEvent();
  }

  belongTo(firstEvent: string): Awaitable<void> {
    return this.rows.belongTo(firstEvent);
  }

  /** Of how many customers there is a key, or the tombstone of one. It never decreases. */
  count(): Awaitable<number> {
    return this.rows.count();
  }

  /** Customers with neither a key nor the tombstone of one. */
  missing(subjects: readonly Subject[]): Awaitable<readonly Subject[]> {
    const known = subjects.filter(canBe);
    return mapped(this.rows.find(known), (rows) => {
      const found = new Set(rows.map(({ subject }) => nameOf(subject)));
      return known.filter((subject) => !found.has(nameOf(subject)));
    });
  }

  /** Up to where in the log no key is missing; undefined before the first look. */
  mark(): Awaitable<KeyMark | undefined> {
    return this.rows.mark();
  }

  /** After `belongTo`. */
  setMark(mark: KeyMark): Awaitable<void> {
    return this.rows.setMark(mark);
  }

  close(): Awaitable<void> {
    this.rows.close();
  }

  /** The key, or why it cannot be used. */
  protected usable(wrapped: Uint8Array | null, name: string): UsableKey | Error {
    if (wrapped === null) return 'erased';
    try {
      return this.cipher.unwrapped(wrapped, name);
    } catch (error) {
      return error as Error;
    }
  }
}

/** A damaged event may name a customer that cannot exist: it is reported when it is decoded. */
export function canBe({ tenantId, customerId }: Subject): boolean {
  return Number.isSafeInteger(tenantId) && Number.isSafeInteger(customerId);
}

/** Those without a key, and after the last one of a tenant those who will come next. */
export function toMake(
  missing: readonly Subject[],
  hasKey: (subject: Subject) => boolean,
): readonly Subject[] {
  const groups = Map.groupBy(missing, ({ tenantId, sandbox }) => `${tenantId}/${sandbox}`);
  const ahead = Math.min(BLOCK_SIZE - 1, Math.floor(MAX_AHEAD / groups.size));
  return [...groups.values()].flatMap((group) => {
    const last = group.reduce((a, b) => (a.customerId > b.customerId ? a : b));
    const before = { ...last, customerId: last.customerId - 1 };
    const follows =
      group.some(({ customerId }) => customerId === before.customerId) || hasKey(before);
    const most = Number.MAX_SAFE_INTEGER - last.customerId;
    const next = Array.from({ length: follows ? Math.min(ahead, most) : 0 }, (_, index) => ({
      ...last,
      customerId: last.customerId + 1 + index,
    }));
    return [...group, ...next];
  });
}

/** What a host seals and opens with. */
export type CustomerVault = CustomerKeys & AnyVault;
