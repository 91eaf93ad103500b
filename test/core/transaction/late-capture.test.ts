/** A payment whose outcome was unknown, and that is found captured: kept, or refunded when that is late. */
import { Transaction } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import { answer, ask, type Command } from '../payment-commands.ts';
import { CAPTURED_AT, ecommerceOrder, happened, idOf, lineItem, past } from '../payment-story.ts';
import { whenOf } from '../when.ts';

const when = whenOf(Transaction);

const unknown = [...past.processing, happened.unknown()];
const policy: Transaction.RefundPolicy = { refundWindowDays: 180, forceAllowRefunds: false };
/** From when the outcome was unknown to the capture. */
const WAITED_MINUTES = 24 * 60;

function found(afterMinutes?: number, refundWindowDays = 180): Command {
  const refund = { refundId: idOf('refund'), policy: { ...policy, refundWindowDays } };
  const lateCapture = afterMinutes === undefined ? undefined : { afterMinutes, ...refund };
  const recorded = ask.recordOutcome(answer.captured) as Transaction.CommandOf<'RecordOutcome'>;
  return { ...recorded, ...(lateCapture && { lateCapture }) };
}

const refund = happened.refundRequested({
  source: 'System',
  reason: 'late-capture',
  notifyCustomer: true,
  requestedBy: 'system',
  at: CAPTURED_AT,
});

describe('a capture that is found', () => {
  it('is kept unless the tenant wants it refunded', () =>
    when(unknown, found()).then(happened.captured()));

  it('is kept when it is not late', () =>
    when(unknown, found(WAITED_MINUTES)).then(happened.captured()));

  it('is refunded in full when it is, in the same append', () =>
    when(unknown, found(WAITED_MINUTES - 1)).then(happened.captured(), refund));

  it('is refunded however short the window of refunds is', () =>
    when(unknown, found(0, 0)).then(happened.captured(), refund));

  it('is refunded once, whoever finds it again', () => {
    const after = [...unknown, happened.captured(), refund];
    when(after, found(0)).thenNothing();
    when([...after, happened.refunded()], found(0)).thenNothing();
    expect(Transaction.isRefundedLate(paymentOf(after))).toBe(true);
    expect(Transaction.isRefundedLate(paymentOf([...unknown, happened.captured()]))).toBe(false);
  });

  it('is counted from when its outcome was first unknown', () => {
    const payment = paymentOf([...unknown, happened.captured()]);
    expect(payment.unknownSince).toBe(paymentOf(unknown).changedAt);
  });

  it('of an ecommerce order is refunded with its items', () => {
    const ordered = [
      happened.submitted({ ...ecommerceOrder, items: [lineItem(11, 2, 5_000n)] }),
      happened.attempted(),
      happened.unknown(),
    ];
    const decision = Transaction.decide(paymentOf(ordered), found(0));
    if (decision._tag === 'Left') throw new Error(decision.left.type);
    const requested = decision.right.find(({ type }) => type === 'RefundRequested');
    expect(requested).toMatchObject({ items: [{ quantity: 2 }] });
  });

  it('with nothing to give back is kept', () => {
    const free = happened.submitted({ amountMinor: 0n });
    const [, attempted] = unknown;
    const events = [free, attempted ?? free, happened.unknown()];
    const decision = Transaction.decide(paymentOf(events), found(0));
    expect(decision).toMatchObject({ right: [{ type: 'PaymentCaptured', amountMinor: 0n }] });
  });
});

function paymentOf(events: Parameters<typeof given<typeof Transaction>>[1]): Transaction.Payment {
  const { state } = given(Transaction, events);
  if (state === null) throw new Error('there is no payment');
  return state;
}
