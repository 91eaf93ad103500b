/** Mixed load under Idempotency-Keys, drawn from a seed, and a memory of what was answered. */
import { hash } from 'node:crypto';
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import { vi } from 'vitest';
import {
  type Answer,
  type Caller,
  type Json,
  type KeptRequest,
  present,
  requestOf,
} from './caller.ts';
import type { Dice } from './dice.ts';

export type Deed = 'payment' | 'confirm' | 'capture' | 'void' | 'refund';

/** What is remembered of an answer: long runs have many. */
export interface Kept {
  readonly status: number;
  /** The fields of it that are looked at later. */
  readonly body: Json;
  /** Of the whole, word for word. */
  readonly digest: string;
  /** Not the last word: a repetition shows the present state. */
  readonly isOpen: boolean;
}

/** A request under its key, and the answer once there is one. */
export interface Sent {
  readonly deed: Deed;
  readonly key: string;
  readonly request: KeptRequest;
  answer?: Kept;
}

const WORKERS = 8;
/** As long as another request under the same key may take, and more. */
const DECIDING = { timeout: 60_000, interval: 50 };
/** Answers that say: ask again. */
const UNDECIDED = ['idempotency_in_flight', 'concurrent_update', 'overloaded', 'internal_error'];
/** The answer of the slow card would hold up every round. */
const CARDS = SANDBOX_CARDS.filter(({ behaviour }) => behaviour !== 'slow');
const APPROVED = 6;

export class Load {
  readonly sent: Sent[] = [];
  readonly #dice: Dice;
  readonly #caller: Caller;
  readonly #name: string;
  /** Payments that something can follow. */
  readonly #paid: Json[] = [];
  #answers = 0;

  constructor(caller: Caller, { dice, name }: { dice: Dice; name: string }) {
    this.#caller = caller;
    this.#dice = dice;
    this.#name = name;
  }

  /** Runs until the host is gone; `onAnswer` receives the number of responses so far. */
  async run(onAnswer: (answers: number) => void): Promise<void> {
    this.#answers = 0;
    await Promise.all(Array.from({ length: WORKERS }, () => this.#work(onAnswer)));
  }

  async #work(onAnswer: (answers: number) => void): Promise<void> {
    for (;;) {
      const sent = this.draw();
      const copies = this.#dice.roll(3) === 0 ? 2 : 1;
      const tries = await Promise.all(Array.from({ length: copies }, () => this.ask(sent)));
      if (tries.includes(false)) return;
      this.#answers += 1;
      onAnswer(this.#answers);
    }
  }

  /** Every one of these again, so many at once, until all are decided. */
  async repeat(sent: readonly Sent[], atOnce: number): Promise<void> {
    const rest = sent.values();
    const work = async () => {
      for (const each of rest) await this.askUntilAnswered(each);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  /** Sends a request until it is decided. Throws when the host is gone. */
  async askUntilAnswered(sent: Sent): Promise<void> {
    await vi.waitUntil(async () => {
      if (!(await this.ask(sent))) throw new Error(`${sent.key} was not answered`);
      return sent.answer !== undefined;
    }, DECIDING);
  }

  /** Sends a request. False: the host is gone. Throws when the response differs from the first. */
  async ask(sent: Sent): Promise<boolean> {
    const answer = await this.#caller.send(sent.request).catch(() => undefined);
    if (answer === undefined) return false;
    if (UNDECIDED.includes(answer.body.code)) return true;
    const kept = keptOf(answer);
    const before = sent.answer;
    if (before === undefined) this.#remember(sent, kept);
    // What was not the last word is answered from the present state.
    if (before === undefined || before.isOpen) sent.answer = kept;
    else if (before.status !== kept.status || before.digest !== kept.digest) {
      const both = JSON.stringify([before, answer]);
      throw new Error(`${sent.key} was answered otherwise than before: ${both}`);
    }
    return true;
  }

  #remember({ deed }: Sent, { status, body }: Kept): void {
    if (deed === 'payment' && status === 201) this.#paid.push(body);
  }

  /** The next request, under a new key. */
  draw(): Sent {
    const key = `${this.#name}-${this.sent.length}`;
    const [deed, request] = this.#drawn(key);
    const sent = { deed, key, request };
    this.sent.push(sent);
    return sent;
  }

  /** A payment that was authorized or captured once; undefined before there is one. */
  drawPaid(): Json | undefined {
    return this.#paid[this.#dice.roll(Math.max(1, this.#paid.length))];
  }

  #drawn(key: string): [Deed, KeptRequest] {
    const payment = this.drawPaid();
    const drawn = this.#dice.roll(10);
    if (payment === undefined || drawn < 5) {
      return ['payment', requestOf('post', '/v1/payments', { body: this.#payment(), key })];
    }
    const path = { id: payment.id };
    if (payment.status === 'RequiresAction' && drawn < 8) {
      return ['confirm', requestOf('post', '/v1/payments/{id}/confirm', { path, key })];
    }
    if (drawn < 7) {
      return ['capture', requestOf('post', '/v1/payments/{id}/capture', { path, body: {}, key })];
    }
    if (drawn < 8) return ['void', requestOf('post', '/v1/payments/{id}/void', { path, key })];
    // Amounts that fit several times, once, or not at all.
    const body = { amount: present([0, 10, 25, 60][this.#dice.roll(4)]) };
    return ['refund', requestOf('post', '/v1/payments/{id}/refund', { path, body, key })];
  }

  #payment() {
    const index =
      this.#dice.roll(2) === 0 ? this.#dice.roll(APPROVED) : this.#dice.roll(CARDS.length);
    const { number } = present(CARDS[index]);
    return {
      amount: 100,
      currency: 'GBP',
      capture: this.#dice.roll(3) > 0,
      card: { number, expMonth: 12, expYear: 2040, cvv: '9173', holder: 'Ada Lovelace' },
      email: `customer${this.#dice.roll(9)}@example.com`,
    };
  }
}

/** At these the gateway, or the customer, has not had the last word. */
const OPEN_STATUSES = ['Processing', 'Unknown', 'RequiresAction'];

/** What a repetition must say again: all but which request it answers. */
function keptOf({ status, body: { requestId: _, ...body } }: Answer): Kept {
  const { id, status: state, capturedAmount, gatewayTransactionId, amount, code } = body;
  return {
    status,
    body: { id, status: state, capturedAmount, gatewayTransactionId, amount, code },
    digest: hash('sha1', JSON.stringify(body), 'base64'),
    isOpen: status === 202 || OPEN_STATUSES.includes(state),
  };
}
