/** The calls of the card form to its own host. */
import type { Instrument } from './card-entry.ts';

/** A session as the host shows it to pages. */
export interface Session {
  readonly id: string;
  readonly status: 'open' | 'processing' | 'complete' | 'expired';
  readonly amount: number;
  readonly currency: string;
  readonly attempt: number;
  readonly attemptsLeft: number;
  readonly successUrl: string;
  readonly payment: {
    readonly id: string;
    readonly declineReason: string | null;
    readonly nextAction: { readonly type: string; readonly url: string } | null;
  } | null;
}

/** A refusal has a code of the interface; `network` where there was no answer. */
export type Answer =
  | { readonly session: Session; readonly status: number }
  | { readonly code: string };

const TIMEOUT_MS = 60_000;

export class Checkout {
  readonly #path: string;
  readonly #key: string;
  readonly #clientSecret: string;

  constructor(given: {
    readonly key: string;
    readonly sessionId: string;
    readonly clientSecret: string;
  }) {
    this.#path = `/api/public/checkout-sessions/${encodeURIComponent(given.sessionId)}`;
    this.#key = given.key;
    this.#clientSecret = given.clientSecret;
  }

  show(): Promise<Answer> {
    return this.#send('', {});
  }

  pay(instrument: Instrument, attempt: number, url: string): Promise<Answer> {
    const page = { url, useragent: navigator.userAgent.slice(0, 1_024) };
    return this.#send('/pay', { ...instrument, attempt, page });
  }

  conclude(outcome: 'done' | 'given-up'): Promise<Answer> {
    return this.#send('/action', { outcome });
  }

  async #send(step: string, body: object): Promise<Answer> {
    try {
      const answer = await fetch(this.#path + step, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Service-Payment-Key': this.#key },
        body: JSON.stringify({ clientSecret: this.#clientSecret, ...body }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const read = await answer.json();
      const hasSession = answer.ok || answer.status === 402;
      return hasSession
        ? { session: read, status: answer.status }
        : { code: String(read.code ?? 'failed') };
    } catch {
      return { code: 'network' };
    }
  }
}
