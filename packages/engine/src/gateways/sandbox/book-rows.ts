/** A request of the sandbox: as it is asked and decided, and as a row of the books. */
import type { ChargeResult, FollowUpOperation, FollowUpResult } from '../payment-gateway.ts';
import type { Charge, ChargeState, ChargeStatus } from './charge-state.ts';
import { type Behaviour, isBehaviour } from './outcomes.ts';
import { type RequestId, referencesOf } from './references.ts';

export type Operation = 'charge' | 'confirm' | FollowUpOperation;

/** What every request is kept under. */
interface Asked {
  readonly idempotencyKey: string;
  /** A digest of all that was asked, to tell a repeat from another request under the same key. */
  readonly content: string;
  readonly merchantAccountId: number;
  readonly amountMinor: bigint;
  readonly currency: string;
}

export interface NewCharge extends Asked {
  readonly requestId: RequestId;
  readonly answer: ChargeResult;
  readonly behaviour: Behaviour | undefined;
  readonly state: ChargeState;
  readonly onceConfirmed: ChargeResult | undefined;
}

export interface AskedFollowUp extends Asked {
  readonly operation: Exclude<Operation, 'charge'>;
  readonly gatewayTransactionId: string;
}

export interface Decision {
  readonly answer: ChargeResult | FollowUpResult;
  /** What the charge becomes; absent when it stays as it is. */
  readonly becomes?: ChargeState;
}

/** Decides from the charge alone, and may be asked again about the same one when it has changed. */
export type Decide = (charge: Charge | undefined) => Decision;

/** A request that was received; which kind of answer it has follows from the operation. */
export interface Received {
  readonly operation: Operation;
  readonly content: string;
  /** What the call was answered with, or would have been. */
  readonly answer: unknown;
  /** Where its charge stands now: the same until a confirmation changes it. */
  readonly standing: unknown;
}

interface RecordOf<Kind, Result> {
  readonly operation: Kind;
  readonly idempotencyKey: string;
  /** The charge's id, whichever operation on it this is. */
  readonly gatewayTransactionId: string;
  readonly merchantAccountId: number;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly result: Result;
}

/** An entry of the books as those see it who compare them with their own. */
export type SandboxRecord =
  | (RecordOf<'charge', ChargeResult> & ChargeState)
  | RecordOf<'confirm', ChargeResult>
  | RecordOf<FollowUpOperation, FollowUpResult>;

/**
 * A charge leaves `acts_on` empty, any other request what stands after it. Amounts are text: they may
 * be larger than the integers of a database.
 */
export interface Row {
  readonly key: string;
  readonly operation: Received['operation'];
  readonly content: string;
  readonly answer: string;
  readonly merchant_account_id: number | string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly acts_on: string | null;
  readonly behaviour: string | null;
  readonly status: ChargeStatus | null;
  readonly captured_minor: string | null;
  readonly refunded_minor: string | null;
  readonly standing: string | null;
  readonly once_confirmed: string | null;
}

/** Not `request_id`: its 63 bits do not fit a number, and the key tells it. */
export const COLUMNS = `key, operation, content, answer, merchant_account_id, amount_minor, currency,
  acts_on, behaviour, status, captured_minor, refunded_minor, standing, once_confirmed`;

export function receivedIn(row: Row, idempotencyKey: string): Received {
  if (row.key !== idempotencyKey) throw new Error('two idempotency keys have the same hash');
  const { operation, content, answer, standing } = row;
  const parsed: unknown = JSON.parse(answer);
  return {
    operation,
    content,
    answer: parsed,
    standing: standing === null ? parsed : JSON.parse(standing),
  };
}

/** A charge as it was received just now. */
export function newlyReceived({ content, answer }: NewCharge): Received {
  return { operation: 'charge', content, answer, standing: answer };
}

/** A follow-up as it was received and decided just now. */
export function newlyDecided(
  { operation, content }: AskedFollowUp,
  { answer }: Decision,
): Received {
  return { operation, content, answer, standing: answer };
}

/** Undefined for a request that is no charge. */
export function chargeIn(row: Row | undefined): Charge | undefined {
  if (row?.operation !== 'charge') return undefined;
  return {
    ...referencesOf(row.key),
    merchantAccountId: Number(row.merchant_account_id),
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    behaviour: row.behaviour !== null && isBehaviour(row.behaviour) ? row.behaviour : undefined,
    standing: JSON.parse(row.standing ?? row.answer) as ChargeResult,
    onceConfirmed:
      row.once_confirmed === null ? undefined : (JSON.parse(row.once_confirmed) as ChargeResult),
    ...stateIn(row),
  };
}

function stateIn(row: Row): ChargeState {
  if (row.status === null || row.captured_minor === null || row.refunded_minor === null) {
    throw new Error(`the charge of key ${row.key} has no state`);
  }
  return {
    status: row.status,
    capturedMinor: BigInt(row.captured_minor),
    refundedMinor: BigInt(row.refunded_minor),
  };
}

export function recordIn(row: Row): SandboxRecord {
  const common = {
    idempotencyKey: row.key,
    gatewayTransactionId: row.acts_on ?? referencesOf(row.key).gatewayTransactionId,
    merchantAccountId: Number(row.merchant_account_id),
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
  };
  const { operation } = row;
  const result: unknown = JSON.parse(row.standing ?? row.answer);
  switch (operation) {
    case 'charge':
      return { operation, ...common, result: result as ChargeResult, ...stateIn(row) };
    case 'confirm':
      return { operation, ...common, result: result as ChargeResult };
    default:
      return { operation, ...common, result: result as FollowUpResult };
  }
}
