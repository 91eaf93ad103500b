/** What holds of every log, as functions: each throws an Error that says what does not. */
import type { Event } from '../catalog.ts';
import { journal } from '../ledger/journal.ts';

/** Money of one payment in minor units, read off its events and nothing else. */
export interface MoneyOfPayment {
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
  /** Of refunds that the gateway has not answered. */
  readonly pendingMinor: bigint;
  /** Of chargebacks that stand, as far as there was something left to take. */
  readonly disputedMinor: bigint;
}

/** Adds up the events of one payment. */
export function moneyOf(events: readonly Event[]): MoneyOfPayment {
  let capturedMinor = 0n;
  const pending = new Map<string, bigint>();
  const paid = new Map<string, bigint>();
  const disputed = new Map<string, bigint>();
  for (const event of events) {
    switch (event.type) {
      case 'PaymentCaptured':
        capturedMinor = event.amountMinor;
        break;
      case 'RefundRequested':
        pending.set(event.refundId, event.amountMinor);
        break;
      case 'RefundFailed':
        pending.delete(event.refundId);
        break;
      case 'Refunded':
      case 'NetworkRefunded':
        pending.delete(event.refundId);
        paid.set(event.refundId, event.amountMinor);
        break;
      case 'RefundReversed':
        paid.delete(event.refundId);
        break;
      case 'ChargebackOpened':
        disputed.set(event.chargebackId, event.amountMinor - event.beyondCapturedMinor);
        break;
      case 'ChargebackWon':
      case 'ChargebackWithdrawn':
        disputed.delete(event.chargebackId);
        break;
      default:
    }
  }
  return {
    capturedMinor,
    refundedMinor: sumOf(paid),
    pendingMinor: sumOf(pending),
    disputedMinor: sumOf(disputed),
  };
}

function sumOf(amounts: ReadonlyMap<string, bigint>): bigint {
  return [...amounts.values()].reduce((sum, each) => sum + each, 0n);
}

/** The money-out rule, of the events of one payment: all that leaves, or is about to, was captured. */
export function expectMoneyOutRule(events: readonly Event[]): void {
  const { capturedMinor, refundedMinor, pendingMinor, disputedMinor } = moneyOf(events);
  if (refundedMinor + pendingMinor + disputedMinor <= capturedMinor) return;
  const out = `${refundedMinor} refunded, ${pendingMinor} pending and ${disputedMinor} disputed`;
  throw new Error(`more leaves than was captured: ${out} of ${capturedMinor}`);
}

/** Every event's journal entry balances in each of its currencies. */
export function expectBalanced(events: readonly Event[]): void {
  for (const event of events) {
    const totals = new Map<string, bigint>();
    for (const { currency, debitMinor, creditMinor } of journal(event)?.lines ?? []) {
      totals.set(currency, (totals.get(currency) ?? 0n) + debitMinor - creditMinor);
    }
    for (const [currency, difference] of totals) {
      if (difference === 0n) continue;
      throw new Error(`the entry of ${event.type} is out by ${difference} ${currency}`);
    }
  }
}
