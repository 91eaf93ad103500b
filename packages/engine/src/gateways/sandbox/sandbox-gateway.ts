/** A gateway that moves no money. The outcome follows from the card number, and is durable. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { cardDigits, isCvv, maskCardNumber } from '../card-number.ts';
import {
  type CardDetails,
  type CardToken,
  type ChargeRequest,
  type ChargeResult,
  type FollowUpOperation,
  type FollowUpRequest,
  type FollowUpResult,
  type GatewayNotice,
  GatewayTimeout,
  type PaymentGateway,
} from '../payment-gateway.ts';
import { answerCharge, answerConfirm, answerFollowUp, noticesAbout } from './answers.ts';
import type { AskedFollowUp, Decide, Received, SandboxRecord } from './book-rows.ts';
import { type Books, openBooks } from './books.ts';
import { type Charge, losesRefundAnswer, stateAfter } from './charge-state.ts';
import { behaviourOfNumber, outcomeOf } from './outcomes.ts';
import { referencesOf } from './references.ts';
import { contentOfCharge, contentOfFollowUp } from './request-content.ts';
import { behaviourOfToken, cardOfToken, newToken } from './token.ts';

/** Unless it is given another. */
export const SANDBOX_GATEWAY_ID = 1;
const DEFAULT_ANSWER_DELAY_MS = 2_000;
/** Charges of which it is remembered that no news will come. */
const REMEMBERED_QUIET = 10_000;
const BIN_LENGTH = 6;
const LAST_LENGTH = 4;

/** Where its books are. */
export type SandboxPlace =
  /** A file, or `:memory:`. The folder must exist. */
  | { readonly path: string }
  /** The database of the hosts: all of them have the same gateway. It stays open. */
  | { readonly database: Pool };

export type SandboxOptions = SandboxPlace & {
  readonly gatewayId?: number;
  readonly name?: string;
  /** How long the answer of a slow card takes. */
  readonly answerDelayMs?: number;
  /** How long a call without an answer keeps its caller waiting before it throws. */
  readonly timeoutMs?: number;
};

type Keyed = Pick<FollowUpRequest, 'idempotencyKey'>;

/** Knows its charges and tokens without their accounts. */
export interface SandboxGateway extends PaymentGateway {
  tokenize(card: CardDetails, fingerprint: string): Promise<CardToken>;
  findToken(token: string): Promise<CardToken | undefined>;
  findCharge(request: Keyed): Promise<ChargeResult | undefined>;
  findFollowUp(operation: FollowUpOperation, request: Keyed): Promise<FollowUpResult | undefined>;
  noticesOf(gatewayTransactionId: string): Promise<readonly GatewayNotice[]>;
  /** Its books in the order of arrival, for a comparison with a ledger. */
  records(): AsyncGenerator<SandboxRecord>;
}

/** A key always stands for one request, and this one came with another. */
export class IdempotencyKeyReused extends Error {
  override readonly name = 'IdempotencyKeyReused';
  readonly idempotencyKey: string;

  constructor(idempotencyKey: string) {
    super(`idempotency key ${idempotencyKey} has been used for another request`);
    this.idempotencyKey = idempotencyKey;
  }
}

/** A card that cannot exist was handed in. */
export class CardRefused extends Error {
  override readonly name = 'CardRefused';
}

/** Opens or creates the books. Answers are stable across restarts. */
export function openSandboxGateway({
  gatewayId = SANDBOX_GATEWAY_ID,
  name = 'Sandbox',
  answerDelayMs = DEFAULT_ANSWER_DELAY_MS,
  timeoutMs = 0,
  ...place
}: SandboxOptions): SandboxGateway {
  const books = openBooks({ ...place, gatewayId });
  return new Sandbox({ books, gatewayId, name, answerDelayMs, timeoutMs });
}

interface SandboxParts {
  readonly books: Books;
  readonly gatewayId: number;
  readonly name: string;
  readonly answerDelayMs: number;
  readonly timeoutMs: number;
}

class Sandbox implements SandboxGateway {
  readonly gatewayId: number;
  readonly name: string;
  readonly #answerDelayMs: number;
  readonly #timeoutMs: number;
  readonly #books: Books;
  /** Cache of charges without notices: nearly all are queried once. */
  readonly #quiet = new LRUCache<string, true>({ max: REMEMBERED_QUIET });

  constructor({ books, gatewayId, name, answerDelayMs, timeoutMs }: SandboxParts) {
    this.gatewayId = gatewayId;
    this.name = name;
    this.#answerDelayMs = answerDelayMs;
    this.#timeoutMs = timeoutMs;
    this.#books = books;
  }

  async tokenize(card: CardDetails, fingerprint: string): Promise<CardToken> {
    const { number, cvv, expMonth, expYear } = card;
    const digits = cardDigits(number);
    if (digits === undefined) {
      throw new CardRefused(`${maskCardNumber(number)} is not a card number`);
    }
    if (!isCvv(cvv)) throw new CardRefused('the cvv must be 3 or 4 digits');
    return newToken(behaviourOfNumber(digits), {
      bin: digits.slice(0, BIN_LENGTH),
      last4: digits.slice(-LAST_LENGTH),
      expMonth,
      expYear,
      fingerprint,
    });
  }

