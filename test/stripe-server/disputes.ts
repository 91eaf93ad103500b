/** Disputes: inquiries, which move no money; withdrawn funds, evidence, the bank's decision. */
import type Stripe from 'stripe';
import { DISPUTE_FEE, move } from './balance.ts';
import { evidenceField, NO_EVIDENCE, takeEvidence } from './dispute-evidence.ts';
import { listOf, paging, timeRange, within } from './lists.ts';
import { boolean, metadata, text } from './params.ts';
import { invalidRequest } from './refusal.ts';
import { type Route, route } from './route.ts';
import type { AccountState } from './state.ts';
import { settleWarning } from './warnings.ts';

const DAY_SECONDS = 86_400;
/** A dispute without an answer is lost then; an inquiry ends. */
const ANSWER_WITHIN_SECONDS = 9 * DAY_SECONDS;

export const disputeRoutes: readonly Route[] = [
  route(
    'GET',
    '/v1/disputes',
    { ...paging, charge: text, payment_intent: text, created: timeRange },
    (call, { charge, payment_intent: intent, created, ...page }) => {
      const all = call.state.disputes.newestFirst();
      const rows = all.filter(
        (each) =>
          (charge === undefined || each.charge === charge) &&
          (intent === undefined || each.payment_intent === intent) &&
          within(each.created, created),
      );
      return listOf(call, rows, all, page);
    },
  ),
  route('GET', '/v1/disputes/{dispute}', {}, ({ state, id }) => state.disputes.get(id, 'dispute')),
  route(
    'POST',
    '/v1/disputes/{dispute}',
    { evidence: evidenceField, metadata, submit: boolean },
    ({ state, id }, { evidence, metadata: labels, submit }) => {
      const dispute = state.disputes.get(id, 'dispute');
      Object.assign(dispute.metadata, labels);
      if (evidence === undefined && submit === undefined) return dispute;
      checkOpen(dispute);
      if (evidence !== undefined) takeEvidence(state, dispute, evidence);
      if (submit ?? true) submitEvidence(state, dispute);
      else state.emit('charge.dispute.updated', dispute);
      return dispute;
    },
  ),
  route('POST', '/v1/disputes/{dispute}/close', {}, ({ state, id }) => {
    const dispute = state.disputes.get(id, 'dispute');
    checkOpen(dispute);
    loseDispute(state, dispute);
    return dispute;
  }),
];

export interface DisputeParts {
  readonly reason: string;
  readonly inquiry: boolean;
  /** What was captured if not given. */
  readonly amount?: number;
  readonly networkReasonCode?: string;
}

export function openDispute(
  state: AccountState,
  charge: Stripe.Charge,
  parts: DisputeParts,
): Stripe.Dispute {
  const dispute = state.disputes.add(newDispute(state, charge, parts));
  charge.disputed = true;
  state.emit('charge.dispute.created', dispute);
  settleWarning(state, charge);
  if (!parts.inquiry) withdraw(state, dispute);
  state.later(ANSWER_WITHIN_SECONDS, () => {
    if (!needsAnswer(dispute)) return;
    dispute.evidence_details.past_due = true;
    loseDispute(state, dispute);
  });
  return dispute;
}

/** The cardholder was not content with the inquiry: the money is withdrawn. */
export function escalate(state: AccountState, dispute: Stripe.Dispute): void {
  if (!isInquiry(dispute) || dispute.status === 'warning_closed') {
    throw new Error(`${dispute.id} is not an open inquiry`);
  }
  dispute.status = 'needs_response';
  dispute.is_charge_refundable = false;
  dispute.evidence_details.due_by = state.now() + ANSWER_WITHIN_SECONDS;
  setCaseType(dispute, 'chargeback');
  state.emit('charge.dispute.updated', dispute);
  withdraw(state, dispute);
}

/** @param returnFee - Whether the fee of the dispute comes back too. */
export function winDispute(
  state: AccountState,
  dispute: Stripe.Dispute,
  { returnFee = false }: { readonly returnFee?: boolean } = {},
): void {
  if (isInquiry(dispute)) {
    end(state, dispute, 'warning_closed');
    return;
  }
  end(state, dispute, 'won');
  const transaction = move(state, {
    type: 'adjustment',
    category: 'dispute_reversal',
    amount: dispute.amount,
    currency: dispute.currency,
    source: dispute.id,
    description: `Chargeback reversal for ${String(dispute.charge)}`,
    ...(returnFee ? { fee: { amount: -DISPUTE_FEE, description: 'Dispute fee refund' } } : {}),
  });
  dispute.balance_transactions.push(transaction);
  state.emit('charge.dispute.funds_reinstated', dispute);
}

