/** One charge in the sandbox's books: what may still be done to it, and what it becomes. */
import type { ChargeResult, FollowUpOperation } from '../payment-gateway.ts';
import { type Behaviour, type Outcome, outcomeOf } from './outcomes.ts';
import type { References } from './references.ts';

export type ChargeStatus =
  | 'requires-action'
  | 'authorized'
  | 'captured'
  | 'voided'
  | 'declined'
  | 'failed';

export interface ChargeState {
  readonly status: ChargeStatus;
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
}

/** A charge as it was asked for, and where it stands. */
export interface Charge extends ChargeState, References {
  readonly merchantAccountId: number;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Absent when the token was none of ours. */
  readonly behaviour: Behaviour | undefined;
  /** What a question about the charge is answered with. */
  readonly standing: ChargeResult;
  /** The state after the customer's action; absent without one. */
  readonly onceConfirmed: ChargeResult | undefined;
}

/** Either why the gateway refuses, or what the charge becomes. */
export type Judgement = { readonly refusal: string } | { readonly becomes: ChargeState };

export function stateAfter(result: ChargeResult, amountMinor: bigint): ChargeState {
  const nothing = { capturedMinor: 0n, refundedMinor: 0n };
  if (result.result === 'captured') {
    return { status: 'captured', capturedMinor: amountMinor, refundedMinor: 0n };
  }
  return {
    status: result.result === 'action-required' ? 'requires-action' : result.result,
    ...nothing,
  };
}

export function judge(
  operation: FollowUpOperation,
  charge: Charge,
  amountMinor: bigint,
): Judgement {
  switch (operation) {
    case 'capture':
      return judgeCapture(charge, amountMinor);
    case 'void':
      return judgeVoid(charge);
    case 'refund':
      return judgeRefund(charge, amountMinor);
    default:
      throw new Error(`no follow-up is called ${operation satisfies never}`);
  }
}

/** One capture to an authorization; what it leaves is released. */
function judgeCapture(charge: Charge, amountMinor: bigint): Judgement {
  if (charge.status !== 'authorized') return { refusal: `the charge is ${charge.status}` };
  if (amountMinor <= 0n) return { refusal: 'the amount must be more than 0' };
  if (amountMinor > charge.amountMinor) {
    return { refusal: 'the amount is more than was authorized' };
  }
  return { becomes: { status: 'captured', capturedMinor: amountMinor, refundedMinor: 0n } };
}

/** A void is of the whole charge: the amount of the request says nothing to it. */
function judgeVoid(charge: Charge): Judgement {
  if (charge.status !== 'authorized' && charge.status !== 'captured') {
    return { refusal: `the charge is ${charge.status}` };
  }
  if (charge.refundedMinor > 0n) return { refusal: 'the charge has been refunded' };
  if (charge.status === 'captured' && noticeKind(charge) !== undefined) {
    // Otherwise news that was given once would have to be taken back.
    return { refusal: 'the charge is disputed' };
  }
  return { becomes: { status: 'voided', capturedMinor: 0n, refundedMinor: 0n } };
}

function judgeRefund(charge: Charge, amountMinor: bigint): Judgement {
  if (charge.status !== 'captured') return { refusal: `the charge is ${charge.status}` };
  if (amountMinor <= 0n) return { refusal: 'the amount must be more than 0' };
  const refundedMinor = charge.refundedMinor + amountMinor;
  if (refundedMinor > charge.capturedMinor) {
    return { refusal: 'the amount is more than is left of the capture' };
  }
  if (behaviourOf(charge)?.refund === 'fails') return { refusal: 'the issuer refused the refund' };
  return { becomes: { status: 'captured', capturedMinor: charge.capturedMinor, refundedMinor } };
}

export function losesRefundAnswer(charge: Charge): boolean {
  return behaviourOf(charge)?.refund === 'answer-lost';
}

/** The notices of a captured charge. */
export function noticeKind(charge: Charge): Outcome['notice'] {
  return charge.status === 'captured' ? behaviourOf(charge)?.notice : undefined;
}

function behaviourOf({ behaviour }: Charge): Outcome | undefined {
  return behaviour === undefined ? undefined : outcomeOf(behaviour);
}
