/** Answers kept by `Idempotency-Key` for 24 hours of the server's clock, and then forgotten. */
import { invalidRequest, StripeRefusal } from './refusal.ts';

const KEPT_SECONDS = 24 * 3_600;
const MAX_KEY = 255;

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Of the first request; a repeated answer names it too. */
  readonly requestId: string;
}

export interface Asked {
  readonly key: string;
  /** Account, mode and key. */
  readonly scope: string;
  readonly endpoint: string;
  readonly params: string;
}

interface Kept extends Asked {
  readonly at: number;
  answer: Answer | null;
}

export class KeptAnswers {
  readonly #kept = new Map<string, Kept>();

  /**
   * Marks the key as in use, or hands out the answer that was given under it.
   * @param now - Seconds.
   */
  begin(asked: Asked, now: number): Answer | null {
    if (asked.key.length > MAX_KEY) {
      throw invalidRequest(`Idempotency keys are at most ${MAX_KEY} characters long`);
    }
    const kept = this.#kept.get(asked.scope);
    if (kept === undefined || kept.at + KEPT_SECONDS <= now) {
      this.#kept.set(asked.scope, { ...asked, at: now, answer: null });
      return null;
    }
    if (kept.endpoint !== asked.endpoint) {
      throw mismatch(
        `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${asked.endpoint}' vs '${kept.endpoint}'). Try using a key other than '${asked.key}' if you meant to execute a different request.`,
      );
    }
    if (kept.params !== asked.params) {
      throw mismatch(
        `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${asked.key}' if you meant to execute a different request.`,
      );
    }
    if (kept.answer === null) {
      throw new StripeRefusal(
        409,
        'idempotency_error',
        `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${asked.key}. Please try again later.`,
        { code: 'idempotency_key_in_use' },
      );
    }
    return kept.answer;
  }

  keep(scope: string, answer: Answer): void {
    const kept = this.#kept.get(scope);
    if (kept !== undefined) kept.answer = answer;
  }

  /** The request never began: its key is free. */
  release(scope: string): void {
    const kept = this.#kept.get(scope);
    if (kept?.answer === null) this.#kept.delete(scope);
  }

  forgetAll(): void {
    this.#kept.clear();
  }
}

function mismatch(message: string): StripeRefusal {
  return new StripeRefusal(400, 'idempotency_error', message);
}
