/** Encrypts gateway credentials, and other secrets of a tenant, in events and backups. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MerchantAccount } from '@counterfoil/core';
import { deriveKey } from '../derive-key.ts';
import { refused } from '../refusal.ts';

type Held = MerchantAccount.Settings['currencies'];
type Credentials = Held[number]['gatewayCredentials'];

const EMPTY: Credentials = { apiKey: '', username: '', password: '', emailAddress: '' };
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'sealed:v1:';
/** What is shown of a secret. Its length says nothing of the secret. */
export const MASK = '********';
/** A masked secret. Written back, it means the stored one. */
const MASKED = /^\*+$/;
const NAMES = ['apiKey', 'username', 'password', 'emailAddress'] as const;

/** AES-256-GCM under a key derived from the master key. An empty secret stays empty. */
export class CredentialVault {
  readonly #key: Buffer;
  /** For as long as their sealed form is kept: a payment asks for them several times. */
  readonly #opened = new WeakMap<Credentials, Credentials>();

  constructor(masterKey: Buffer) {
    this.#key = deriveKey(masterKey, 'gateway credentials');
  }

  /**
   * Seals the credentials that replace `kept`. An equal or masked secret keeps its ciphertext, so that it
   * counts as unchanged. Refuses with `CredentialMasked` a masked secret without a stored one.
   */
  sealOver(kept: Held, given: Held): Held {
    return given.map(({ currency, gatewayCredentials: secrets }) => {
      const stored = kept.find((each) => each.currency === currency)?.gatewayCredentials ?? EMPTY;
      const sealed = { ...stored };
      for (const name of NAMES) {
        const changed = this.textOver(stored[name], secrets[name]);
        if (changed === undefined)
          throw refused({ type: 'CredentialMasked', currency, field: name });
        sealed[name] = changed;
      }
      return { currency, gatewayCredentials: sealed };
    });
  }

  /** Throws when a secret was sealed under another master key or was altered. */
  open(sealed: Credentials = EMPTY): Credentials {
    const known = this.#opened.get(sealed);
    if (known !== undefined) return known;
    const opened = mapped(sealed, (text) => this.#open(text));
    this.#opened.set(sealed, opened);
    return opened;
  }

  /** Whether there is a secret, and nothing else of it. */
  static masked(sealed: Credentials): Credentials {
    return mapped(sealed, (text) => (text === '' ? '' : MASK));
  }

  /**
   * A secret that replaces the sealed text `kept`: that text itself where the secret is equal or masked.
   * Undefined for a masked secret without a stored one.
   */
  textOver(kept: string, given: string): string | undefined {
    if (MASKED.test(given)) return kept === '' ? undefined : kept;
    return given === this.#open(kept) ? kept : this.#seal(given);
  }

  /** One secret alone. */
  sealText(text: string): string {
    return this.#seal(text);
  }

  openText(sealed: string): string {
    return this.#open(sealed);
  }

  #seal(text: string): string {
    if (text === '') return '';
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  }

  #open(text: string): string {
    if (text === '') return '';
    if (!text.startsWith(PREFIX)) throw new Error('a secret is not sealed');
    const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  }
}

function mapped(credentials: Credentials, each: (text: string) => string): Credentials {
  return {
    apiKey: each(credentials.apiKey),
    username: each(credentials.username),
    password: each(credentials.password),
    emailAddress: each(credentials.emailAddress),
  };
}
