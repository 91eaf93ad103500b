/** Card tokens for callers, bound to one customer by a MAC. */
import { timingSafeEqual } from 'node:crypto';
import type { Subject } from '@counterfoil/core';
import { type KeyedHash, keyedHash } from '../keyed-hash.ts';

const MARK_BYTES = 16;
const SEPARATOR = '.';

/** A verified token. */
interface OpenedToken {
  readonly gatewayToken: string;
  /** False for a token of an earlier version, which is bound to the tenant only. */
  readonly namesCustomer: boolean;
}

/** Gateways do not know the ledger's tenants and customers, so the host signs their tokens. */
export class CardTokens {
  readonly #hash: KeyedHash;

  constructor(secret: Buffer) {
    this.#hash = keyedHash(secret);
  }

  /** The gateway's token with the MAC of its owner. */
  issue({ tenantId, sandbox, customerId }: Subject, gatewayToken: string): string {
    const mark = this.#mark([tenantId, sandbox, customerId, gatewayToken]);
    return gatewayToken + SEPARATOR + mark.toString('base64url');
  }

  /** The gateway's token; undefined when it belongs to another owner. */
  open({ tenantId, sandbox, customerId }: Subject, token: string): OpenedToken | undefined {
    const end = token.lastIndexOf(SEPARATOR);
    const gatewayToken = token.slice(0, Math.max(0, end));
    const mark = Buffer.from(token.slice(end + 1), 'base64url');
    const isMarked = (content: readonly unknown[]) => {
      const own = this.#mark(content);
      return mark.length === own.length && timingSafeEqual(mark, own);
    };
    if (isMarked([tenantId, sandbox, customerId, gatewayToken])) {
      return { gatewayToken, namesCustomer: true };
    }
    const isOlder = isMarked([tenantId, sandbox, gatewayToken]);
    return isOlder ? { gatewayToken, namesCustomer: false } : undefined;
  }

  #mark(content: readonly unknown[]): Buffer {
    return Buffer.from(this.#hash(JSON.stringify(content)), 'hex').subarray(0, MARK_BYTES);
  }
}
