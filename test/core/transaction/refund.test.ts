/** Giving money back: whole and in part, with items, while it is on its way, and by the network itself. */
import { Transaction } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import { ask } from '../payment-commands.ts';
import {
  CAPTURED_AT,
  type Event,
  ecommerceOrder,
  happened,
  idOf,
  lineItem,
  NOW,
  past,
} from '../payment-story.ts';
import { whenOf } from '../when.ts';

const when = whenOf(Transaction);

const DAY_MS = 86_400_000;
const policy: Transaction.RefundPolicy = { refundWindowDays: 180, forceAllowRefunds: false };
const paymentOf = (events: readonly Event[]) =>
  given(Transaction, events).state as Transaction.Payment;
const requested = (amountMinor: bigint, n = 1) =>
  happened.refundRequested({ refundId: idOf('refund', n), amountMinor });
const refunded = (amountMinor: bigint, n = 1) => [
  requested(amountMinor, n),
  happened.refunded({ refundId: idOf('refund', n), amountMinor }),
];

describe('amount', () => {
  it.each([
    ['nothing', {}],
    ['zero', { amountMinor: 0n }],
    ['all', { amountMinor: 10_000n }],
  ])('asks for the whole by %s', (_, facts) =>
    when(past.captured, ask.refund(facts)).then(requested(10_000n)),
  );

  it('asks for a part, then for the rest', () => {
    when(past.settled, ask.refund({ amountMinor: 6_000n })).then(requested(6_000n));
    when([...past.settled, ...refunded(6_000n)], ask.refund({ refundId: idOf('refund', 2) })).then(
      requested(4_000n, 2),
    );
  });

  it('counts only what was captured', () => {
    const partly = [
      ...past.authorized,
      happened.captureRequested(4_000n),
      happened.captured({ amountMinor: 4_000n }),
    ];
    when(partly, ask.refund()).then(requested(4_000n));
  });

  it('reserves what is on its way, and frees it when it fails', () => {
    const pending = [...past.captured, requested(6_000n)];
    when(pending, ask.refund({ refundId: idOf('refund', 2), amountMinor: 6_000n })).thenRejected({
      type: 'RefundExceedsRemaining',
      requestedMinor: 6_000n,
      remainingMinor: 4_000n,
      currency: 'GBP',
    });
    when(
      [...pending, happened.refundFailed()],
      ask.refund({ refundId: idOf('refund', 2), amountMinor: 6_000n }),
    ).then(requested(6_000n, 2));
  });

  it('records the requester, the application and whether to notify the customer', () => {
    const asked = {
      source: 'Admin',
      notifyCustomer: true,
      requestedBy: 'bob@example.com',
    } as const;
    when(past.captured, ask.refund(asked)).then(happened.refundRequested(asked));
  });
});

describe('outcome', () => {
  const pending = [...past.captured, requested(6_000n)];

  it('is paid', () =>
    when(pending, ask.recordRefund()).then(happened.refunded({ amountMinor: 6_000n })));

  it('fails', () => when(pending, ask.recordRefundFailure()).then(happened.refundFailed()));

  it('is that of the refund it names, whatever became of the others', () => {
    const second = { refundId: idOf('refund', 2), amountMinor: 3_000n };
    const both = given(Transaction, [...pending, happened.refundRequested(second)]);
    both.when(ask.recordRefund(2)).then(happened.refunded(second));
    when(
      [...pending, happened.refunded({ amountMinor: 6_000n }), happened.refundRequested(second)],
      ask.recordRefundFailure(2),
    ).then(happened.refundFailed(2));
  });

  it('is no news the second time', () => {
    when(pending, ask.refund({ amountMinor: 6_000n })).thenNothing();
    const paid = [...pending, happened.refunded({ amountMinor: 6_000n })];
    when(paid, ask.recordRefund()).thenNothing();
    when(paid, ask.refund({ amountMinor: 6_000n })).thenNothing();
    when([...pending, happened.refundFailed()], ask.recordRefundFailure()).thenNothing();
    when([...past.captured, ...refunded(10_000n)], ask.refund()).thenNothing();
  });
});

