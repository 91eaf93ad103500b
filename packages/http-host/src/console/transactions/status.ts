/** How the statuses of transactions are shown. */
import type { Transaction } from '@counterfoil/core';

/** `back`: money that was given back. */
type Tone = 'good' | 'warn' | 'bad' | 'neutral' | 'back';

const STATUSES: Readonly<Record<Transaction.Status, readonly [text: string, tone: Tone]>> = {
  Created: ['Created', 'neutral'],
  Processing: ['Processing', 'neutral'],
  RequiresAction: ['Requires action', 'warn'],
  Authorized: ['Authorized', 'warn'],
  Captured: ['Captured', 'good'],
  Settled: ['Settled', 'good'],
  Declined: ['Declined', 'bad'],
  Failed: ['Failed', 'bad'],
  Blocked: ['Blocked', 'bad'],
  Expired: ['Expired', 'neutral'],
  Unknown: ['Outcome unknown', 'warn'],
  Voided: ['Voided', 'neutral'],
  RefundPending: ['Refund pending', 'warn'],
  Refunded: ['Refunded', 'back'],
  RefundFailed: ['Refund failed', 'bad'],
  ChargebackOpen: ['Chargeback open', 'bad'],
  ChargebackUnderReview: ['Chargeback in review', 'warn'],
  ChargebackWon: ['Chargeback won', 'good'],
  ChargebackLost: ['Chargeback lost', 'bad'],
  ChargebackAccepted: ['Chargeback accepted', 'neutral'],
  ChargebackWithdrawn: ['Chargeback withdrawn', 'good'],
  AlertOpen: ['Alert open', 'warn'],
  AlertResolved: ['Alert resolved', 'good'],
  AlertDeclined: ['Alert declined', 'neutral'],
  AlertExpired: ['Alert expired', 'neutral'],
};

export interface ShownStatus {
  readonly text: string;
  readonly tone: Tone;
}

export function shownStatus(status: string): ShownStatus {
  const [text, tone] = STATUSES[status as Transaction.Status] ?? [status, 'neutral'];
  return { text, tone };
}

interface Flags {
  readonly status: string;
  readonly refunded: boolean;
  readonly chargedBack: boolean;
  readonly originalTransactionId?: string | null;
}

/** Of a payment: what its money has become counts more than that it was captured. */
export function shownStatusOf(of: Flags): ShownStatus {
  const { status, refunded, chargedBack, originalTransactionId } = of;
  const isTaken = status === 'Captured' || status === 'Settled';
  if (isTaken && !originalTransactionId) {
    if (chargedBack) return { text: 'Charged back', tone: 'bad' };
    if (refunded) return { text: 'Refunded', tone: 'back' };
  }
  return shownStatus(status);
}

const GIVEN_BACK: ReadonlySet<string> = new Set<Transaction.Status>([
  'RefundPending',
  'Refunded',
  'ChargebackOpen',
  'ChargebackUnderReview',
  'ChargebackLost',
  'ChargebackAccepted',
]);

/** Of a row of a list: a payment, or a child of one. */
export function shownAmountOf(
  of: Pick<Flags, 'status' | 'originalTransactionId'> & { readonly amount: number },
): string {
  const { amount, status, originalTransactionId } = of;
  return originalTransactionId ? signedAmount(amount, status) : String(amount);
}

/** Of a child: what it takes from the merchant has a minus sign. */
export function signedAmount(amount: number, status: string): string {
  return GIVEN_BACK.has(status) ? `-${amount}` : String(amount);
}