  async findToken(token: string): Promise<CardToken | undefined> {
    return cardOfToken(token);
  }

  async charge(request: ChargeRequest): Promise<ChargeResult> {
    const { idempotencyKey, amountMinor, currency, account } = request;
    const behaviour = behaviourOfToken(request.token);
    const how = behaviour === undefined ? undefined : outcomeOf(behaviour).chargeAnswer;
    if (how === 'never-received') return this.#noAnswer();

    const references = referencesOf(idempotencyKey);
    const { answer, onceConfirmed } = answerCharge(request, references, behaviour);
    const content = contentOfCharge(request);
    const received = await this.#books.addCharge({
      requestId: references.requestId,
      idempotencyKey,
      content,
      merchantAccountId: account.merchantAccountId,
      amountMinor,
      currency,
      answer,
      behaviour,
      state: stateAfter(answer, amountMinor),
      onceConfirmed,
    });
    const first = answerIn(received, idempotencyKey, content) as ChargeResult;
    if (behaviour === undefined || outcomeOf(behaviour).notice === undefined) {
      this.#quiet.set(references.gatewayTransactionId, true);
    }
    // It is in the books before it is late or lost: that is what makes it findable.
    if (how === 'lost') return this.#noAnswer();
    if (how === 'slow') await sleep(this.#answerDelayMs);
    return first;
  }

  async confirm(request: FollowUpRequest): Promise<ChargeResult> {
    const decide: Decide = (charge) => answerConfirm(charge, request.amountMinor);
    const { answer } = await this.#addFollowUp('confirm', request, decide);
    return answer as ChargeResult;
  }

  async capture(request: FollowUpRequest): Promise<FollowUpResult> {
    return (await this.#followUp('capture', request)).answer;
  }

  async void(request: FollowUpRequest): Promise<FollowUpResult> {
    return (await this.#followUp('void', request)).answer;
  }

  async refund(request: FollowUpRequest): Promise<FollowUpResult> {
    const { answer, charge } = await this.#followUp('refund', request);
    const isLost = answer.result === 'done' && charge !== undefined && losesRefundAnswer(charge);
    return isLost ? this.#noAnswer() : answer;
  }

  async #followUp(operation: FollowUpOperation, request: FollowUpRequest) {
    const decide: Decide = (charge) => answerFollowUp(operation, charge, request);
    const { answer, charge } = await this.#addFollowUp(operation, request, decide);
    return { answer: answer as FollowUpResult, charge };
  }

  async #addFollowUp(
    operation: AskedFollowUp['operation'],
    request: FollowUpRequest,
    decide: Decide,
  ): Promise<{ readonly answer: unknown; readonly charge: Charge | undefined }> {
    const { idempotencyKey, amountMinor, currency, gatewayTransactionId } = request;
    const { merchantAccountId } = request.account;
    const content = contentOfFollowUp(operation, request);
    const asked = { operation, idempotencyKey, content, merchantAccountId, amountMinor, currency };
    const { received, charge } = await this.#books.addFollowUp(
      { ...asked, gatewayTransactionId },
      (found) => decide(ownOf(request, found)),
    );
    return { answer: answerIn(received, idempotencyKey, content), charge };
  }

  async findCharge({ idempotencyKey }: Keyed): Promise<ChargeResult | undefined> {
    const received = await this.#books.received(idempotencyKey);
    if (received === undefined || !isCharging(received)) return undefined;
    return received.standing as ChargeResult;
  }

  async findFollowUp(
    _: FollowUpOperation,
    { idempotencyKey }: Keyed,
  ): Promise<FollowUpResult | undefined> {
    const received = await this.#books.received(idempotencyKey);
    if (received === undefined || isCharging(received)) return undefined;
    return received.answer as FollowUpResult;
  }

  async noticesOf(gatewayTransactionId: string): Promise<readonly GatewayNotice[]> {
    if (this.#quiet.has(gatewayTransactionId)) return [];
    const charge = await this.#books.charge(gatewayTransactionId);
    return charge === undefined ? [] : noticesAbout(charge);
  }

  records(): AsyncGenerator<SandboxRecord> {
    return this.#books.records();
  }

  async close(): Promise<void> {
    await this.#books.close();
  }

  async #noAnswer(): Promise<never> {
    if (this.#timeoutMs > 0) await sleep(this.#timeoutMs);
    throw new GatewayTimeout(`${this.name} (gateway ${this.gatewayId}) did not answer in time`);
  }
}

/** Undefined also when the charge is another account's, or in another currency. */
function ownOf(
  { account, currency }: FollowUpRequest,
  charge: Charge | undefined,
): Charge | undefined {
  const { merchantAccountId } = account;
  const isOwn = charge?.merchantAccountId === merchantAccountId && charge.currency === currency;
  return isOwn ? charge : undefined;
}

/** The content names the operation, so that equal contents have answers of the same kind. */
function answerIn(received: Received, idempotencyKey: string, content: string): unknown {
  if (received.content !== content) throw new IdempotencyKeyReused(idempotencyKey);
  return received.answer;
}

function isCharging({ operation }: Received): boolean {
  return operation === 'charge' || operation === 'confirm';
}
