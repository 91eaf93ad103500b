/** Balance transactions and payouts: every cent of a payout is one of its transactions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startStripeServer } from './index.ts';
import { clientOf, refusalOf, serverOfTest } from './stripe-clients.ts';

const DAY_MS = 86_400_000;

async function start() {
  const server = await serverOfTest();
  const stripe = clientOf(server);
  const pay = async (amount: number, token = 'pm_card_bypassPending', currency = 'usd') =>
    (
      await stripe.paymentIntents.create({
        amount,
        currency,
        payment_method: token,
        allowed_payment_method_types: ['card'],
        confirm: true,
      })
    ).id;
  const linesOf = async (payout: string) => {
    const lines = [];
    for await (const line of stripe.balanceTransactions.list({ payout, limit: 100 })) {
      lines.push(line);
    }
    return lines;
  };
  return { server, stripe, pay, linesOf };
}

describe('a balance transaction', () => {
  it('of a charge has its fee, and is available after two days', async () => {
    const { server, stripe, pay } = await start();
    const intent = await stripe.paymentIntents.retrieve(await pay(10_000, 'pm_card_visa'), {
      expand: ['latest_charge.balance_transaction'],
    });
    expect(intent.latest_charge).toMatchObject({
      balance_transaction: { amount: 10_000, fee: 320, net: 9_680, status: 'pending' },
    });
    server.advance(2 * DAY_MS);
    const [transaction] = (await stripe.balanceTransactions.list({ type: 'charge' })).data;
    expect(transaction?.status).toBe('available');
  });

  it('is found by its source', async () => {
    const { stripe, pay } = await start();
    const refund = await stripe.refunds.create({ payment_intent: await pay(1_000), amount: 400 });
    const { data } = await stripe.balanceTransactions.list({ source: refund.id });
    expect(data).toMatchObject([{ type: 'refund', amount: -400, fee: 0 }]);
    const one = await stripe.balanceTransactions.retrieve(String(data[0]?.id));
    expect(one.source).toBe(refund.id);
  });
});

describe('a payout', () => {
  it('lists what it is made of, itself among it', async () => {
    const { server, stripe, pay, linesOf } = await start();
    const first = await pay(10_000);
    await pay(5_000);
    await pay(3_000, 'pm_card_bypassPending', 'eur');
    await stripe.refunds.create({ payment_intent: first, amount: 2_500 });
    server.createDispute({ of: first, amount: 1_000 });
    server.chargeFee({ amount: 200, currency: 'usd', description: 'Radar' });
    const id = String(server.createPayout({ currency: 'usd' }));
    const payout = await stripe.payouts.retrieve(id);
    const lines = await linesOf(id);
    expect(lines.map(({ reporting_category: category }) => category).toSorted()).toEqual([
      'charge',
      'charge',
      'dispute',
      'fee',
      'payout',
      'refund',
    ]);
    const without = lines.filter(({ type }) => type !== 'payout');
    expect(without.reduce((total, { net }) => total + net, 0)).toBe(payout.amount);
    expect(lines.reduce((total, { net }) => total + net, 0)).toBe(0);
  });

  it('leaves what is pending for the next one', async () => {
    const { server, pay } = await start();
    await pay(10_000, 'pm_card_visa');
    expect(server.createPayout({ currency: 'usd' })).toBeUndefined();
    server.advance(2 * DAY_MS);
    expect(server.createPayout({ currency: 'usd' })).toMatch(/^po_/);
    expect(server.createPayout({ currency: 'usd' })).toBeUndefined();
  });

  it('arrives, or comes back', async () => {
    const { server, stripe, pay } = await start();
    await pay(1_000);
    const paid = String(server.createPayout({ currency: 'usd' }));
    server.advance(2 * DAY_MS);
    expect((await stripe.payouts.list({ status: 'paid' })).data[0]?.id).toBe(paid);
    await pay(1_000);
    const failed = String(server.createPayout({ currency: 'usd' }));
    server.failPayout(failed);
    expect((await stripe.payouts.retrieve(failed)).failure_code).toBe('account_closed');
    const [back] = (await stripe.balanceTransactions.list({ type: 'payout_failure' })).data;
    expect(back?.net).toBe((await stripe.payouts.retrieve(failed)).amount);
  });

  it('has no list until it is reconciled, a manual one never', async () => {
    const { server, pay, stripe, linesOf } = await start();
    await pay(1_000);
    const id = String(server.createPayout({ currency: 'usd', reconciled: false }));
    expect((await refusalOf(linesOf(id))).code).toBe('payout_reconciliation_not_ready');
    server.reconcilePayout(id);
    expect(await linesOf(id)).toHaveLength(2);
    await pay(1_000);
    const manual = String(server.createPayout({ currency: 'usd', automatic: false }));
    expect((await stripe.payouts.retrieve(manual)).reconciliation_status).toBe('not_applicable');
    expect((await refusalOf(linesOf(manual))).param).toBe('payout');
  });
});

it('what was taken and given back is what the balance says, whatever happens', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('pay' as const), amount: fc.integer({ min: 50, max: 9_999 }) }),
    fc.record({ kind: fc.constant('refund' as const), amount: fc.integer({ min: 1, max: 9_999 }) }),
    fc.record({ kind: fc.constant('fail' as const), amount: fc.nat({ max: 9 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const server = await startStripeServer();
      const stripe = clientOf(server);
      for (const { kind, amount } of steps) {
        const [last] = server.paymentIntents();
        if (kind === 'pay') {
          await stripe.paymentIntents.create({
            amount,
            currency: 'usd',
            payment_method: 'pm_card_visa',
            allowed_payment_method_types: ['card'],
            confirm: true,
          });
        } else if (kind === 'refund' && last !== undefined) {
          await stripe.refunds.create({ payment_intent: last.id, amount }).catch(() => undefined);
        } else if (kind === 'fail') {
          const refund = server.refunds()[amount];
          if (refund !== undefined) server.failRefund(refund.id);
        }
      }
      const moved = server.balanceTransactions().reduce((total, each) => total + each.amount, 0);
      expect(server.takenMinor('usd') - server.refundedMinor('usd')).toBe(BigInt(moved));
      for (const charge of server.charges()) {
        const given = server
          .refunds()
          .filter((refund) => refund.charge === charge.id && refund.status === 'succeeded')
          .reduce((total, { amount }) => total + amount, 0);
        expect(charge.amount_refunded).toBe(given);
        expect(charge.amount_refunded).toBeLessThanOrEqual(charge.amount_captured);
      }
      await server.close();
    }),
    { numRuns: 20 },
  );
});
