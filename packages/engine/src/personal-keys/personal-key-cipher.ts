/** How the keys of customers seal and are wrapped, wherever they stand: AES-256-GCM, bound to their customer. */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Subject } from '@counterfoil/core';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1:';
/** Asking the system for 12 bytes at a time costs more than to use them. */
const POOL_NONCES = 341;

/** A customer's key as it is used; `erased` of one whose key was destroyed. */
export type UsableKey = KeyObject | 'erased';

export interface MadeKey {
  readonly key: KeyObject;
  readonly wrapped: Uint8Array;
}

/** `<tenant>/<environment>/<customer>`. */
export function nameOf({ tenantId, sandbox, customerId }: Subject): string {
  return `${tenantId}/${sandbox ? 'test' : 'live'}/${customerId}`;
}

export class KeyCipher {
  readonly #wrappingKey: KeyObject;
  readonly #nonces = new Nonces();

  /** `wrappingKey`: what the keys are wrapped with (32 bytes). */
  constructor(wrappingKey: Uint8Array) {
    this.#wrappingKey = createSecretKey(wrappingKey);
  }

  /** A random key, wrapped for its customer: in another's place it does not open. */
  make(name: string): MadeKey {
    const key = randomBytes(KEY_BYTES);
    const wrapped = this.#sealed(this.#wrappingKey, key, about('key', name));
    return { key: createSecretKey(key), wrapped };
  }

  /** Throws for a key of another customer, or one that was wrapped with something else. */
  unwrapped(wrapped: Uint8Array, name: string): KeyObject {
    try {
      return createSecretKey(unsealed(this.#wrappingKey, Buffer.from(wrapped), about('key', name)));
    } catch (cause) {
      throw new Error(`the key of customer ${name} does not open`, { cause });
    }
  }

  /** Undefined for a person who is erased. */
  seal(
    key: UsableKey,
    name: string,
    { eventType, text }: { eventType: string; text: string },
  ): string | undefined {
    if (key === 'erased') return undefined;
    return (
      VERSION + this.#sealed(key, Buffer.from(text), about(eventType, name)).toString('base64')
    );
  }

  /** Undefined for a person who is erased. Throws for a text of another person or type of event. */
  open(
    key: UsableKey | undefined,
    name: string,
    { eventType, sealed }: { eventType: string; sealed: string },
  ): string | undefined {
    if (key === 'erased') return undefined;
    if (key === undefined) throw new Error(`there is no key of customer ${name}`);
    if (!sealed.startsWith(VERSION)) throw new Error('it is sealed in a way of another version');
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64');
    return unsealed(key, bytes, about(eventType, name)).toString('utf8');
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
