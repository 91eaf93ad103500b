/** Names sessions without showing them: what a page calls its session may identify a person. */
import { createHmac, createSecretKey } from 'node:crypto';
import type { TenantId } from '@counterfoil/core';

const KEY_LENGTH = 32;

interface Session {
  readonly tenantId: TenantId;
  readonly sessionId: string;
}

/** HMAC-SHA256 of a session id, as 128 bits in hex. */
export class SessionKeys {
  readonly #secret;

  constructor(secret: Buffer) {
    this.#secret = createSecretKey(secret);
  }

  of({ tenantId, sessionId }: Session): string {
    const hash = createHmac('sha256', this.#secret).update(`${tenantId}\n${sessionId}`);
    return hash.digest('hex').slice(0, KEY_LENGTH);
  }
}
