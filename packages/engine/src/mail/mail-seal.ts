/** Encrypts what is kept of mails, and names addresses and keys by digests that reveal nothing. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { emailIdentity, type TenantId } from '@counterfoil/core';
import { deriveKey } from '../derive-key.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A tenant and one of its environments. */
export interface MailOwner {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
}

export class MailSeal {
  readonly #key: Buffer;
  readonly #secret: KeyObject;

  constructor(masterKey: Buffer) {
    this.#key = deriveKey(masterKey, 'kept mails');
    this.#secret = createSecretKey(deriveKey(masterKey, 'mail addresses and keys'));
  }

  /** `name` says what it is: sealed under one name, it does not open under another. */
  seal(name: string, value: unknown): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    cipher.setAAD(Buffer.from(name));
    const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
  }

  /** Undefined for what was not sealed here under this name. */
  open<Value>(name: string, sealed: string): Value | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(name));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return JSON.parse(Buffer.concat([body, decipher.final()]).toString('utf8'));
    } catch {
      return undefined;
    }
  }

  /** The same for all ways to write a mailbox. */
  addressDigest(owner: MailOwner, address: string): string {
    return this.#digest('address', owner, emailIdentity(address));
  }

  keyDigest(owner: MailOwner, key: string): string {
    return this.#digest('key', owner, key);
  }

  contentDigest(owner: MailOwner, content: string): string {
    return this.#digest('content', owner, content);
  }

  #digest(of: string, { tenantId, sandbox }: MailOwner, value: string): string {
    const named = JSON.stringify([of, tenantId, sandbox, value]);
    return createHmac('sha256', this.#secret).update(named).digest('hex');
  }
}
