/** However webhooks are doubled, reordered and lost: in the end the books are those of Stripe, cent by cent. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openClub } from './club.ts';
import { order } from './shop.ts';

const RUNS = 10;
/** Disputes without an answer are lost after nine, and alerts expire. */
const DAYS_TO_SETTLE = 12;

const which = fc.nat();
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('pay' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('refund' as const),
      which,
      percent: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('failRefund' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('dispute' as const),
      which,
      inquiry: fc.boolean(),
    }),
  },
  fc.record({ type: fc.constant('escalate' as const), which }),
  fc.record({ type: fc.constant('win' as const), which }),
  fc.record({ type: fc.constant('lose' as const), which }),
  fc.record({ type: fc.constant('warn' as const), which }),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('deliver' as const),
      order: fc.constantFrom('oldestFirst' as const, 'newestFirst' as const),
      times: fc.integer({ min: 1, max: 2 }),
      fails: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('drop' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('wait' as const),
      days: fc.constantFrom(0.01, 1.1),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

async function play(steps: readonly Step[]): Promise<void> {
  const { server, shop, advance, close } = await openClub({ listens: true });
  try {
    const paid: { readonly id: string; readonly intent: string }[] = [];
    const disputes = new Map<string, string>();
    const chosen = <Each>(list: readonly Each[], index: number) => list[index % list.length];
    const act = async (each: Step): Promise<unknown> => {
      if (each.type === 'wait') return advance(each.days);
      if (each.type === 'drop') return server.dropWebhooks();
      if (each.type === 'deliver') {
        const on = 'GET /v1/disputes/{dispute}';
        if (each.fails)
          server.fail({ kind: 'error', when: 'before', kept: false, status: 503, on });
        return server.deliverWebhooks({ order: each.order, times: each.times });
      }
      if (each.type === 'pay') {
        const idempotencyKey = `order-${paid.length}`;
        const made = await shop.payments.submit(
          order('pm_card_visa', { idempotencyKey, amount: '10.00' }),
        );
        return paid.push({ id: made.id, intent: made.payment.gatewayTransactionId });
      }
      const payment = chosen(paid, each.which);
      if (payment === undefined) return undefined;
      const dispute = disputes.get(payment.id);
      switch (each.type) {
        case 'refund':
          return shop.payments.refund(payment.id, { amount: (each.percent / 10).toFixed(2) });
        case 'failRefund': {
          const { refunds } = (await shop.payments.get(payment.id)).payment;
          return server.failRefund(chosen(refunds, each.which)?.gatewayTransactionId ?? '');
        }
        case 'warn':
          return server.createEarlyFraudWarning(payment.intent);
        case 'dispute':
          if (dispute !== undefined) return undefined;
          return disputes.set(
            payment.id,
            server.createDispute({ of: payment.intent, inquiry: each.inquiry }),
          );
        case 'escalate':
          return server.escalateDispute(dispute ?? '');
        case 'win':
          return server.winDispute(dispute ?? '');
        case 'lose':
          return server.loseDispute(dispute ?? '');
        default:
          return each satisfies never;
      }
    };
    for (const each of steps) {
      // What the bank or the ledger refuses is no failure of the books.
      await act(each).catch(() => undefined);
    }
    server.dropWebhooks();
    await advance(DAYS_TO_SETTLE);

    const sum = (amounts: readonly number[]) => amounts.reduce((all, each) => all + each, 0);
    const moved = server.balanceTransactions().filter(({ currency }) => currency === 'gbp');
    const movedBy = (...categories: readonly string[]) =>
      sum(
        moved
          .filter(({ reporting_category: category }) => categories.includes(category))
          .map(({ amount }) => amount),
      ) / 100;
    const { currencies, balanced } = await shop.books.trialBalance({ sandbox: true });
    expect(balanced).toBe(true);
    const booked = (name: string) =>
      Number(currencies[0]?.accounts.find(({ account }) => account === name)?.balance ?? 0);
    expect(-booked('sales')).toBeCloseTo(movedBy('charge'), 5);
    expect(booked('refunds')).toBeCloseTo(-movedBy('refund', 'refund_failure'), 5);
    expect(booked('chargebacks')).toBeCloseTo(-movedBy('dispute', 'dispute_reversal'), 5);
  } finally {
    await close();
  }
}

it('ends with the books of Stripe', async () => {
  const steps = fc.array(step, { minLength: 8, maxLength: 32 });
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: RUNS });
});
