/** Holds the report to its proof: a plan that misses, repeats or changes anything is refused. */
import {
  type ImportPlan,
  type LinePart,
  planImport,
  reconcile,
  renderReport,
} from '@counterfoil/demo';
import { describe, expect, it } from 'vitest';
import { line, read } from './sale-records.ts';

const records = await read(
  ...[
    '1 10001 6 @2.55 of 7, 1st 08:00',
    '2 10002 1 @1234.5 of -, 1st 09:00',
    'C3 10001 -7 @2.55 of 7, 2nd 08:00',
    'C4 10001 -1 @2.55 of -, 2nd 09:00',
  ].map(line),
);
const plan = planImport(records);

describe('the report', () => {
  it('has a group for every outcome', () => {
    expect(reconcile(records, plan)).toEqual({
      groups: [
        {
          group: 'imported',
          title: 'imported: items of orders',
          lines: 2,
          parts: 0,
          amountMinor: 124_980n,
        },
        {
          group: 'refunded',
          title: 'refunded: items of earlier orders',
          lines: 0,
          parts: 1,
          amountMinor: -1530n,
        },
        {
          group: 'no-customer',
          title: 'the cancellation names no customer: its sale cannot be found',
          lines: 1,
          parts: 0,
          amountMinor: -255n,
        },
        {
          group: 'more-than-sold',
          title: 'more cancelled than the earlier sales in this extract have left',
          lines: 0,
          parts: 1,
          amountMinor: -255n,
        },
      ],
      lines: 4,
      splitLines: 1,
      amountMinor: 122_940n,
      unreadableAmounts: 0,
      orders: { count: 2, guests: 1, amountMinor: 124_980n },
      refunds: { count: 1, cancellations: 1, amountMinor: 1530n },
      unread: [],
    });
  });

  it('can be read', () => {
    expect(`\n${renderReport(reconcile(records, plan))}`).toMatchInlineSnapshot(`
      "
      What became of the lines                                         lines  parts       GBP
      ---------------------------------------------------------------  -----  -----  --------
      imported: items of orders                                            2         1,249.80
      refunded: items of earlier orders                                    0      1    -15.30
      the cancellation names no customer: its sale cannot be found         1            -2.55
      more cancelled than the earlier sales in this extract have left      0      1     -2.55
      ---------------------------------------------------------------  -----  -----  --------
      total, equal to the file                                             3      2  1,229.40

      2 orders, 1 of them by guests: 1,249.80 GBP.
      1 refunds for 1 cancellations: 15.30 GBP, each at the price
      of the cancellation, as that is the money that went back; never more than the order has left.
      4 lines: 3 whole, 1 split into 2 parts.
      "
    `);
  });
});

describe('a plan does not add up that', () => {
  const alter = (change: (part: LinePart) => readonly LinePart[]): ImportPlan => ({
    ...plan,
    parts: plan.parts.flatMap(change),
  });
  const first = plan.parts[0]?.line;

  it.each<[string, ImportPlan]>([
    ['misses a line', alter((part) => (part.line === first ? [] : [part]))],
    ['repeats a line', alter((part) => (part.line === first ? [part, part] : [part]))],
    ['knows a line too many', { ...plan, parts: [...plan.parts, { ...blank(), line: 99 }] }],
    ['changes a penny', alter((part) => [{ ...part, amountMinor: part.amountMinor + 1n }])],
    ['changes a quantity', alter((part) => [{ ...part, quantity: part.quantity + 1 }])],
    ['forgets an order', { ...plan, steps: plan.steps.slice(1) }],
    ['forgets a refund', { ...plan, steps: plan.steps.slice(0, -1) }],
    [
      'refunds what it says it left out',
      alter((part) => [{ ...part, outcome: { kind: 'left-out', reason: 'no-customer' } }]),
    ],
  ])('%s', (_what, wrong) => {
    expect(() => reconcile(records, wrong)).toThrow(
      expect.objectContaining({ name: 'PlanDoesNotAddUp' }),
    );
  });

  function blank(): LinePart {
    return {
      line: 0,
      quantity: 0,
      amountMinor: 0n,
      outcome: { kind: 'left-out', reason: 'malformed' },
    };
  }
});
