/** A gateway of one's own, as small as the port allows: in memory, for a process that keeps nothing. */
import { randomUUID } from 'node:crypto';
import type {
  CardDetails,
  CardToken,
  ChargeRequest,
  ChargeResult,
  FollowUpRequest,
  FollowUpResult,
  PaymentGateway,
} from '@counterfoil/engine/gateways';

/** Minor units: what it declines above. */
const LIMIT_MINOR = 100_000n;

/**
 * Approves amounts up to a limit, and never asks the customer for anything. Every request is answered
 * once for its key, and `find…` tells that answer again.
 */
export class MemoryGateway implements PaymentGateway {
  readonly gatewayId: number;
  readonly name: string = 'Memory';
  readonly #tokens = new Map<string, CardToken>();
  readonly #charges = new Map<string, ChargeResult>();
  readonly #followUps = new Map<string, FollowUpResult>();

  constructor(gatewayId: number) {
    this.gatewayId = gatewayId;
  }

  async tokenize(card: CardDetails, fingerprint: string): Promise<CardToken> {
    const { number, expMonth, expYear } = card;
    const token = {
      token: `memory_${randomUUID()}`,
      bin: number.slice(0, 6),
      last4: number.slice(-4),
      expMonth,
      expYear,
      fingerprint,
    };
    this.#tokens.set(token.token, token);
    return token;
  }

  async findToken(token: string): Promise<CardToken | undefined> {
    return this.#tokens.get(token);
  }

  async charge(request: ChargeRequest): Promise<ChargeResult> {
    return once(this.#charges, request.idempotencyKey, () => {
      const gatewayTransactionId = randomUUID();
      if (!this.#tokens.has(request.token)) return { result: 'failed', note: 'Unknown token' };
      if (request.amountMinor > LIMIT_MINOR) {
        const declineCode = 'over_limit';
        return { result: 'declined', declineCode, hard: false, gatewayTransactionId, note: '' };
      }
      return {
        result: request.capture ? 'captured' : 'authorized',
        authCode: gatewayTransactionId.slice(0, 6),
        gatewayTransactionId,
        arn: '',
        avsChecked: false,
        note: 'Approved',
      };
    });
  }

  async confirm(): Promise<ChargeResult> {
    return { result: 'failed', note: 'There is nothing to confirm' };
  }

  async capture(request: FollowUpRequest): Promise<FollowUpResult> {
    return this.#followUp(request);
  }

  async void(request: FollowUpRequest): Promise<FollowUpResult> {
    return this.#followUp(request);
  }

  async refund(request: FollowUpRequest): Promise<FollowUpResult> {
    return this.#followUp(request);
  }

  async findCharge(idempotencyKey: string): Promise<ChargeResult | undefined> {
    return this.#charges.get(idempotencyKey);
  }

  async findFollowUp(idempotencyKey: string): Promise<FollowUpResult | undefined> {
    return this.#followUps.get(idempotencyKey);
  }

  async noticesOf(): Promise<readonly []> {
    return [];
  }

  async close(): Promise<void> {}

  #followUp({ idempotencyKey }: FollowUpRequest): FollowUpResult {
    return once(this.#followUps, idempotencyKey, () => ({
      result: 'done',
      gatewayTransactionId: randomUUID(),
      arn: '',
      note: 'Done',
    }));
  }
}

function once<Result>(answers: Map<string, Result>, key: string, make: () => Result): Result {
  const answer = answers.get(key) ?? make();
  answers.set(key, answer);
  return answer;
}
