/** Random lives of payments over HTTP: the moves of a shop as requests, and what their answers must be. */
import { randomUUID } from 'node:crypto';
import { toMajor, toMinor } from '@counterfoil/core';
import { OUTCOMES, type Outcome, SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import type { ShopMove } from '@counterfoil/engine/testing';
import { expect } from 'vitest';
import {
  type Answer,
  type Caller,
  comparable,
  type Json,
  type KeptRequest,
  requestOf,
} from './caller.ts';

/** A tenant as its callers know it. */
export interface Side {
  readonly live: Caller;
  readonly test: Caller;
  readonly refundWindowDays: number;
}

interface Made {
  readonly side: Side;
  readonly caller: Caller;
  readonly outcome: Outcome;
  body: Json;
}

export const CVV = '9173';
const CURRENCIES = ['GBP', 'GBP', 'EUR', 'JPY', 'KWD'] as const;
const SLOW = SANDBOX_CARDS.findIndex(({ behaviour }) => behaviour === 'slow');

/** Responses by Idempotency-Key, for repetitions. */
export interface Asked {
  readonly caller: Caller;
  readonly request: KeptRequest;
  readonly answer: Answer;
  /** By the clock of the host. */
  readonly at: string;
}

/** Waiting for the gateway or the customer: such a response is not stored. */
const OPEN = ['Unknown', 'RequiresAction', 'RefundPending'];

/** A final response is replayed; only the `requestId` of a refusal differs. */
export function expectRepeated(again: Answer, first: Answer): void {
  const { body, ...answer } = comparable(first);
  const { requestId, ...kept } = body;
  if (answer.status === 202 || OPEN.includes(body.status)) {
    // The first repetition may get the final response, which is then replayed.
    expect([again.body.id, again.body.refundId]).toEqual([body.id, body.refundId]);
  } else {
    const own = requestId === undefined ? {} : { requestId: expect.any(String) };
    const expected = { ...answer, body: { ...kept, ...own }, replayed: true };
    expect(comparable(again)).toEqual(expected);
  }
}

/** Makes moves, and expects of each answer what follows from the answers before. */
export class Lives {
  readonly made: Made[] = [];
  readonly asked: Asked[] = [];
  readonly #sides: readonly Side[];
  readonly #now: () => string;

  constructor(sides: readonly Side[], now: () => string) {
    this.#sides = sides;
    this.#now = now;
  }

  async play(group: readonly ShopMove[]): Promise<void> {
    const alone = group.length === 1;
    await Promise.all(group.map((each) => this.#make(each, alone)));
    if (!alone) await Promise.all(this.made.map((payment) => this.#look(payment)));
  }

  async #make(drawn: ShopMove, alone: boolean): Promise<void> {
    if (drawn.kind === 'pay') return this.#pay(drawn);
    const payment = this.made[drawn.pick % Math.max(1, this.made.length)];
    if (payment === undefined) return;
    switch (drawn.kind) {
      case 'capture':
        await this.#capture(drawn, payment, alone);
        break;
      case 'void':
        await this.#void(drawn, payment, alone);
        break;
      case 'confirm':
        await this.#confirm(drawn, payment);
        break;
      case 'refund':
        await this.#refund(drawn, payment, alone);
        break;
    }
    await this.#look(payment);
  }

  /** Reads the current payment. */
  async #look(payment: Made): Promise<void> {
    const { status, body } = await payment.caller.get('/v1/payments/{id}', {
      path: { id: payment.body.id },
    });
    expect(status).toBe(200);
    payment.body = body;
  }

  /** Sends copies of one request concurrently, then again: the responses are equal. */
  async #ask(caller: Caller, unkeyed: KeptRequest, copies: number): Promise<Answer> {
    const request = { ...unkeyed, key: randomUUID() };
    const at = this.#now();
    const answers = await Promise.all(Array.from({ length: copies }, () => caller.send(request)));
    const final = answers.filter(({ body: { code } }) => code !== 'idempotency_in_flight');
    expect(final.length).toBeGreaterThan(0);
    const [answer] = final as [Answer];
    if (answer.body.code === 'concurrent_update') return answer;
    for (const each of final) expect(each).toMatchObject({ status: answer.status });
    const again = await caller.send(request);
    expectRepeated(again, answer);
    this.asked.push({ caller, request, answer, at });
    return answer;
  }

  async #pay(drawn: ShopMove): Promise<void> {
    const side = this.#sides[drawn.who % this.#sides.length] as Side;
    const sandbox = (drawn.flags & 1) === 1;
    // The environment of the data is the key's, or what a live key asks for.
    const caller = sandbox && drawn.flags & 2 ? side.test : side.live;
    const index = drawn.card % SANDBOX_CARDS.length;
    // The slow card keeps a life waiting for seconds, so most of its draws are another's.
    const { number, behaviour } = SANDBOX_CARDS[
      index === SLOW && drawn.card < 800 ? 0 : index
    ] as (typeof SANDBOX_CARDS)[number];
    const outcome: Outcome = OUTCOMES[behaviour];
    const currency = CURRENCIES[drawn.currency % CURRENCIES.length] as string;
    const cart = drawn.flags & 4 ? cartOf(drawn, currency) : undefined;
    const minor = cart?.minor ?? BigInt(drawn.minor);
    const capture = (drawn.flags & 24) !== 0;
    const written = drawn.flags & 32 ? number.replace(/(\d{4})(?=\d)/g, '$1 ') : number;
    const body = {
      amount: toMajor(minor, currency),
      currency,
      capture,
      card: { number: written, expMonth: 12, expYear: 2040, cvv: CVV, holder: 'Ada Lovelace' },
      email: `Customer${drawn.who % 5}@Example.com`,
      ...(cart === undefined ? { applicationId: 1 } : { applicationId: 2, items: cart.items }),
      ...(caller === side.live && { sandbox }),
    };
    const answer = await this.#ask(
      caller,
      requestOf('post', drawn.flags & 64 ? '/v1/card/submit' : '/v1/payments', { body }),
      drawn.copies,
    );
    expect(answer.body).toMatchObject({ sandbox, capturedAmount: expect.any(Number) });
    expectOutcome(answer, outcome, capture);
    this.made.push({ side, caller, outcome, body: answer.body });
  }

  async #capture(drawn: ShopMove, { caller, body }: Made, alone: boolean): Promise<void> {
    const amount = shareOf(body.authorizedAmount, drawn.share, body.currency);
    const request = requestOf('post', '/v1/payments/{id}/capture', {
      path: { id: body.id },
      body: drawn.share === 0 ? {} : { amount },
    });
    const { status, body: after } = await this.#ask(caller, request, drawn.copies);
    if (!alone) return;
    if (body.status !== 'Authorized') expect(after.code).toBe('payment_state');
    else if (drawn.share > 0 && amount <= 0) expect(after.code).toBe('amount_not_positive');
    else if (amount > body.authorizedAmount) expect(after.code).toBe('capture_exceeds_authorized');
    else {
      const capturedAmount = drawn.share === 0 ? body.authorizedAmount : amount;
      expect({ status, body: after }).toMatchObject({
        status: 200,
        body: { status: 'Captured', capturedAmount },
      });
    }
  }

  async #void(drawn: ShopMove, { caller, body, outcome }: Made, alone: boolean): Promise<void> {
    const request = requestOf('post', '/v1/payments/{id}/void', { path: { id: body.id } });
    const { status, body: after } = await this.#ask(caller, request, drawn.copies);
    if (!alone || outcome.notice !== undefined) return;
    const open = body.status === 'Authorized' || body.status === 'Captured';
    const untouched = body.refundedAmount === 0 && body.pendingRefundAmount === 0;
    if (!open || !untouched) expect(after.code).toBe('payment_state');
    else expect({ status, body: after }).toMatchObject({ status: 200, body: { status: 'Voided' } });
  }

  async #confirm(drawn: ShopMove, { caller, body, outcome }: Made): Promise<void> {
    const request = requestOf('post', '/v1/payments/{id}/confirm', { path: { id: body.id } });
    const { status, body: after } = await this.#ask(caller, request, drawn.copies);
    if (body.status !== 'RequiresAction') return;
    const allowed = ['200 Captured', '200 Authorized'];
    if (outcome.verdict.says === 'decline') {
      // Another account may take the payment, and ask the customer to act for it.
      const elsewhere = after.attempts?.length > body.attempts.length;
      allowed.splice(0, 2, elsewhere ? '200 RequiresAction' : '402 Declined');
    }
    expect(allowed).toContain(`${status} ${after.status}`);
  }

  async #refund(drawn: ShopMove, made: Made, alone: boolean): Promise<void> {
    const { caller, body, outcome } = made;
    const left = body.refundableAmount;
    const amount = shareOf(left, drawn.share, body.currency);
    const isOrder = body.applicationId === 2;
    const refundItems =
      isOrder && drawn.share > 0
        ? [{ StorefrontVariantId: 11, Quantity: 1, Amount: amount }]
        : undefined;
    const wanted = { amount, ...(refundItems !== undefined && { refundItems }) };
    const request =
      drawn.flags & 1
        ? requestOf('post', '/customerapi/refund', {
            body: { ...caller.claims, messageId: body.id, ...wanted },
          })
        : requestOf('post', '/v1/payments/{id}/refund', { path: { id: body.id }, body: wanted });
    const answers = await Promise.all(
      Array.from({ length: drawn.rivals }, () => this.#ask(caller, request, drawn.copies)),
    );
    if (!alone || outcome.notice !== undefined || isOrder || outcome.refund !== undefined) return;
    const done = answers.filter(({ status }) => status === 200 || status === 201).length;
    const captured = body.status === 'Captured';
    const minor = minorOf(amount, body.currency);
    const whole = minor === 0n ? minorOf(left, body.currency) : minor;
    const room = whole === 0n || !captured ? 0 : Number(minorOf(left, body.currency) / whole);
    if (answers.some(({ body: { code, message } }) => isClosed(code, message))) return;
    expect(done, JSON.stringify(answers)).toBe(Math.min(room, drawn.rivals));
  }
}