describe('a failure after it was paid', () => {
  const paid = [...past.captured, ...refunded(10_000n)];

  it('is recorded once, and gives the amount back to be refunded', () => {
    when(paid, ask.recordRefundReversal()).then(happened.refundReversed());
    const failed = [...paid, happened.refundReversed()];
    when(failed, ask.recordRefundReversal()).thenNothing();
    const again = { refundId: idOf('refund', 2), amountMinor: 10_000n };
    when(failed, ask.refund(again)).then(happened.refundRequested(again));
  });

  it('of one that the gateway was still asked about is its failure', () => {
    const failed = { ...happened.refundFailed(), note: 'sent back' } as Event;
    when([...past.captured, requested(6_000n)], ask.recordRefundReversal()).then(failed);
  });
});

describe('window', () => {
  const endOfWindow = Date.parse(CAPTURED_AT) + 180 * DAY_MS;
  const at = (ms: number): string => new Date(ms).toISOString();

  it('is open to its last millisecond and closed after it', () => {
    const open = at(endOfWindow);
    when(past.captured, ask.refund({ at: open })).then(happened.refundRequested({ at: open }));
    when(past.captured, ask.refund({ at: at(endOfWindow + 1) })).thenRejected({
      type: 'RefundWindowClosed',
      refundWindowDays: 180,
    });
  });

  it('is lifted by the merchant account, which lifts nothing else', () => {
    const late = at(endOfWindow + DAY_MS);
    const lifted = { refundWindowDays: 180, forceAllowRefunds: true };
    when(past.captured, ask.refund({ at: late, policy: lifted })).then(
      happened.refundRequested({ at: late }),
    );
    when(
      [...past.captured, happened.chargebackOpened()],
      ask.refund({ policy: lifted }),
    ).thenRejected({ type: 'RefundBlockedByChargeback' });
  });

  it('has not begun before the capture', () => {
    const authorized = paymentOf(past.authorized);
    expect(Transaction.insideRefundWindow(authorized, policy, at(endOfWindow + 1))).toBe(true);
  });

  it('is the tenant’s own', () =>
    when(
      past.captured,
      ask.refund({ policy: { refundWindowDays: 8, forceAllowRefunds: false } }),
    ).thenRejected({ type: 'RefundWindowClosed', refundWindowDays: 8 }));
});

