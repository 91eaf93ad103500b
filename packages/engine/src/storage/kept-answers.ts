/** The port to the answers that are kept under idempotency keys, and its store in memory. */
import type { StreamName, Subject } from '@counterfoil/core';

/** An answer as its interface gave it: the engine keeps it, and does not read it. */
export interface KeptAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The stream that it is about; undefined where that is not one stream of the log. */
  readonly stream?: StreamName | undefined;
}

/** An answer kept for replay. */
export interface KeptEntry {
  /** Of the request that was answered: a repetition must be the same request. */
  readonly fingerprint: string;
  readonly answer: KeptAnswer;
  readonly recordedAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * The port to the kept answers. It need not be durable to the last write: that money moves once is
 * ensured by ids derived from the key, so an answer that was lost is made again, not paid again.
 */
export interface KeptAnswers {
  /** The entry under this key that has not expired at `nowMs`. */
  find(key: string, nowMs: number): Promise<KeptEntry | undefined>;
  /**
   * Of a store that several hosts share: finds the entry, or claims the key for one of them. Within a
   * host nobody else asks for the key before the claim is released.
   */
  claim?(request: ClaimedRequest): Promise<Claim>;
  /** Keeps an entry, unless there is an answer that had not expired when this one was recorded. */
  put(key: string, entry: KeptEntry): Promise<void>;
  /** Removes at most `limit` entries that have expired at `nowMs`; answers how many. */
  sweep(nowMs: number, limit: number): Promise<number>;
  /**
   * Removes the entries whose key begins so and in whose body this is named, what is being put
   * included, on whichever host. Looks at them in portions, so that others are served between. The
   * expression keeps to what JavaScript and PostgreSQL both understand.
   */
  forget(prefix: string, named: RegExp): Promise<void>;
  /**
   * Leaves nothing of what was removed, by `forget` or by `sweep`, beside the entries. Waits for nobody:
   * false while somebody reads where they stood.
   */
  scrub(): Promise<boolean>;
}

export interface ClaimedRequest {
  readonly key: string;
  readonly fingerprint: string;
  readonly nowMs: number;
}

export type Claim =
  | { readonly kind: 'answered'; readonly entry: KeptEntry }
  /** Another host is answering, maybe another request. It ends with that host if need be. */
  | { readonly kind: 'elsewhere'; readonly isAnotherRequest: boolean }
  /**
   * Nobody else answers before `release`, or before this host ends. `held` is the fingerprint of the
   * request whose answer is still open.
   */
  | { readonly kind: 'granted'; readonly held?: string | undefined; release(): void };

/**
 * Marks the entry of a request that was answered while its work went on: the key is that request's,
 * and there is no answer to replay yet. To hosts of before it is an answer like any other.
 */
export const OPEN_TYPE = 'application/json; charset=utf-8; answer=open';

export function isOpen({ answer }: KeptEntry): boolean {
  return answer.contentType === OPEN_TYPE;
}

/** Keeps the answers in memory: for tests, and for a host whose ledger is in memory as well. */
export class MemoryKeptAnswers implements KeptAnswers {
  readonly #entries = new Map<string, KeptEntry>();

  async find(key: string, nowMs: number): Promise<KeptEntry | undefined> {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAtMs > nowMs ? entry : undefined;
  }

  async put(key: string, entry: KeptEntry): Promise<void> {
    const earlier = this.#entries.get(key);
    const isKept = earlier !== undefined && !isOpen(earlier);
    if (isKept && earlier.expiresAtMs > entry.recordedAtMs) return;
    // Entries all live equally long, so in order of insertion they are in order of expiry.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  async forget(prefix: string, named: RegExp): Promise<void> {
    for (const [key, { answer }] of this.#entries) {
      if (key.startsWith(prefix) && named.test(String(answer.body))) this.#entries.delete(key);
    }
  }

  async scrub(): Promise<boolean> {
    return true;
  }

  async sweep(nowMs: number, limit: number): Promise<number> {
    let removed = 0;
    for (const [key, entry] of this.#entries) {
      if (removed === limit || entry.expiresAtMs > nowMs) break;
      this.#entries.delete(key);
      removed += 1;
    }
    return removed;
  }
}

/** The answers that may tell of a customer: by the beginning of their keys, and what their bodies hold. */
export interface AnswersAbout {
  readonly prefix: string;
  readonly named: RegExp;
}

/** Whatever tells of a person names the customer as well. */
export function answersAbout({ tenantId, customerId }: Subject): AnswersAbout {
  // Up to the tenant: what follows in a key is whatever the tenant did.
  const prefix = `${JSON.stringify([String(tenantId)]).slice(0, -1)},`;
  return { prefix, named: new RegExp(`"(?:id|customerId|customerID)":${customerId}(?!\\d)`) };
}