/** The refund window may have closed meanwhile: the audit checks that against the events. */
function isClosed(code: string, message: string): boolean {
  return code === 'not_refundable' && /window/.test(message);
}

function minorOf(amount: number, currency: string): bigint {
  const minor = toMinor(amount, currency);
  if (minor._tag === 'Left') throw new Error(`${amount} ${currency} is no amount`);
  return minor.right;
}

function shareOf(amount: number, share: number, currency: string): number {
  return toMajor((minorOf(amount, currency) * BigInt(share)) / 100n, currency);
}

/** An order of two variants that is worth what its lines are. */
function cartOf({ minor }: ShopMove, currency: string) {
  const unit = BigInt(minor % 9_000) + 1n;
  const line = (StorefrontVariantId: number, Quantity: number) => ({
    StorefrontVariantId,
    StorefrontProductId: 1,
    Quantity,
    UnitPrice: toMajor(unit, currency),
  });
  return { items: [line(11, 3), line(12, 1)], minor: unit * 4n };
}

/** The expected outcome by the table of sandbox cards. */
function expectOutcome({ status, body }: Answer, outcome: Outcome, capture: boolean): void {
  const allowed = allowedAfter(outcome, capture);
  expect(allowed, JSON.stringify(body)).toContain(`${status} ${body.status}`);
}

function allowedAfter(outcome: Outcome, capture: boolean): readonly string[] {
  const { verdict, chargeAnswer, actionRequired } = outcome;
  const taken = capture ? '201 Captured' : '201 Authorized';
  if (chargeAnswer === 'slow') return [taken, '202 Unknown'];
  if (chargeAnswer !== undefined) return ['202 Unknown'];
  if (actionRequired) return ['201 RequiresAction'];
  switch (verdict.says) {
    case 'decline':
      return ['402 Declined'];
    case 'fail':
      return ['402 Failed'];
    default:
      return [taken];
  }
}
