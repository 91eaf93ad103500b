/** The keys of customers in the database that hosts share: asked for by the batch, and by any of the hosts. */
import type { DistantVault, PersonalDataVault, Subject } from '@counterfoil/core';
import type { Pool } from 'pg';
import { RoundTrips } from '../storage/round-trips.ts';
import { CustomerKeys, canBe, toMake } from './customer-keys.ts';
import { keyRowsInDatabase } from './key-rows.ts';
import { type KeyCipher, nameOf, type UsableKey } from './personal-key-cipher.ts';

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
export class PersonalKeyTable extends CustomerKeys implements DistantVault {
  readonly #onClose: () => Promise<void>;
  readonly #looks = new Set<Look>();
  readonly #openings = together((wanted) => this.#looking((look) => this.#read(wanted, look)));
  readonly #sealings = together((wanted) => this.#looking((look) => this.#make(wanted, look)));

  constructor({
    pool,
    wrappingKey,
    readOnly = false,
    onClose = async () => undefined,
  }: PersonalKeyTableOptions) {
    super(keyRowsInDatabase(pool, readOnly), wrappingKey);
    this.#onClose = onClose;
  }

  async forOpening(subjects: readonly Subject[]): Promise<PersonalDataVault> {
    return this.#held(subjects.filter(canBe), this.#openings);
  }

  async forSealing(subjects: readonly Subject[]): Promise<PersonalDataVault> {
    if (this.rows.readOnly && subjects.length > 0) throw this.rows.openedForReading();
    return this.#held(subjects, this.#sealings);
  }

  override forget(subject: Subject): void {
    super.forget(subject);
    for (const { forgotten } of this.#looks) forgotten.add(nameOf(subject));
  }

  override async close(): Promise<void> {
    await this.#onClose();
  }

  async #held(subjects: readonly Subject[], trips: KeyTrips): Promise<PersonalDataVault> {
    const held: KeysByName = new Map();
    const unknown = new Map<string, Subject>();
    for (const subject of subjects) {
      const name = nameOf(subject);
      const known = this.keys.get(name);
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
    return new KeysAtHand(this.cipher, held);
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
    for (const { subject, wrapped } of await this.rows.find([...wanted.values()])) {
      const name = nameOf(subject);
      const key = this.usable(wrapped, name);
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
      toMake([...missing.values()], (subject) => found.has(nameOf(subject))).map((subject) => {
        const name = nameOf(subject);
        return [name, { subject, ...this.cipher.make(name) }] as const;
      }),
    );
    for (const added of await this.rows.add([...made.values()])) {
      const name = nameOf(added);
      const key = made.get(name)?.key;
      if (key === undefined)
        throw new Error(`a key of customer ${name} was added without being made`);
      found.set(name, key);
      missing.delete(name);
      this.#remember(name, key, look);
    }
    // Another host was faster: what it made is the key.
    const others = missing.size === 0 ? new Map() : await this.#read(missing, look);
    return new Map([...found, ...others]);
  }

  #remember(name: string, key: HeldKey, { forgotten }: Look): void {
    if (!(key instanceof Error) && !forgotten.has(name)) this.keys.set(name, key);
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
