/** The keys of customers in the database that hosts share: asked for by the batch, and by any of the hosts. */
import type { DistantVault, PersonalDataVault, Subject } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { RoundTrips } from '../storage/round-trips.ts';
import type { CustomerKeys, KeyMark, KeyState } from './customer-keys.ts';
import { KeyCipher, nameOf, type UsableKey } from './personal-key-cipher.ts';
import { KEY_TABLE, KeyRows } from './personal-key-rows.ts';

/** Unwrapped keys that need not be asked for. What a batch needs is at hand in any case. */
const MAX_KEYS = 10_000;
/**
 * Customers come by ascending ids. When the one before has a key, keys for so many are made in one
 * commit, so that a payment seldom waits for the database.
 */
const BLOCK_SIZE = 256;
/** The most that are made ahead at a time, whoever they are for. */
const MAX_AHEAD = 1_024;

export interface PersonalKeyTableOptions {
  readonly pool: Pool;
  /** What the keys are wrapped with (32 bytes). */
  readonly wrappingKey: Uint8Array;
  /** For those who decode beside the hosts. */
  readonly readOnly?: boolean;
  /** Closes what was opened for the table alone. */
  readonly onClose?: () => Promise<void>;
}

/** A key, or the reason why there is none that can be used. */
type HeldKey = UsableKey | Error;
type KeysByName = Map<string, HeldKey>;

type Wanted = ReadonlyMap<string, Subject>;
type KeyTrips = RoundTrips<Wanted, KeysByName>;

/** A look into the table; what is forgotten while it lasts must not be remembered by it. */
interface Look {
  readonly forgotten: Set<string>;
}

/**
 * AES-256-GCM under a random key for each customer, wrapped as in the file of a host that is alone. A
 * key stands in the table, durable, before anything is sealed under it; of two hosts that make one
 * for the same person at once, both use the one that came first.
 */
export class PersonalKeyTable implements DistantVault, CustomerKeys {
  readonly #rows: KeyRows;
  readonly #cipher: KeyCipher;
  readonly #readOnly: boolean;
  readonly #onClose: () => Promise<void>;
  readonly #keys = new LRUCache<string, UsableKey>({ max: MAX_KEYS });
  readonly #looks = new Set<Look>();
  readonly #openings = together((wanted) => this.#looking((look) => this.#read(wanted, look)));
  readonly #sealings = together((wanted) => this.#looking((look) => this.#make(wanted, look)));

  constructor({
    pool,
    wrappingKey,
    readOnly = false,
    onClose = async () => undefined,
  }: PersonalKeyTableOptions) {
    this.#rows = new KeyRows(pool);
    this.#cipher = new KeyCipher(wrappingKey);
    this.#readOnly = readOnly;
    this.#onClose = onClose;
  }

  async forOpening(subjects: readonly Subject[]): Promise<PersonalDataVault> {
    // A damaged event may name somebody who cannot be: it is told of when it is decoded.
    return this.#held(subjects.filter(canBe), this.#openings);
  }