describe('items of an ecommerce order', () => {
  const item = (storefrontVariantId: number, quantity: number, amountMinor?: bigint) => ({
    storefrontVariantId,
    quantity,
    restock: true,
    ...(amountMinor === undefined ? {} : { amountMinor }),
  });
  const kept = (storefrontVariantId: number, quantity: number, amountMinor: bigint) => ({
    storefrontVariantId,
    quantity,
    amountMinor,
    restock: true,
  });
  type Items = Transaction.EventOf<'RefundRequested'>['items'];
  const giving = (amountMinor: bigint, items: Items) =>
    happened.refundRequested({ amountMinor, items });

  it('take their share of what was paid when they name no amount', () =>
    when(
      past.capturedEcommerce,
      ask.refund({ amountMinor: 3_500n, items: [item(1, 1), item(2, 1)] }),
    ).then(giving(3_500n, [kept(1, 1, 2_000n), kept(2, 1, 1_500n)])));

  it('take the amounts they name, more or less than their share', () =>
    when(
      past.capturedEcommerce,
      ask.refund({ amountMinor: 4_000n, items: [item(1, 1, 3_999n), item(2, 1, 1n)] }),
    ).then(giving(4_000n, [kept(1, 1, 3_999n), kept(2, 1, 1n)])));

  it('may give a thing back for nothing', () =>
    when(
      past.capturedEcommerce,
      ask.refund({ amountMinor: 100n, items: [item(1, 1, 100n), item(2, 1, 0n)] }),
    ).then(giving(100n, [kept(1, 1, 100n), kept(2, 1, 0n)])));

  it('take at most what is left of their line, however much of it each took before', () => {
    const dear = giving(3_900n, [kept(1, 1, 3_900n)]);
    const again = (facts: { amountMinor: bigint; items: ReturnType<typeof item>[] }) =>
      ask.refund({ refundId: idOf('refund', 2), ...facts });
    const past100 = [...past.capturedEcommerce, dear];
    when(past100, again({ amountMinor: 100n, items: [item(1, 1)] })).then(
      happened.refundRequested({
        refundId: idOf('refund', 2),
        amountMinor: 100n,
        items: [kept(1, 1, 100n)],
      }),
    );
    when(past100, again({ amountMinor: 101n, items: [item(1, 1, 101n)] })).thenRejected({
      type: 'RefundItemExceedsLine',
      storefrontVariantId: 1,
      requestedMinor: 101n,
      remainingMinor: 100n,
      currency: 'GBP',
    });
  });

  it('come with adjustments for what the order holds beyond its lines', () => {
    const adjustments = [
      { kind: 'shipping', amountMinor: 1_000n },
      { kind: 'other', amountMinor: 500n },
    ] as const;
    const asked = { amountMinor: 3_500n, items: [item(1, 1)], adjustments };
    const made = happened.refundRequested({
      amountMinor: 3_500n,
      items: [kept(1, 1, 2_000n)],
      adjustments: [...adjustments],
    });
    when(past.capturedEcommerce, ask.refund(asked)).then(made);
    const more = { amountMinor: 1n, adjustments: [{ kind: 'other', amountMinor: 1n }] } as const;
    when(
      [...past.capturedEcommerce, made],
      ask.refund({ refundId: idOf('refund', 2), ...more }),
    ).thenRejected({
      type: 'RefundAdjustmentExceedsOrder',
      requestedMinor: 1n,
      remainingMinor: 0n,
      currency: 'GBP',
    });
    when(
      [...past.capturedEcommerce, made, happened.refundFailed()],
      ask.refund({ ...asked, refundId: idOf('refund', 2) }),
    ).then({ ...made, refundId: idOf('refund', 2) } as Event);
  });

  it('leave to adjustments what older refunds did not take beyond the lines', () => {
    const older = giving(5_000n, [kept(1, 2, 5_000n)]);
    const shipping = (amountMinor: bigint) =>
      ask.refund({
        refundId: idOf('refund', 2),
        amountMinor,
        adjustments: [{ kind: 'shipping', amountMinor }],
      });
    const state = given(Transaction, [...past.capturedEcommerce, older]);
    state.when(shipping(501n)).thenRejected({
      type: 'RefundAdjustmentExceedsOrder',
      requestedMinor: 501n,
      remainingMinor: 500n,
      currency: 'GBP',
    });
  });

  it('are all that is left when the whole is given back without a list', () => {
    const all = [kept(1, 2, 4_000n), kept(2, 3, 4_500n)].map((each) => ({
      ...each,
      restock: false,
    }));
    const adjustments = [{ kind: 'other' as const, amountMinor: 1_500n }];
    when(past.capturedEcommerce, ask.refund()).then(
      happened.refundRequested({ amountMinor: 10_000n, items: all, adjustments }),
    );
  });

  it('share a whole that is less than the lines', () => {
    const part = happened.captured({ amountMinor: 1_701n });
    const back = (variant: number, quantity: number, amountMinor: bigint) => ({
      ...kept(variant, quantity, amountMinor),
      restock: false,
    });
    when([happened.submitted(ecommerceOrder), happened.attempted(), part], ask.refund()).then(
      giving(1_701n, [back(1, 2, 800n), back(2, 3, 901n)]),
    );
  });

  it('have no share in the whole when they cost nothing', () => {
    const wholeOf = (items: readonly Transaction.LineItem[], other: bigint, ...expected: Items) => {
      const sold = { ...ecommerceOrder, items: [...items] };
      const adjustments = [{ kind: 'other' as const, amountMinor: other }];
      when(
        [happened.submitted(sold), happened.attempted(), happened.captured()],
        ask.refund(),
      ).then(happened.refundRequested({ amountMinor: 10_000n, items: expected, adjustments }));
    };
    const back = (storefrontVariantId: number, quantity: number, amountMinor: bigint) => ({
      ...kept(storefrontVariantId, quantity, amountMinor),
      restock: false,
    });
    const gift = lineItem(1, 1, 0n);
    wholeOf([gift, lineItem(2, 3, 1_500n)], 5_500n, back(1, 1, 0n), back(2, 3, 4_500n));
    wholeOf([gift, lineItem(2, 3, 0n)], 10_000n, back(1, 1, 0n), back(2, 3, 0n));
  });

  it('leave only the others for the rest', () => {
    const first = giving(3_500n, [kept(1, 1, 2_000n), kept(2, 1, 1_500n)]);
    const rest = [kept(1, 1, 2_000n), kept(2, 2, 3_000n)].map((each) => ({
      ...each,
      restock: false,
    }));
    when(
      [...past.capturedEcommerce, first, happened.refunded({ amountMinor: 3_500n })],
      ask.refund({ refundId: idOf('refund', 2) }),
    ).then(
      happened.refundRequested({
        refundId: idOf('refund', 2),
        amountMinor: 6_500n,
        items: rest,
        adjustments: [{ kind: 'other', amountMinor: 1_500n }],
      }),
    );
  });

  it('may list the whole as well', () =>
    when(
      past.capturedEcommerce,
      ask.refund({
        items: [item(1, 2), item(2, 3)],
        adjustments: [{ kind: 'shipping', amountMinor: 1_500n }],
      }),
    ).then(
      happened.refundRequested({
        amountMinor: 10_000n,
        items: [kept(1, 2, 4_000n), kept(2, 3, 4_500n)],
        adjustments: [{ kind: 'shipping', amountMinor: 1_500n }],
      }),
    ));

  it('count what is on its way, and are free again when it fails', () => {
    const pending = [...past.capturedEcommerce, giving(4_000n, [kept(1, 2, 4_000n)])];
    const again = ask.refund({
      refundId: idOf('refund', 2),
      amountMinor: 2_000n,
      items: [item(1, 1)],
    });
    when(pending, again).thenRejected({
      type: 'RefundQuantityExceeded',
      storefrontVariantId: 1,
      requested: 1,
      remaining: 0,
    });
    when([...pending, happened.refundFailed()], again).then(
      happened.refundRequested({
        refundId: idOf('refund', 2),
        amountMinor: 2_000n,
        items: [kept(1, 1, 2_000n)],
      }),
    );
  });

  it('may contain a variant twice that is in two lines of the cart', () => {
    const twice = { ...ecommerceOrder, items: [lineItem(1, 1, 100n), lineItem(1, 2, 50n)] };
    const captured = [happened.submitted(twice), happened.attempted(), happened.captured()];
    when(captured, ask.refund({ amountMinor: 200n, items: [item(1, 1), item(1, 2, 133n)] })).then(
      giving(200n, [kept(1, 1, 67n), kept(1, 2, 133n)]),
    );
  });

  it('keep the whole refund possible when all goods went back and shipping is left', () => {
    const goods = giving(8_500n, [kept(1, 2, 4_000n), kept(2, 3, 4_500n)]);
    when(
      [...past.capturedEcommerce, goods, happened.refunded({ amountMinor: 8_500n })],
      ask.refund({ refundId: idOf('refund', 2) }),
    ).then(
      happened.refundRequested({
        refundId: idOf('refund', 2),
        amountMinor: 1_500n,
        adjustments: [{ kind: 'other', amountMinor: 1_500n }],
      }),
    );
  });

  it('cost their price less discounts, never below nothing', () => {
    const line = { ...lineItem(1, 3, 100n), discountMinor: 50n, customDiscountMinor: 25n };
    expect(Transaction.lineTotalMinor(line)).toBe(225n);
    expect(Transaction.lineTotalMinor({ ...line, discountMinor: 500n })).toBe(0n);
  });
});