export function loseDispute(state: AccountState, dispute: Stripe.Dispute): void {
  end(state, dispute, isInquiry(dispute) ? 'warning_closed' : 'lost');
}

/** A charge whose money was withdrawn cannot be refunded. */
export function checkUndisputed(state: AccountState, charge: Stripe.Charge): void {
  const disputed = state.disputes
    .newestFirst()
    .some(
      (each) => each.charge === charge.id && !each.is_charge_refundable && each.status !== 'won',
    );
  if (disputed) {
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  }
}

function submitEvidence(state: AccountState, dispute: Stripe.Dispute): void {
  const details = dispute.evidence_details;
  details.submission_count += 1;
  details.submission_method = 'manual';
  const inquiry = isInquiry(dispute);
  dispute.status = inquiry ? 'warning_under_review' : 'under_review';
  state.emit('charge.dispute.updated', dispute);
  switch (dispute.evidence.uncategorized_text) {
    case 'winning_evidence':
      state.later(0, () => winDispute(state, dispute));
      break;
    case 'losing_evidence':
      state.later(0, () => loseDispute(state, dispute));
      break;
    case 'escalate_inquiry_evidence':
      if (inquiry) state.later(0, () => escalate(state, dispute));
      break;
    default:
  }
}

function withdraw(state: AccountState, dispute: Stripe.Dispute): void {
  const transaction = move(state, {
    type: 'adjustment',
    category: 'dispute',
    amount: -dispute.amount,
    currency: dispute.currency,
    source: dispute.id,
    description: `Chargeback withdrawal for ${String(dispute.charge)}`,
    fee: { amount: DISPUTE_FEE, description: 'Dispute fee' },
  });
  dispute.balance_transactions.push(transaction);
  state.emit('charge.dispute.funds_withdrawn', dispute);
}

function end(
  state: AccountState,
  dispute: Stripe.Dispute,
  status: 'won' | 'lost' | 'warning_closed',
): void {
  if (isEnded(dispute)) throw new Error(`${dispute.id} has ended: ${dispute.status}`);
  dispute.status = status;
  state.emit('charge.dispute.closed', dispute);
}

function isInquiry({ status }: Stripe.Dispute): boolean {
  return status.startsWith('warning_');
}

function isEnded({ status }: Stripe.Dispute): boolean {
  return status === 'won' || status === 'lost' || status === 'warning_closed';
}

function needsAnswer({ status }: Stripe.Dispute): boolean {
  return status === 'needs_response' || status === 'warning_needs_response';
}

function checkOpen(dispute: Stripe.Dispute): void {
  if (needsAnswer(dispute)) return;
  throw invalidRequest(
    isEnded(dispute)
      ? `This dispute is already closed: its status is ${dispute.status}.`
      : 'Evidence for this dispute has already been submitted.',
    { code: 'status_transition_invalid' },
  );
}

function setCaseType(dispute: Stripe.Dispute, type: 'inquiry' | 'chargeback'): void {
  const card = dispute.payment_method_details?.card;
  if (card !== undefined) card.case_type = type;
}

function newDispute(
  state: AccountState,
  charge: Stripe.Charge,
  parts: DisputeParts,
): Stripe.Dispute {
  const brand = charge.payment_method_details?.card?.brand ?? 'visa';
  return {
    id: state.id('du'),
    object: 'dispute',
    amount: parts.amount ?? charge.amount_captured,
    balance_transactions: [],
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...NO_EVIDENCE },
    evidence_details: {
      due_by: state.now() + ANSWER_WITHIN_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: parts.inquiry,
    livemode: state.livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      type: 'card',
      card: {
        brand,
        case_type: parts.inquiry ? 'inquiry' : 'chargeback',
        network: brand,
        network_reason_code: parts.networkReasonCode ?? '10.4',
      },
    },
    reason: parts.reason,
    status: parts.inquiry ? 'warning_needs_response' : 'needs_response',
  };
}