  async forSealing(subjects: readonly Subject[]): Promise<PersonalDataVault> {
    if (this.#readOnly && subjects.length > 0) throw openedForReading();
    return this.#held(subjects, this.#sealings);
  }

  forget(subject: Subject): void {
    const name = nameOf(subject);
    this.#keys.delete(name);
    for (const { forgotten } of this.#looks) forgotten.add(name);
  }

  async destroy(subject: Subject): Promise<void> {
    if (this.#readOnly) throw openedForReading();
    await this.#rows.destroy(subject);
    this.forget(subject);
  }

  /** The table is vacuumed with every key that is destroyed. */
  async scrub(): Promise<boolean> {
    return true;
  }

  async stateOf(subject: Subject): Promise<KeyState> {
    const [row] = await this.#rows.find([subject]);
    if (row === undefined) return 'none';
    if (row.wrapped === null) return 'erased';
    this.#cipher.unwrapped(row.wrapped, nameOf(subject));
    return 'kept';
  }

  async check(onFault: (customer: string) => void): Promise<number> {
    let customers = 0;
    for await (const page of this.#rows.pages()) {
      customers += page.length;
      for (const { subject, wrapped } of page) {
        const name = nameOf(subject);
        if (this.#usable(wrapped, name) instanceof Error) onFault(name);
      }
    }
    return customers;
  }

  firstEvent(): Promise<string | undefined> {
    return this.#rows.firstEvent();
  }

  async belongTo(firstEvent: string): Promise<void> {
    if (this.#readOnly) throw openedForReading();
    await this.#rows.belongTo(firstEvent);
  }

  count(): Promise<number> {
    return this.#rows.count();
  }

  async missing(subjects: readonly Subject[]): Promise<readonly Subject[]> {
    const known = subjects.filter(canBe);
    const found = new Set((await this.#rows.find(known)).map(({ subject }) => nameOf(subject)));
    return known.filter((subject) => !found.has(nameOf(subject)));
  }

  mark(): Promise<KeyMark | undefined> {
    return this.#rows.mark();
  }

  async setMark(mark: KeyMark): Promise<void> {
    if (this.#readOnly) throw openedForReading();
    await this.#rows.setMark(mark);
  }

  close(): Promise<void> {
    return this.#onClose();
  }

  async #held(subjects: readonly Subject[], trips: KeyTrips): Promise<PersonalDataVault> {
    const held: KeysByName = new Map();
    const unknown = new Map<string, Subject>();
    for (const subject of subjects) {
      const name = nameOf(subject);
      const known = this.#keys.get(name);
      if (known === undefined) unknown.set(name, subject);
      else held.set(name, known);
    }
    if (unknown.size > 0) {
      const found = await trips.ask(unknown);
      for (const name of unknown.keys()) {
        const key = found.get(name);
        if (key !== undefined) held.set(name, key);
      }
    }
    return new KeysAtHand(this.#cipher, held);
  }

  async #looking(work: (look: Look) => Promise<KeysByName>): Promise<KeysByName> {
    const look = { forgotten: new Set<string>() };
    this.#looks.add(look);
    try {
      return await work(look);
    } finally {
      this.#looks.delete(look);
    }
  }

  /** The keys of those who have one. */
  async #read(wanted: Wanted, look: Look): Promise<KeysByName> {
    const found: KeysByName = new Map();
    for (const { subject, wrapped } of await this.#rows.find([...wanted.values()])) {
      const name = nameOf(subject);
      const key = this.#usable(wrapped, name);
      found.set(name, key);
      this.#remember(name, key, look);
    }
    return found;
  }

  /** The keys of all of them. */
  async #make(wanted: Wanted, look: Look): Promise<KeysByName> {
    const neighbours = new Map(wanted);
    for (const subject of wanted.values()) {
      const before = { ...subject, customerId: subject.customerId - 1 };
      neighbours.set(nameOf(before), before);
    }
    const found = await this.#read(neighbours, look);
    const missing = new Map([...wanted].filter(([name]) => !found.has(name)));
    if (missing.size === 0) return found;
    const made = new Map(
      toMake([...missing.values()], (name) => found.has(name)).map((subject) => {
        const name = nameOf(subject);
        return [name, { subject, ...this.#cipher.make(name) }] as const;
      }),
    );
    for (const added of await this.#rows.add([...made.values()])) {
      const name = nameOf(added);
      const key = made.get(name)?.key;
      if (key === undefined) throw new Error(`a key of customer ${name} was added by nobody`);
      found.set(name, key);
      missing.delete(name);
      this.#remember(name, key, look);
    }
    // Another host was faster: what it made is the key.
    const others = missing.size === 0 ? new Map() : await this.#read(missing, look);
    return new Map([...found, ...others]);
  }

  #remember(name: string, key: HeldKey, { forgotten }: Look): void {
    if (!(key instanceof Error) && !forgotten.has(name)) this.#keys.set(name, key);
  }

  #usable(wrapped: Uint8Array | null, name: string): HeldKey {
    if (wrapped === null) return 'erased';
    try {
      return this.#cipher.unwrapped(wrapped, name);
    } catch (error) {
      return error as Error;
    }
  }
}

/** The keys of a batch, whatever becomes of them elsewhere meanwhile. */
class KeysAtHand implements PersonalDataVault {
  readonly #cipher: KeyCipher;
  readonly #keys: ReadonlyMap<string, HeldKey>;

  constructor(cipher: KeyCipher, keys: ReadonlyMap<string, HeldKey>) {
    this.#cipher = cipher;
    this.#keys = keys;
  }

  seal(subject: Subject, personal: { eventType: string; text: string }): string | undefined {
    const name = nameOf(subject);
    const key = this.#keyOf(name);
    if (key === undefined) throw new Error(`no key of customer ${name} was made`);
    return this.#cipher.seal(key, name, personal);
  }

  open(subject: Subject, personal: { eventType: string; sealed: string }): string | undefined {
    const name = nameOf(subject);
    return this.#cipher.open(this.#keyOf(name), name, personal);
  }

  #keyOf(name: string): UsableKey | undefined {
    const key = this.#keys.get(name);
    if (key instanceof Error) throw key;
    return key;
  }
}

/** All who ask at once are given the keys of all of them. */
function together(look: (wanted: Wanted) => Promise<KeysByName>): KeyTrips {
  return new RoundTrips(async (asked) => {
    const found = await look(new Map(asked.flatMap((wanted) => [...wanted])));
    return asked.map(() => found);
  });
}

/** Those without a key, and after the last one of a tenant those who will come next. */
function toMake(
  missing: readonly Subject[],
  hasKey: (name: string) => boolean,
): readonly Subject[] {
  const groups = Map.groupBy(missing, ({ tenantId, sandbox }) => `${tenantId}/${sandbox}`);
  const ahead = Math.min(BLOCK_SIZE - 1, Math.floor(MAX_AHEAD / groups.size));
  return [...groups.values()].flatMap((group) => {
    const last = group.reduce((a, b) => (a.customerId > b.customerId ? a : b));
    const before = last.customerId - 1;
    const follows =
      hasKey(nameOf({ ...last, customerId: before })) ||
      group.some(({ customerId }) => customerId === before);
    const most = Number.MAX_SAFE_INTEGER - last.customerId;
    const next = Array.from({ length: follows ? Math.min(ahead, most) : 0 }, (_, index) => ({
      ...last,
      customerId: last.customerId + 1 + index,
    }));
    return [...group, ...next];
  });
}

function canBe({ tenantId, customerId }: Subject): boolean {
  return Number.isSafeInteger(tenantId) && Number.isSafeInteger(customerId);
}

function openedForReading(): Error {
  return new Error(`${KEY_TABLE} was opened for reading`);
}