describe('network credit (RDR)', () => {
  it.each([
    ['captured', past.captured],
    ['settled', past.settled],
  ])('of a %s payment is recorded as paid, without asking the gateway', (_, before) =>
    when(before, ask.recordNetworkRefund({ amountMinor: 4_000n })).then(
      happened.networkRefunded({ amountMinor: 4_000n }),
    ),
  );

  it('is bound by the money-out rule but not by the window', () => {
    const at = '2030-01-01T00:00:00.000Z';
    when(past.captured, ask.recordNetworkRefund({ at })).then(happened.networkRefunded({ at }));
    when([...past.captured, requested(1n)], ask.recordNetworkRefund()).thenRejected({
      type: 'RefundExceedsRemaining',
      requestedMinor: 10_000n,
      remainingMinor: 9_999n,
      currency: 'GBP',
    });
  });

  it('is no news the second time', () =>
    when([...past.captured, happened.networkRefunded()], ask.recordNetworkRefund()).thenNothing());

  it('sets hasAlert, not chargedBack', () => {
    const payment = paymentOf([...past.captured, happened.networkRefunded()]);
    expect(Transaction.hasAlert(payment)).toBe(true);
    expect(Transaction.isChargedBack(payment)).toBe(false);
    expect(Transaction.isRefunded(payment)).toBe(true);
  });
});

