/** Finds the payment to refund by its own id, not by that of a child. */
import type { Transaction, TransactionId } from '@counterfoil/core';
import { type Payments, Refused, type Transactions } from '@counterfoil/engine';
import type { RequestContext } from '../http/endpoint.ts';
import { Refusal, refuse } from '../http/errors.ts';
import { checkVisible } from './wire.ts';

export interface PaymentFinding {
  readonly payments: Payments;
  readonly transactions: Transactions;
}

/** Refuses a refund, void, chargeback or alert with `not_refundable`, an unknown id with `not_found`. */
export async function paymentToRefund(
  { payments, transactions }: PaymentFinding,
  { principal }: RequestContext,
  id: string,
): Promise<Transaction.Payment> {
  const { tenantId } = principal;
  try {
    const payment = await payments.get(tenantId, id as TransactionId);
    checkVisible(principal, payment);
    return payment;
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const found = await transactions.paymentOf(tenantId, id);
    if (found?.childId === undefined) throw error;
    checkVisible(principal, found.payment);
    const { transactionId } = found.payment;
    throw refuse('not_refundable', `Only payments are refunded; this belongs to ${transactionId}`);
  }
}

/** Unknown, or not visible to the caller. */
function isUnknown(error: unknown): boolean {
  return error instanceof Refused
    ? error.code === 'TransactionUnknown'
    : error instanceof Refusal && error.code === 'not_found';
}
