/** Settlement lines: what agrees with the books is booked once, whatever it is about. */
import { Transaction } from '@counterfoil/core';
import { given, paymentHistory } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask } from '../payment-commands.ts';
import { type Event, freeTerms, happened, idOf, past, route } from '../payment-story.ts';
import { whenOf } from '../when.ts';

const when = whenOf(Transaction);
const terms = { ...freeTerms, chargebackFeeMinor: 1_500n };
const costly = [happened.submitted(), happened.attempted(1, { ...route, terms })];
const fee = (account: Transaction.Fee['account'], amountMinor: bigint, currency = 'GBP') => ({
  account,
  amountMinor,
  currency,
});
const refunded = [
  ...past.captured,
  happened.refundRequested({ amountMinor: 60n }),
  happened.refunded({ amountMinor: 60n, gatewayTransactionId: 'refund-1', arn: 'arn-2' }),
];
const captured = [...past.authorized, happened.captured({ reserveMinor: 500n })];
const disputed = [...costly, happened.captured(), happened.chargebackOpened({ arn: 'arn-4' })];
const moved = (facts: Parameters<typeof happened.movementSettled>[0]) =>
  happened.movementSettled({ reference: 'line-1', id: null, ...facts });
const paid = (amountMinor: bigint) => ({
  ...happened.settled(amountMinor),
  reference: 'line-1',
});
const settling = (line: Partial<Transaction.SettlementLine>) => ask.settleLine(line);
const differing = (difference: Transaction.SettlementDifference) =>
  ({ type: 'SettlementDiffers', difference, id: null }) as const;