describe('flags', () => {
  const flags = (events: readonly Event[], now = NOW) => {
    const payment = paymentOf(events);
    return [
      Transaction.isRefundable(payment, policy, now),
      Transaction.isRefunded(payment),
      Transaction.hasAlert(payment),
      Transaction.isChargedBack(payment),
    ];
  };
  const opened = happened.chargebackOpened();
  const review = happened.chargebackMoved('ChargebackUnderReview');

  it.each([
    ['before the capture', past.authorized, [false, false, false, false]],
    ['captured', past.captured, [true, false, false, false]],
    ['settled', past.settled, [true, false, false, false]],
    ['with a part on its way', [...past.captured, requested(6_000n)], [true, false, false, false]],
    ['with all on its way', [...past.captured, requested(10_000n)], [false, false, false, false]],
    ['partly refunded', [...past.captured, ...refunded(6_000n)], [true, false, false, false]],
    ['refunded', [...past.captured, ...refunded(10_000n)], [false, true, false, false]],
    [
      'refunded in two parts',
      [...past.captured, ...refunded(6_000n), ...refunded(4_000n, 2)],
      [false, true, false, false],
    ],
    [
      'after a failed refund',
      [...past.captured, requested(10_000n), happened.refundFailed()],
      [true, false, false, false],
    ],
    [
      'voided',
      [...past.captured, happened.voidRequested(), happened.voided()],
      [false, false, false, false],
    ],
    ['with an alert', [...past.captured, happened.alertReceived()], [true, false, true, false]],
    ['charged back', [...past.captured, opened], [false, false, false, true]],
    ['under review', [...past.captured, opened, review], [false, false, false, true]],
    [
      'with the chargeback won',
      [...past.captured, opened, review, happened.chargebackReversed('ChargebackWon')],
      [true, false, false, true],
    ],
    [
      'with the chargeback lost',
      [...past.captured, opened, happened.chargebackMoved('ChargebackLost')],
      [false, false, false, true],
    ],
    [
      'with the chargeback accepted',
      [...past.captured, opened, happened.chargebackMoved('ChargebackAccepted')],
      [false, false, false, true],
    ],
    [
      'with the chargeback withdrawn',
      [...past.captured, opened, happened.chargebackReversed('ChargebackWithdrawn')],
      [true, false, false, true],
    ],
  ] as const)('%s', (_, events, expected) => {
    expect(flags(events)).toEqual(expected);
  });

  it('end with the window', () => {
    expect(flags(past.captured, '2027-01-01T00:00:00.000Z')[0]).toBe(false);
  });
});
