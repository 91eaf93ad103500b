/** The keys of customers in a file. Personal data in events is encrypted with the person's key. */
import type { PersonalDataVault, Subject } from '@counterfoil/core';
import { FileVersion } from '../storage/file-version.ts';
import { atOnce } from '../storage/sql-tables.ts';
import { CustomerKeys, toMake } from './customer-keys.ts';
import { keyRowsInFile } from './key-rows.ts';
import { nameOf, type UsableKey } from './personal-key-cipher.ts';

export interface PersonalKeysOptions {
  /** `:memory:` for keys that last as long as the process. */
  readonly path: string;
  /** For those who decode beside the host, or without one. */
  readonly readOnly?: boolean;
  /** What the keys are wrapped with (32 bytes). */
  readonly wrappingKey: Uint8Array;
}

/**
 * AES-256-GCM under a random key for each customer. The keys stand in a file of their own, wrapped;
 * to erase a person is to destroy their key, in a log that is never changed.
 */
export class PersonalKeys extends CustomerKeys implements PersonalDataVault {
  /**
   * Whether the host has changed the file. To look costs as much as to open a text; what is decoded in a
   * turn was read before it, and a key is destroyed before the log tells of it.
   */
  readonly #version = new FileVersion(() => this.rows.fileVersion());

  constructor({ path, readOnly = false, wrappingKey }: PersonalKeysOptions) {
    super(keyRowsInFile(path, readOnly), wrappingKey);
  }

  seal(subject: Subject, personal: { eventType: string; text: string }) {
    const name = nameOf(subject);
    const key = this.#keyOf(subject, name) ?? this.#made(subject, name);
    return this.cipher.seal(key, name, personal);
  }

  /** Throws for a text of another person or type of event, and where the key is missing. */
  open(subject: Subject, personal: { eventType: string; sealed: string }) {
    const name = nameOf(subject);
    return this.cipher.open(this.#keyOf(subject, name), name, personal);
  }

  #keyOf(subject: Subject, name: string): UsableKey | undefined {
    if (this.rows.readOnly && this.#version.hasChanged()) this.keys.clear();
    const known = this.keys.get(name);
    if (known !== undefined) return known;
    const [row] = atOnce(this.rows.find([subject]));
    if (row === undefined) return undefined;
    const key = row.wrapped === null ? 'erased' : this.cipher.unwrapped(row.wrapped, name);
    this.keys.set(name, key);
    return key;
  }

  #made(subject: Subject, name: string): UsableKey {
    const hasKey = (each: Subject) => atOnce(this.rows.find([each])).length === 1;
    const made = new Map(
      toMake([subject], hasKey).map((each) => {
        const ofEach = nameOf(each);
        return [ofEach, { subject: each, ...this.cipher.make(ofEach) }] as const;
      }),
    );
    // Those who come next need not look up theirs.
    for (const added of atOnce(this.rows.add([...made.values()]))) {
      const key = made.get(nameOf(added))?.key;
      if (key !== undefined) this.keys.set(nameOf(added), key);
    }
    const key = this.#keyOf(subject, name);
    if (key === undefined) throw new Error(`no key of customer ${name} was made`);
    return key;
  }
}