describe('a line', () => {
  it('of a capture pays out what is left after its fees in its currency, and its reserve', () => {
    const fees = [fee('fees:discount', 290n), fee('fees:gateway', 10n, 'USD')];
    const events = [...costly, happened.captured({ fees, reserveMinor: 500n })] as Event[];
    const line = settling({ feeMinor: 290n });
    when(events, line).then(paid(9_210n) as Event);
    // A part of the reserve that was released before was held back all the same.
    when([...events, happened.reserveReleased(100n)], line).then(paid(9_210n) as Event);
    when([...events, paid(9_210n) as Event], line).thenNothing();
  });

  it.each([
    ['its own id', { gatewayTransactionId: 'refund-1' }],
    ['its own arn', { gatewayTransactionId: '', arn: 'arn-2' }],
    ["the payment's id", { gatewayTransactionId: 'gateway-1' }],
  ])('of a refund takes it back, by %s', (_, named) =>
    when(refunded, settling({ kind: 'refund', amountMinor: 60n, ...named })).then(
      moved({ kind: 'refund', id: idOf('refund'), amountMinor: -60n }),
    ),
  );

  it('of another payment, or by no id, is about nothing', () => {
    const missing = differing({ type: 'missing' });
    when(refunded, settling({ gatewayTransactionId: 'other' })).thenRejected(missing);
    when(refunded, settling({ gatewayTransactionId: '', arn: '' })).thenRejected(missing);
    when(refunded, settling({ kind: 'chargeback' })).thenRejected(missing);
    when([...past.captured, happened.voided()], settling({})).thenRejected(missing);
  });

  it('of a chargeback takes it back with its fee, and its reversal pays it out again', () => {
    const named = { gatewayTransactionId: '', arn: 'arn-4' };
    const line = settling({ kind: 'chargeback', feeMinor: 1_500n, ...named });
    const opened = moved({ kind: 'chargeback', id: idOf('chargeback'), amountMinor: -11_500n });
    when(disputed, line).then(opened);
    const reversal = settling({ kind: 'reversal', reference: 'line-3', ...named });
    when([...disputed, opened], reversal).thenRejected(differing({ type: 'missing' }));
    const won = [...disputed, opened, happened.chargebackReversed('ChargebackWon')];
    when(won, reversal).then(
      moved({
        kind: 'reversal',
        id: idOf('chargeback'),
        amountMinor: 10_000n,
        reference: 'line-3',
      }),
    );
  });

  it('of a refund that came back pays it out again', () => {
    const taken = moved({ kind: 'refund', id: idOf('refund'), amountMinor: -60n });
    const back = { ...happened.refundReversed(), amountMinor: 60n } as Event;
    const line = settling({
      kind: 'reversal',
      amountMinor: 60n,
      reference: 'line-9',
      gatewayTransactionId: 'refund-1',
    });
    when([...refunded, taken], line).thenRejected(differing({ type: 'missing' }));
    const reversal = { kind: 'reversal', id: idOf('refund'), amountMinor: 60n } as const;
    when([...refunded, taken, back], line).then(moved({ ...reversal, reference: 'line-9' }));
    // The refund itself is still to be settled, however late its line comes.
    when(
      [...refunded, back],
      settling({ kind: 'refund', amountMinor: 60n, gatewayTransactionId: 'refund-1' }),
    ).then(taken);
  });

  it('of the reserve pays out what was released, in parts', () => {
    const part = settling({ kind: 'reserve', amountMinor: 200n });
    when(captured, part).thenRejected(differing({ type: 'missing' }));
    const released = [...captured, happened.reserveReleased(300n)];
    const first = moved({ kind: 'reserve', amountMinor: 200n });
    when(released, part).then(first);
    when([...released, first], part).thenNothing();
    const more = settling({ kind: 'reserve', reference: 'line-2', amountMinor: 200n });
    when([...released, first], more).thenRejected(
      differing({ type: 'amount', expectedMinor: 100n }),
    );
  });

  it('of a fee takes what no other line holds: of alerts, declines and other currencies', () => {
    const alert = happened.alertReceived({ fees: [fee('fees:cdrn', 20n)] });
    const capture = happened.captured({ fees: [fee('fees:gateway', 10n, 'USD')] });
    const events = [...costly, capture, alert];
    const pounds = settling({ kind: 'fee', amountMinor: 20n });
    when(events, pounds).then(moved({ kind: 'fee', amountMinor: -20n }));
    when(events, settling({ kind: 'fee', amountMinor: 10n, currency: 'USD' })).then(
      moved({ kind: 'fee', amountMinor: -10n, currency: 'USD' }),
    );
    const other = settling({ kind: 'fee', reference: 'line-2', amountMinor: 20n });
    when([...events, moved({ kind: 'fee', amountMinor: -20n })], other).thenRejected(
      differing({ type: 'missing' }),
    );
    // The fees of an authorization that was not captured have no capture to be settled with.
    const authorized = happened.authorized({ fees: [fee('fees:bank-auth', 5n)] });
    when([...costly, authorized], settling({ kind: 'fee', amountMinor: 5n })).then(
      moved({ kind: 'fee', amountMinor: -5n }),
    );
  });

  it('prefers, of two refunds of one payment, the open one that agrees', () => {
    const twice = [
      ...refunded,
      happened.refundRequested({ refundId: idOf('refund', 2), amountMinor: 40n }),
      happened.refunded({ refundId: idOf('refund', 2), amountMinor: 40n }),
    ];
    when(twice, settling({ kind: 'refund', amountMinor: 40n })).then(
      moved({ kind: 'refund', id: idOf('refund', 2), amountMinor: -40n }),
    );
  });
});

it('settles everything that is open once, with what the books owe', () => {
  fc.assert(
    fc.property(paymentHistory(), ({ events, state }) => {
      if (state === null) return;
      let payment = given(Transaction, events).state as Transaction.Payment;
      const open = Transaction.unsettledMovements(payment);
      for (const [index, movement] of open.entries()) {
        const { tenantId } = ask.settleLine();
        const line = { ...movement, reference: `new-${index}` };
        if (line.gatewayTransactionId === '' && line.arn === '') continue;
        const decided = Transaction.decide(payment, {
          type: 'SettleLine',
          tenantId,
          transactionId: payment.transactionId,
          line,
          at: payment.changedAt,
        });
        if (decided._tag === 'Left') throw new Error(JSON.stringify(decided.left, String));
        payment = decided.right.reduce(Transaction.evolve, payment) as Transaction.Payment;
      }
      const left = Transaction.unsettledMovements(payment).filter(
        ({ gatewayTransactionId, arn }) => gatewayTransactionId !== '' || arn !== '',
      );
      expect(left).toEqual([]);
    }),
  );
});
