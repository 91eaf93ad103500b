/** The keys of customers: what events tell of a person opens with that person's key, and with no other. */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { PersonalDataVault, Subject } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import { type KeyFile, type KeyFileOptions, openKeyFile } from './personal-key-file.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1:';
/** Unwrapped keys at hand: a customer's events come close together. */
const MAX_KEYS = 10_000;
/**
 * Customers come by ascending ids. When the one before has a key, keys for so many are made in one
 * commit, so that a payment seldom waits for the disk.
 */
const BLOCK_SIZE = 256;
/** Asking the system for 12 bytes at a time costs more than to use them. */
const POOL_NONCES = 341;

export interface PersonalKeysOptions extends KeyFileOptions {
  /** What the keys are wrapped with (32 bytes). */
  readonly wrappingKey: Uint8Array;
}

/** `kept`: the customer has a key. `erased`: they had one. `none`: nothing was ever sealed for them. */
export type KeyState = 'kept' | 'erased' | 'none';

/**
 * AES-256-GCM under a random key for each customer. The keys stand in a file of their own, wrapped;
 * to erase a person is to destroy their key, in a log that is never changed.
 */
export class PersonalKeys implements PersonalDataVault {
  readonly #file: KeyFile;
  readonly #wrappingKey: KeyObject;
  readonly #keys = new LRUCache<string, KeyObject | 'erased'>({ max: MAX_KEYS });
  readonly #nonces = new Nonces();

  constructor({ wrappingKey, ...options }: PersonalKeysOptions) {
    this.#file = openKeyFile(options);
    this.#wrappingKey = createSecretKey(wrappingKey);
  }

  seal(subject: Subject, { eventType, text }: { eventType: string; text: string }) {
    const name = nameOf(subject);
    const key = this.#keyOf(subject, name) ?? this.#made(subject, name);
    if (key === 'erased') return undefined;
    return (
      VERSION + this.#sealed(key, Buffer.from(text), about(eventType, name)).toString('base64')
    );
  }

  /** Throws for a text of another person or type of event, and where the key is missing. */
  open(subject: Subject, { eventType, sealed }: { eventType: string; sealed: string }) {
    const name = nameOf(subject);
    const key = this.#keyOf(subject, name);
    if (key === 'erased') return undefined;
    if (key === undefined) throw new Error(`there is no key of customer ${name}`);
    if (!sealed.startsWith(VERSION)) throw new Error('it is sealed in a way of another version');
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64');
    return unsealed(key, bytes, about(eventType, name)).toString('utf8');
  }

  /** For good; and nothing is sealed for this person any more. Durable when it returns. */
  destroy(subject: Subject): void {
    this.#file.destroy(subject);
    this.#keys.set(nameOf(subject), 'erased');
  }

  /** Throws where a key does not open. */
  stateOf(subject: Subject): KeyState {
    const key = this.#keyOf(subject, nameOf(subject));
    if (key === undefined) return 'none';
    return key === 'erased' ? 'erased' : 'kept';
  }

  /** Tells of every key that does not open; answers how many customers there are. */
  check(onFault: (customer: string) => void): number {
    let customers = 0;
    for (const { subject, wrapped } of this.#file.all()) {
      customers += 1;
      const name = nameOf(subject);
      try {
        if (wrapped !== null) this.#unwrapped(wrapped, name);
      } catch {
        onFault(name);
      }
    }
    return customers;
  }

  /** The first event of the log that the keys belong to; undefined before it has one. */
  get firstEvent(): string | undefined {
    return this.#file.firstEvent;
  }

  belongTo(firstEvent: string): void {
    this.#file.belongTo(firstEvent);
  }

  /** Whether there never was a customer. */
  get isEmpty(): boolean {
    for (const _ of this.#file.all()) return false;
    return true;
  }

  close(): void {
    this.#file.close();
  }

  #keyOf(subject: Subject, name: string): KeyObject | 'erased' | undefined {
    if (this.#file.hasChanged()) this.#keys.clear();
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const wrapped = this.#file.find(subject);
    if (wrapped === undefined) return undefined;
    const key = wrapped === null ? 'erased' : this.#unwrapped(wrapped, name);
    this.#keys.set(name, key);
    return key;
  }

  #made(subject: Subject, name: string): KeyObject | 'erased' {
    const before = { ...subject, customerId: subject.customerId - 1 };
    const most = Number.MAX_SAFE_INTEGER - subject.customerId + 1;
    const count = this.#file.find(before) === undefined ? 1 : Math.min(BLOCK_SIZE, most);
    const made = Array.from({ length: count }, (_, index) => {
      const each = { ...subject, customerId: subject.customerId + index };
      const key = randomBytes(KEY_BYTES);
      const wrapped = this.#wrapped(key, nameOf(each));
      return { subject: each, wrapped, key };
    });
    // Those who come next need not ask for theirs.
    for (const { subject: added, key } of this.#file.add(made)) {
      this.#keys.set(nameOf(added), createSecretKey(key));
    }
    const key = this.#keyOf(subject, name);
    if (key === undefined) throw new Error(`no key of customer ${name} was made`);
    return key;
  }

  /** Bound to its customer: a key that was put into another's place does not open. */
  #wrapped(key: Buffer, name: string): Buffer {
    return this.#sealed(this.#wrappingKey, key, about('key', name));
  }

  #unwrapped(wrapped: Uint8Array, name: string): KeyObject {
    try {
      return createSecretKey(unsealed(this.#wrappingKey, Buffer.from(wrapped), about('key', name)));
    } catch (cause) {
      throw new Error(`the key of customer ${name} does not open`, { cause });
    }
  }

  #sealed(key: KeyObject, text: Buffer, associated: Buffer): Buffer {
    const nonce = this.#nonces.next();
    const cipher = createCipheriv(CIPHER, key, nonce);
    cipher.setAAD(associated);
    const body = cipher.update(text);
    cipher.final();
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }
}

function unsealed(key: KeyObject, bytes: Buffer, associated: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(associated);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  decipher.final();
  return body;
}

/** `<tenant>/<environment>/<customer>`. */
function nameOf({ tenantId, sandbox, customerId }: Subject): string {
  return `${tenantId}/${sandbox ? 'test' : 'live'}/${customerId}`;
}

/** What a sealed text is bound to, beside its key. */
function about(what: string, name: string): Buffer {
  return Buffer.from(`${what}\n${name}`);
}

/** Random nonces, each used once. */
class Nonces {
  #pool = Buffer.alloc(0);
  #used = 0;

  next(): Buffer {
    if (this.#used === this.#pool.length) {
      this.#pool = randomBytes(POOL_NONCES * NONCE_BYTES);
      this.#used = 0;
    }
    const nonce = this.#pool.subarray(this.#used, this.#used + NONCE_BYTES);
    this.#used += NONCE_BYTES;
    return nonce;
  }
}
