/** Card tokens as callers see them: good for the tenant and environment that they were made for. */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { TenantId } from '@counterfoil/core';

export interface TokenOwner {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
}

const MARK_BYTES = 16;
const SEPARATOR = '.';

/** Gateways know nothing of tenants, so the host signs their tokens over to one. */
export class CardTokens {
  readonly #secret: KeyObject;

  constructor(secret: Buffer) {
    this.#secret = createSecretKey(secret);
  }

  /** The gateway's token with the mark of its owner. */
  issue(owner: TokenOwner, gatewayToken: string): string {
    return gatewayToken + SEPARATOR + this.#mark(owner, gatewayToken).toString('base64url');
  }

  /** The gateway's token; undefined when it is not this owner's. */
  open(owner: TokenOwner, token: string): string | undefined {
    const end = token.lastIndexOf(SEPARATOR);
    const gatewayToken = token.slice(0, Math.max(0, end));
    const mark = Buffer.from(token.slice(end + 1), 'base64url');
    const own = this.#mark(owner, gatewayToken);
    return mark.length === own.length && timingSafeEqual(mark, own) ? gatewayToken : undefined;
  }

  #mark({ tenantId, sandbox }: TokenOwner, gatewayToken: string): Buffer {
    const content = JSON.stringify([tenantId, sandbox, gatewayToken]);
    return createHmac('sha256', this.#secret).update(content).digest().subarray(0, MARK_BYTES);
  }
}
