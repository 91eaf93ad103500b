/** The port to the sandbox's durable record of every request it received. */
import type { ChargeResult, FollowUpResult } from '../payment-gateway.ts';
import type { Charge, ChargeState, FollowUpOperation } from './charge-state.ts';
import type { Behaviour } from './outcomes.ts';
import type { RequestId } from './references.ts';

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

export interface RecordsReading {
  /** Only so many of the latest; all when absent. */
  readonly newest?: number;
}

/** The books for those who only compare them with their own. */
export interface BooksReader {
  /**
   * The requests in the order of arrival, read in pages so that writers may go on meanwhile: each one
   * that was answered before the reading began is among them.
   */
  records(reading?: RecordsReading): AsyncGenerator<SandboxRecord>;
  /** Which of these requests were received. */
  known(requestIds: readonly RequestId[]): Promise<ReadonlySet<RequestId>>;
  close(): Promise<void>;
}

/**
 * Everything that has been answered is kept. Several gateways may share the same books, and are then
 * one: a key stands for one request among all of them.
 */
export interface Books extends BooksReader {
  /** Keeps a charge, unless its key stands for a request already; answers what its key stands for. */
  addCharge(charge: NewCharge): Promise<Received>;
  /**
   * Keeps a follow-up and what it does to its charge, both or neither, unless its key stands for a
   * request already. Nothing changes the charge between the decision about it and the entry.
   */
  addFollowUp(
    asked: AskedFollowUp,
    decide: Decide,
  ): Promise<{ readonly received: Received; readonly charge: Charge | undefined }>;
  received(idempotencyKey: string): Promise<Received | undefined>;
  charge(gatewayTransactionId: string): Promise<Charge | undefined>;
}
