/** What is done about disputes: accept, represent, refund, decline. */
import type { TransactionId } from '@counterfoil/core';
import { deterministicUuid } from '../ids.ts';

/** An alert is answered by one refund, whoever asks and how often. */
export function refundIdOfAlert(alertId: TransactionId): TransactionId {
  return deterministicUuid([alertId, 'refund']) as TransactionId;
}
