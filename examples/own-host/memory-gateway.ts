/** A minimal custom gateway with its records in memory. */
import { randomUUID } from 'node:crypto';
import {
  type CardDetails,
  type CardToken,
  type ChargeRequest,
  type ChargeResult,
  type FollowUpOperation,
  type FollowUpRequest,
  type FollowUpResult,
  IdempotencyKeyReused,
  type PaymentGateway,
} from '@counterfoil/engine/gateways';

/** Card numbers with this suffix are declined. */
const DECLINED = '0002';

/** The remaining amounts of a charge, in minor units. */
interface Charge {
  readonly capturableMinor: bigint;
  readonly refundableMinor: bigint;
  /** Until the first refund. */
  readonly isVoidable: boolean;
}

const SPENT: Charge = { capturableMinor: 0n, refundableMinor: 0n, isVoidable: false };

/** Responds at once, and never requires an action of the customer. */
export class MemoryGateway implements PaymentGateway {
  readonly gatewayId: number;
  readonly name = 'Memory';
  readonly #tokens = new Map<string, CardToken>();
  readonly #charges = new Map<string, Charge>();
  readonly #chargeAnswers = new Answers<ChargeResult>();
  readonly #followUpAnswers = new Answers<FollowUpResult>();

  constructor(gatewayId: number) {
    this.gatewayId = gatewayId;
  }

  async tokenize(card: CardDetails, fingerprint: string): Promise<CardToken> {
    const { number, expMonth, expYear } = card;
    const kept = { bin: number.slice(0, 6), last4: number.slice(-4), expMonth, expYear };
    const token = { token: `memory_${randomUUID()}`, ...kept, fingerprint };
    this.#tokens.set(token.token, token);
    return token;
  }

  async findToken(token: string): Promise<CardToken | undefined> {
    return this.#tokens.get(token);
  }

  async charge(request: ChargeRequest): Promise<ChargeResult> {
    const { amountMinor, token, capture } = request;
    return this.#chargeAnswers.once(request, [amountMinor, token, capture], () => {
      const gatewayTransactionId = randomUUID();
      const card = this.#tokens.get(token);
      if (card === undefined) return { result: 'failed', note: 'Unknown token' };
      if (card.last4 === DECLINED) {
        const declineCode = 'do_not_honour';
        return { result: 'declined', declineCode, hard: false, gatewayTransactionId, note: '' };
      }
      this.#charges.set(gatewayTransactionId, {
        capturableMinor: capture ? 0n : amountMinor,
        refundableMinor: capture ? amountMinor : 0n,
        isVoidable: amountMinor > 0n,
      });
      const authCode = gatewayTransactionId.slice(0, 6);
      const checked = { gatewayTransactionId, authCode, arn: '', avsChecked: false };
      return { result: capture ? 'captured' : 'authorized', ...checked, note: 'Approved' };
    });
  }

  async confirm(): Promise<ChargeResult> {
    return { result: 'failed', note: 'There is nothing to confirm' };
  }

  async capture(request: FollowUpRequest): Promise<FollowUpResult> {
    return this.#followUp('capture', request, ({ capturableMinor }, amountMinor) =>
      amountMinor > capturableMinor
        ? undefined
        : { capturableMinor: 0n, refundableMinor: amountMinor, isVoidable: true },
    );
  }

  async void(request: FollowUpRequest): Promise<FollowUpResult> {
    return this.#followUp('void', request, ({ isVoidable }) => (isVoidable ? SPENT : undefined));
  }

  async refund(request: FollowUpRequest): Promise<FollowUpResult> {
    return this.#followUp('refund', request, ({ refundableMinor }, amountMinor) =>
      amountMinor > refundableMinor
        ? undefined
        : { ...SPENT, refundableMinor: refundableMinor - amountMinor },
    );
  }

  async findCharge({ idempotencyKey }: ChargeRequest): Promise<ChargeResult | undefined> {
    return this.#chargeAnswers.find(idempotencyKey);
  }

  async findFollowUp(
    _: FollowUpOperation,
    { idempotencyKey }: FollowUpRequest,
  ): Promise<FollowUpResult | undefined> {
    return this.#followUpAnswers.find(idempotencyKey);
  }

  async close(): Promise<void> {}

  /** `allows` computes the remaining state of the charge; undefined when it is not allowed. */
  #followUp(
    operation: string,
    request: FollowUpRequest,
    allows: (charge: Charge, amountMinor: bigint) => Charge | undefined,
  ): FollowUpResult {
    const { gatewayTransactionId: id, amountMinor } = request;
    return this.#followUpAnswers.once(request, [operation, id, amountMinor], () => {
      const after = amountMinor > 0n && allows(this.#charges.get(id) ?? SPENT, amountMinor);
      if (!after) return { result: 'refused', note: `The charge allows no such ${operation}` };
      this.#charges.set(id, after);
      // A refund is a transaction of its own.
      const gatewayTransactionId = operation === 'refund' ? randomUUID() : id;
      return { result: 'done', gatewayTransactionId, arn: '', note: 'Done' };
    });
  }
}

/** Responses by key: a repetition gets the first one; another request under the key is refused. */
class Answers<Answer> {
  readonly #kept = new Map<string, { readonly asked: string; readonly answer: Answer }>();

  once(
    { idempotencyKey: key }: { readonly idempotencyKey: string },
    asked: readonly unknown[],
    make: () => Answer,
  ): Answer {
    const kept = this.#kept.get(key) ?? { asked: asked.join(), answer: make() };
    if (kept.asked !== asked.join()) throw new IdempotencyKeyReused(key);
    this.#kept.set(key, kept);
    return kept.answer;
  }

  find(key: string): Answer | undefined {
    return this.#kept.get(key)?.answer;
  }
}
