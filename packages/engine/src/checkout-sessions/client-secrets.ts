/** The secrets by which pages show that a server gave them a session. */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { TenantId } from '@counterfoil/core';

interface Session {
  readonly tenantId: TenantId;
  readonly sessionId: string;
}

/** `<session>_secret_<HMAC-SHA256>`: derived, so that nothing of it is stored. */
export class ClientSecrets {
  readonly #key: KeyObject;

  constructor(secret: Buffer) {
    this.#key = createSecretKey(secret);
  }

  of({ tenantId, sessionId }: Session): string {
    const mac = createHmac('sha256', this.#key).update(`${tenantId}\n${sessionId}`);
    return `${sessionId}_secret_${mac.digest('base64url')}`;
  }

  isOf(session: Session, given: string): boolean {
    const expected = Buffer.from(this.of(session));
    const actual = Buffer.from(given);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }
}
