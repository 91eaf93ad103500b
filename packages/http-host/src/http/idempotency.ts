/** Idempotency-Key: the first response to a request that moves money is replayed for its repetitions. */
import { keyedHash } from '@counterfoil/engine';
import {
  type AnswersAbout,
  isAbout,
  type KeptAnswers,
  type KeptEntry,
  OPEN_TYPE,
} from '@counterfoil/engine/storage';
import type { Answer } from './answer.ts';
import { ERRORS, type Refusal, refuse } from './errors.ts';

const RETENTION_MS = 24 * 60 * 60 * 1_000;

/** A sweep removes ten times as many entries as are added between two, so it catches up without a timer. */
const PUTS_BETWEEN_SWEEPS = 100;
const SWEEP_LIMIT = 1_000;

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** The header of an answer that was kept. */
export const REPLAYED = 'Idempotency-Replayed';

/** The key of the header; undefined if absent. Throws when invalid. */
export function idempotencyKeyOf(sent: string | undefined): string | undefined {
  if (sent !== undefined && !VISIBLE_ASCII.test(sent)) throw refuse('idempotency_key_invalid');
  return sent;
}

/** Never stored, not even as part of a fingerprint. */
const LEFT_OUT = new Set(['cvv']);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, each]) => [key, sorted(each)] as const);
  // Wrapped, so that an object never equals a list of pairs.
  return { fields: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

export interface IdempotencyOptions {
  readonly store: KeptAnswers;
  /** HMAC key of the fingerprints: a card number could be guessed from a plain digest. */
  readonly secret: Uint8Array;
  /** Called when a response could not be stored. The response is sent anyway: its effect is durable. */
  readonly onStoreFailure: (error: unknown) => void;
  readonly now?: () => number;
}

interface IdempotentRequest {
  readonly scope: readonly string[];
  readonly fingerprint: string;
}

/** A request in progress. */
interface InProgress {
  readonly fingerprint: string;
  /** The entry stored under the key before. Settles before the work begins. */
  readonly found: Promise<KeptEntry | undefined>;
  /** False while it may still turn out that the key belongs to another request. */
  isRunning: boolean;
  /** What was forgotten since the request began: its response may contain data read before. */
  readonly forgotten: AnswersAbout[];
}

/** Runs a request once, and replays its response for 24 hours. */
export class Idempotency {
  readonly #store: KeptAnswers;
  readonly #hash: (text: string) => string;
  readonly #onStoreFailure: (error: unknown) => void;
  readonly #now: () => number;
  readonly #inFlight = new Map<string, InProgress>();
  #puts = 0;

  constructor({ store, secret, onStoreFailure, now = Date.now }: IdempotencyOptions) {
    this.#store = store;
    this.#hash = keyedHash(secret);
    this.#onStoreFailure = onStoreFailure;
    this.#now = now;
  }

  /** Equal for equal requests, whatever the order of the fields and the whitespace. */
  fingerprint(params: unknown, body: unknown): string {
    return this.#hash(JSON.stringify([sorted(params), sorted(body)]));
  }

  /**
   * Returns the stored response, or that of `work`. Responses of 5xx and transient ones are not
   * stored; of one that is not final, only that the key belongs to this request. Throws
   * `idempotency_key_reused` for another request under the key, then `idempotency_in_flight`.
   */
  async run(request: IdempotentRequest, work: () => Promise<Answer>): Promise<Answer> {
    const { fingerprint } = request;
    const key = JSON.stringify(request.scope);
    const current = this.#inFlight.get(key);
    if (current !== undefined) {
      // All concurrent repetitions are answered, not just the first.
      const kept = await current.found;
      if (kept !== undefined) return replay(kept, fingerprint);
      throw inFlight(current.isRunning && current.fingerprint !== fingerprint);
    }
    // Registered before the first await, so that only one of two racing requests proceeds.
    const claiming = this.#store.claim({ key, fingerprint, nowMs: this.#now() });
    const found = claiming.then(
      (claim) => (claim.kind === 'answered' ? claim.entry : undefined),
      () => undefined,
    );
    const inProgress: InProgress = { fingerprint, found, isRunning: false, forgotten: [] };
    this.#inFlight.set(key, inProgress);
    try {
      const claim = await claiming;
      if (claim.kind === 'answered') return replay(claim.entry, fingerprint);
      if (claim.kind === 'elsewhere') throw inFlight(claim.isAnotherRequest);
      inProgress.isRunning = true;
      try {
        if (claim.held !== undefined && claim.held !== fingerprint) throw inFlight(true);
        const answer = await work();
        if (answer.isFinal === false) {
          if (claim.held === undefined) await this.#keep(key, fingerprint, OPEN_ANSWER);
        } else if (!answer.transient && !isForgotten(key, answer, inProgress)) {
          await this.#keep(key, fingerprint, answer);
        }
        return answer;
      } finally {
        claim.release();
      }
    } finally {
      this.#inFlight.delete(key);
    }
  }

  /**
   * Does not store responses in progress about a customer who is erased: they may contain data read
   * before. The engine forgets those stored already.
   */
  forget(about: AnswersAbout): void {
    for (const { forgotten } of this.#inFlight.values()) forgotten.push(about);
  }

  async #keep(key: string, fingerprint: string, answer: Answer): Promise<void> {
    const recordedAtMs = this.#now();
    const expiresAtMs = recordedAtMs + RETENTION_MS;
    try {
      await this.#store.put(key, { fingerprint, answer, recordedAtMs, expiresAtMs });
    } catch (error) {
      this.#onStoreFailure(error);
    }
    this.#puts += 1;
    // Not awaited: no response depends on it.
    if (this.#puts % PUTS_BETWEEN_SWEEPS === 0) {
      this.#store.sweep(recordedAtMs, SWEEP_LIMIT).catch(this.#onStoreFailure);
    }
  }
}

const OPEN_ANSWER: Answer = {
  status: 409,
  contentType: OPEN_TYPE,
  body: JSON.stringify({
    success: false,
    code: 'idempotency_in_flight',
    message: ERRORS.idempotency_in_flight.title,
  }),
  headers: undefined,
};

function inFlight(isAnotherRequest: boolean): Refusal {
  if (isAnotherRequest) return refuse('idempotency_key_reused');
  return refuse('idempotency_in_flight', undefined, { headers: { 'Retry-After': '1' } });
}

function isForgotten(key: string, answer: Answer, { forgotten }: InProgress): boolean {
  return forgotten.some((about) => isAbout(about, key, answer));
}

function replay(entry: KeptEntry, fingerprint: string): Answer {
  if (entry.fingerprint !== fingerprint) throw refuse('idempotency_key_reused');
  const { answer } = entry;
  return { ...answer, headers: { ...answer.headers, [REPLAYED]: 'true' } };
}
