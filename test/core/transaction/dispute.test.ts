/** Chargebacks and alerts: recorded once, moved along their ways, and never paid twice by us. */
import { Transaction } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import { ask } from '../payment-commands.ts';
import {
  books,
  type Event,
  freeTerms,
  happened,
  idOf,
  NOW,
  past,
  route,
} from '../payment-story.ts';
import { whenOf } from '../when.ts';

const when = whenOf(Transaction);

const terms: Transaction.Terms = {
  ...freeTerms,
  feeCurrency: 'USD',
  chargebackFeeMinor: 1_500n,
  alertProviderFeeMinor: 10n,
  cdrnFeeMinor: 20n,
  rdrFeeMinor: 30n,
};
const dear = [
  happened.submitted(),
  happened.attempted(1, { ...route, terms }),
  happened.captured(),
];
const opened = [...past.captured, happened.chargebackOpened()];
const paymentOf = (events: readonly Event[]) =>
  given(Transaction, events).state as Transaction.Payment;

describe('chargeback', () => {
  it('takes the money and costs its fee', () =>
    when(dear, ask.openChargeback()).then(
      happened.chargebackOpened({
        fees: [{ account: 'fees:chargeback', amountMinor: 1_500n, currency: 'USD' }],
      }),
    ));

  it('is recorded on top of a refund, with what was given back twice', () => {
    const refunding = [...past.captured, happened.refundRequested({ amountMinor: 6_000n })];
    const refunded = [...refunding, happened.refunded({ amountMinor: 6_000n })];
    const credited = [...past.captured, happened.networkRefunded({ amountMinor: 6_000n })];
    for (const before of [refunding, refunded, credited]) {
      when(before, ask.openChargeback()).then(
        happened.chargebackOpened({ beyondCapturedMinor: 6_000n }),
      );
      when(before, ask.openChargeback({ amountMinor: 4_000n })).then(
        happened.chargebackOpened({ amountMinor: 4_000n, beyondCapturedMinor: 0n }),
      );
      const opened = happened.chargebackOpened({ beyondCapturedMinor: 6_000n });
      const [chargeback] = paymentOf([...before, opened]).chargebacks;
      expect(chargeback).toMatchObject({ refundedBeforeMinor: 6_000n });
      expect(chargeback && Transaction.exceedsCaptured(chargeback)).toBe(true);
    }
    const failed = [happened.refundRequested(), happened.refundFailed()];
    const [alone] = paymentOf([
      ...past.captured,
      ...failed,
      happened.chargebackOpened(),
    ]).chargebacks;
    expect(alone).toMatchObject({ refundedBeforeMinor: 0n });
    expect(alone && Transaction.exceedsCaptured(alone)).toBe(false);
  });

  it('may be larger than the capture, and may come again under another reference', () => {
    when(past.settled, ask.openChargeback({ amountMinor: 12_000n })).then(
      happened.chargebackOpened({ amountMinor: 12_000n, beyondCapturedMinor: 2_000n }),
    );
    const second = { chargebackId: idOf('chargeback', 2), reference: 'case-2' };
    when(opened, ask.openChargeback(second)).then(
      happened.chargebackOpened({ ...second, beyondCapturedMinor: 10_000n }),
    );
  });

  it('is opened once for a reference, whatever id the second delivery has', () =>
    when(opened, ask.openChargeback({ chargebackId: idOf('chargeback', 2) })).thenNothing());

  it.each(['ChargebackUnderReview', 'ChargebackLost', 'ChargebackAccepted'] as const)(
    'moves to %s',
    (to) => {
      when(opened, ask.moveChargeback(to)).then(happened.chargebackMoved(to));
      when([...opened, happened.chargebackMoved(to)], ask.moveChargeback(to)).thenNothing();
    },
  );

  it('gives the money back when it is withdrawn, or won after a review', () => {
    when(opened, ask.moveChargeback('ChargebackWithdrawn')).then(
      happened.chargebackReversed('ChargebackWithdrawn'),
    );
    when(
      [...opened, happened.chargebackMoved('ChargebackUnderReview')],
      ask.moveChargeback('ChargebackWon'),
    ).then(happened.chargebackReversed('ChargebackWon'));
  });

  it('frees what it held once it is over, and only then', () => {
    expect(Transaction.remainingMinor(paymentOf(opened))).toBe(0n);
    const withdrawn = [...opened, happened.chargebackReversed('ChargebackWithdrawn')];
    expect(Transaction.remainingMinor(paymentOf(withdrawn))).toBe(10_000n);
  });

  it('leaves nothing, and not less than nothing, when it comes on top of a refund', () => {
    const twice = [
      ...past.captured,
      happened.refundRequested({ amountMinor: 6_000n }),
      happened.refunded({ amountMinor: 6_000n }),
      happened.chargebackOpened({ beyondCapturedMinor: 6_000n }),
    ];
    expect(Transaction.remainingMinor(paymentOf(twice))).toBe(0n);
  });

  it('keeps back what was asked for before, of whatever amount it is', () => {
    const asked = [...past.captured, happened.refundRequested({ amountMinor: 6_000n })];
    expect(Transaction.mayStillLeave(paymentOf(asked))).toBe(true);
    const disputed = [...asked, happened.chargebackOpened({ amountMinor: 100n })];
    expect(Transaction.mayStillLeave(paymentOf(disputed))).toBe(false);
    const credited = [...asked, happened.networkRefunded({ amountMinor: 6_000n })];
    expect(Transaction.mayStillLeave(paymentOf(credited))).toBe(false);
  });

  it('comes back to a won one without effect', () => {
    const won = [
      ...opened,
      happened.chargebackMoved('ChargebackUnderReview'),
      happened.chargebackReversed('ChargebackWon'),
    ];
    when(won, ask.moveChargeback('ChargebackLost')).thenRejected({
      type: 'WrongStatus',
      status: 'ChargebackWon',
      command: 'MoveChargeback',
    });
    when(won, ask.openChargeback()).thenNothing();
  });
});

