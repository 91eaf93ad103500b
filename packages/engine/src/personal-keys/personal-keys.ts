/** The keys of customers in a file: what events tell of a person opens with that person's key, and with no other. */
import type { PersonalDataVault, Subject } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import type { CustomerKeys, KeyMark, KeyState } from './customer-keys.ts';
import { KeyCipher, nameOf, type UsableKey } from './personal-key-cipher.ts';
import { type KeyFile, type KeyFileOptions, openKeyFile } from './personal-key-file.ts';

/** Unwrapped keys at hand: a customer's events come close together. */
const MAX_KEYS = 10_000;
/**
 * Customers come by ascending ids. When the one before has a key, keys for so many are made in one
 * commit, so that a payment seldom waits for the disk.
 */
const BLOCK_SIZE = 256;

export interface PersonalKeysOptions extends KeyFileOptions {
  /** What the keys are wrapped with (32 bytes). */
  readonly wrappingKey: Uint8Array;
}

/**
 * AES-256-GCM under a random key for each customer. The keys stand in a file of their own, wrapped;
 * to erase a person is to destroy their key, in a log that is never changed.
 */
export class PersonalKeys implements PersonalDataVault, CustomerKeys {
  readonly #file: KeyFile;
  readonly #cipher: KeyCipher;
  readonly #keys = new LRUCache<string, UsableKey>({ max: MAX_KEYS });

  constructor({ wrappingKey, ...options }: PersonalKeysOptions) {
    this.#file = openKeyFile(options);
    this.#cipher = new KeyCipher(wrappingKey);
  }

  seal(subject: Subject, personal: { eventType: string; text: string }) {
    const name = nameOf(subject);
    const key = this.#keyOf(subject, name) ?? this.#made(subject, name);
    return this.#cipher.seal(key, name, personal);
  }

  /** Throws for a text of another person or type of event, and where the key is missing. */
  open(subject: Subject, personal: { eventType: string; sealed: string }) {
    const name = nameOf(subject);
    return this.#cipher.open(this.#keyOf(subject, name), name, personal);
  }

  destroy(subject: Subject): void {
    this.#file.destroy(subject);
    this.#keys.set(nameOf(subject), 'erased');
  }

  scrub(): boolean {
    return this.#file.scrub();
  }

  stateOf(subject: Subject): KeyState {
    const key = this.#keyOf(subject, nameOf(subject));
    if (key === undefined) return 'none';
    return key === 'erased' ? 'erased' : 'kept';
  }

  forget(subject: Subject): void {
    this.#keys.delete(nameOf(subject));
  }

  check(onFault: (customer: string) => void): number {
    let customers = 0;
    for (const { subject, wrapped } of this.#file.all()) {
      customers += 1;
      const name = nameOf(subject);
      try {
        if (wrapped !== null) this.#cipher.unwrapped(wrapped, name);
      } catch {
        onFault(name);
      }
    }
    return customers;
  }

  firstEvent(): string | undefined {
    return this.#file.firstEvent;
  }

  belongTo(firstEvent: string): void {
    this.#file.belongTo(firstEvent);
  }

  count(): number {
    return this.#file.count;
  }

  missing(subjects: readonly Subject[]): readonly Subject[] {
    return subjects.filter((subject) => this.#file.find(subject) === undefined);
  }

  mark(): KeyMark | undefined {
    return this.#file.mark;
  }

  setMark(mark: KeyMark): void {
    this.#file.setMark(mark);
  }

  close(): void {
    this.#file.close();
  }

  #keyOf(subject: Subject, name: string): UsableKey | undefined {
    if (this.#file.hasChanged()) this.#keys.clear();
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const wrapped = this.#file.find(subject);
    if (wrapped === undefined) return undefined;
    const key = wrapped === null ? 'erased' : this.#cipher.unwrapped(wrapped, name);
    this.#keys.set(name, key);
    return key;
  }

  #made(subject: Subject, name: string): UsableKey {
    const before = { ...subject, customerId: subject.customerId - 1 };
    const most = Number.MAX_SAFE_INTEGER - subject.customerId + 1;
    const count = this.#file.find(before) === undefined ? 1 : Math.min(BLOCK_SIZE, most);
    const made = Array.from({ length: count }, (_, index) => {
      const each = { ...subject, customerId: subject.customerId + index };
      return { subject: each, ...this.#cipher.make(nameOf(each)) };
    });
    // Those who come next need not ask for theirs.
    for (const { subject: added, key } of this.#file.add(made)) this.#keys.set(nameOf(added), key);
    const key = this.#keyOf(subject, name);
    if (key === undefined) throw new Error(`no key of customer ${name} was made`);
    return key;
  }
}
