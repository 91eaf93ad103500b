/** What the sandbox answers, from the request and its books alone. */
import type {
  ChargeRequest,
  ChargeResult,
  FollowUpOperation,
  FollowUpRequest,
  FollowUpResult,
  GatewayNotice,
} from '../payment-gateway.ts';
import { type Charge, type ChargeState, judge, noticeKind, stateAfter } from './charge-state.ts';
import { type Behaviour, type Outcome, outcomeOf } from './outcomes.ts';
import { actionUrl, type References, referencesOf } from './references.ts';

const CHARGEBACK_REASON = '10.4';

interface ChargeAnswer {
  readonly answer: ChargeResult;
  /** The answer of `confirm`; absent without an action. */
  readonly onceConfirmed?: ChargeResult;
}

export function answerCharge(
  request: ChargeRequest,
  references: References,
  behaviour: Behaviour | undefined,
): ChargeAnswer {
  if (behaviour === undefined) return failed('unknown token');
  if (request.amountMinor < 0n) return failed('the amount must not be less than 0');
  const decided = decidedOn(request, references, behaviour);
  const verdict = answerOf(decided.verdict, request, references);
  if (decided.actionRequired !== true) return { answer: verdict };
  const { gatewayTransactionId } = references;
  const nextAction = { type: '3ds', url: actionUrl(gatewayTransactionId) };
  const note = 'the customer has to authenticate';
  return {
    answer: { result: 'action-required', gatewayTransactionId, nextAction, note },
    onceConfirmed: verdict,
  };
}

/** What becomes of this charge: the card's own outcome, or that of its rebills. */
function decidedOn(
  request: ChargeRequest,
  { requestId }: References,
  behaviour: Behaviour,
): Pick<Outcome, 'verdict' | 'actionRequired'> {
  const outcome = outcomeOf(behaviour);
  const { recurring } = outcome;
  if (!request.recurring || recurring === undefined) return outcome;
  return requestId % BigInt(recurring.oneIn) === 0n ? recurring : { verdict: outcome.verdict };
}

function answerOf(
  verdict: Outcome['verdict'],
  { capture, avs }: ChargeRequest,
  { gatewayTransactionId, authCode, arn }: References,
): ChargeResult {
  switch (verdict.says) {
    case 'approve':
      return {
        result: capture ? 'captured' : 'authorized',
        authCode,
        gatewayTransactionId,
        arn,
        avsChecked: avs !== undefined,
        note: 'approved',
      };
    case 'decline': {
      const { declineCode, hard } = verdict;
      return { result: 'declined', declineCode, hard, gatewayTransactionId, note: declineCode };
    }
    case 'fail':
      return { result: 'failed', note: 'processing error' };
    default:
      throw new Error(`no verdict says ${verdict satisfies never}`);
  }
}

interface ConfirmAnswer {
  readonly answer: ChargeResult;
  readonly becomes?: ChargeState;
}

/**
 * Where there is nothing (more) to confirm, the answer is where the charge stands: to call a
 * captured charge failed would set the asker's books against ours.
 */
export function answerConfirm(charge: Charge | undefined, amountMinor: bigint): ConfirmAnswer {
  if (charge === undefined) return failed('there is no such charge');
  if (amountMinor !== charge.amountMinor) return failed('the amount is not that of the charge');
  const { status, onceConfirmed, standing } = charge;
  if (status !== 'requires-action' || onceConfirmed === undefined) return { answer: standing };
  return { answer: onceConfirmed, becomes: stateAfter(onceConfirmed, amountMinor) };
}

function failed(note: string): { readonly answer: ChargeResult } {
  return { answer: { result: 'failed', note } };
}

interface FollowUpAnswer {
  readonly answer: FollowUpResult;
  readonly becomes?: ChargeState;
}

export function answerFollowUp(
  operation: FollowUpOperation,
  charge: Charge | undefined,
  { idempotencyKey, amountMinor }: FollowUpRequest,
): FollowUpAnswer {
  if (charge === undefined) return refused('there is no such charge');
  const judgement = judge(operation, charge, amountMinor);
  if ('refusal' in judgement) return refused(judgement.refusal);
  // A capture and a void are the charge's own story; a refund is a transaction beside it.
  const { gatewayTransactionId, arn } =
    operation === 'refund' ? referencesOf(idempotencyKey) : charge;
  const answer = { result: 'done', gatewayTransactionId, arn, note: PAST[operation] } as const;
  return { answer, becomes: judgement.becomes };
}

const PAST = { capture: 'captured', void: 'voided', refund: 'refunded' } as const;

function refused(note: string): FollowUpAnswer {
  return { answer: { result: 'refused', note } };
}

/** All of it follows from the capture, so that it reads the same whenever it is asked for. */
export function noticesAbout(charge: Charge): readonly GatewayNotice[] {
  const { gatewayTransactionId, capturedMinor: amountMinor, arn } = charge;
  const kind = noticeKind(charge);
  switch (kind) {
    case 'chargeback': {
      const reference = `cb_${gatewayTransactionId}`;
      return [{ kind, reference, amountMinor, reasonCode: CHARGEBACK_REASON, arn }];
    }
    case 'alert': {
      const reference = `alert_${gatewayTransactionId}`;
      const warning = { source: 'AlertProvider', alertType: 'EarlyFraudWarning' } as const;
      return [{ kind, reference, amountMinor, ...warning, arn }];
    }
    case undefined:
      return [];
    default:
      throw new Error(`no notice is called ${kind satisfies never}`);
  }
}