describe('alert', () => {
  const fee = (account: Transaction.Fee['account'], amountMinor: bigint) => [
    { account, amountMinor, currency: 'USD' },
  ];

  it.each([
    ['AlertProvider', '2026-01-11T12:00:00.000Z', fee('fees:alert', 10n)],
    ['CDRN', '2026-01-13T12:00:00.000Z', fee('fees:cdrn', 20n)],
    ['RDR', null, fee('fees:rdr', 30n)],
    ['OrderInquiry', null, []],
    ['Acquirer', null, []],
    ['Manual', null, []],
  ] as const)('of %s must be answered by %s', (source, deadline, fees) =>
    when(dear, ask.receiveAlert({ source })).then(
      happened.alertReceived({ source, deadline, fees: [...fees] }),
    ),
  );

  it('costs a case of RDR once, whether its alert or its credit comes first', () => {
    const [rdr] = fee('fees:rdr', 30n) as [Transaction.Fee];
    const asked = ask.receiveAlert({ source: 'RDR' });
    const alert = happened.alertReceived({ source: 'RDR', deadline: null, fees: [rdr] });
    const credit = happened.networkRefunded({ fees: [rdr] });
    when(dear, ask.recordNetworkRefund()).then(credit);
    when([...dear, credit], asked).then({ ...alert, fees: [] } as Event);
    when([...dear, alert], ask.recordNetworkRefund()).then({ ...credit, fees: [] } as Event);
    const second = ask.recordNetworkRefund({ refundId: idOf('refund', 8), amountMinor: 1n });
    const first = happened.networkRefunded({ amountMinor: 9_999n, fees: [] });
    when([...dear, alert, first], second).then(
      happened.networkRefunded({ refundId: idOf('refund', 8), amountMinor: 1n, fees: [rdr] }),
    );
  });

  it('comes once for a reference', () =>
    when(
      [...past.captured, happened.alertReceived()],
      ask.receiveAlert({ alertId: idOf('alert', 2) }),
    ).thenNothing());

  it.each(['AlertResolved', 'AlertDeclined', 'AlertExpired'] as const)(
    'ends in %s, and its first final outcome wins',
    (to) => {
      const received = [...past.captured, happened.alertReceived()];
      when(received, ask.moveAlert(to)).then(happened.alertMoved(to));
      const over = given(Transaction, [...received, happened.alertMoved(to)]);
      over.when(ask.moveAlert(to)).thenNothing();
      for (const other of ['AlertResolved', 'AlertDeclined', 'AlertExpired'] as const) {
        if (other === to) continue;
        over
          .when(ask.moveAlert(other))
          .thenRejected({ type: 'WrongStatus', status: to, command: 'MoveAlert' });
      }
    },
  );

  it('does not prevent refunds', () =>
    when([...past.captured, happened.alertReceived()], ask.refund({ source: 'CDRN' })).then(
      happened.refundRequested({ source: 'CDRN' }),
    ));

  it('is tied to the credit that the network gave for it', () => {
    const credited = paymentOf([
      ...past.captured,
      happened.alertReceived({ source: 'RDR', deadline: null }),
      happened.networkRefunded({ alertId: idOf('alert') }),
    ]);
    expect(credited.refunds).toMatchObject([
      { source: 'RDR', status: 'Refunded', alertId: idOf('alert'), completedAt: NOW },
    ]);
    expect(credited.alerts).toMatchObject([{ status: 'AlertOpen', completedAt: null }]);
  });
});

it('charges the books of the account that took the payment', () => {
  const elsewhere = [
    ...past.processing,
    happened.softDeclined(),
    happened.attempted(2, { ...route, merchantAccountId: 32 }),
    happened.captured({ merchantAccountId: 32 }),
  ];
  const chargeback = happened.chargebackOpened({ ...books, merchantAccountId: 32 });
  when(elsewhere, ask.openChargeback()).then(chargeback);
});
