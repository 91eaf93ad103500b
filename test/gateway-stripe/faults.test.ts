/** Whatever fails at Stripe or on the way: in the end its books are those of the ledger, and nobody paid twice. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FaultPlan } from '../stripe-server/index.ts';
import { openClub } from './club.ts';
import { order } from './shop.ts';

const RUNS = 12;
/** Beyond the last time that the sweeper asks. */
const DAYS_TO_SETTLE = 7;

const MONEY_CALLS = [
  'POST /v1/payment_intents',
  'POST /v1/payment_intents/{intent}/capture',
  'POST /v1/payment_intents/{intent}/cancel',
  'POST /v1/refunds',
];
const FAULTS: readonly FaultPlan[] = [
  { kind: 'cut', when: 'before' },
  { kind: 'cut', when: 'after' },
  { kind: 'error', when: 'before', kept: false, status: 503 },
  { kind: 'error', when: 'after', status: 500 },
  { kind: 'error', when: 'after', kept: false, status: 504 },
  { kind: 'rateLimit' },
  { kind: 'lockTimeout' },
];
const CARDS = ['pm_card_visa', 'pm_card_mastercard', 'pm_card_visa_chargeDeclined'];

const percent = fc.integer({ min: 1, max: 100 });
const step = fc.record({
  act: fc.oneof(
    fc.record({
      type: fc.constant('pay' as const),
      gatewayToken: fc.constantFrom(...CARDS),
      capture: fc.boolean(),
    }),
    fc.record({ type: fc.constant('repeat' as const), which: fc.nat() }),
    fc.record({ type: fc.constant('capture' as const), which: fc.nat(), percent }),
    fc.record({ type: fc.constant('void' as const), which: fc.nat() }),
    fc.record({ type: fc.constant('refund' as const), which: fc.nat(), percent }),
    fc.record({ type: fc.constant('wait' as const), days: fc.constantFrom(0.01, 1.1) }),
  ),
  fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined }),
  on: fc.constantFrom(...MONEY_CALLS),
});
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

async function play(steps: readonly Step[]): Promise<void> {
  const { server, shop, advance, close } = await openClub();
  try {
    const orders: { readonly idempotencyKey: string }[] = [];
    const act = async ({ act }: Step): Promise<unknown> => {
      if (act.type === 'wait') return advance(act.days);
      if (act.type === 'pay') {
        const idempotencyKey = `order-${orders.length}`;
        const { gatewayToken, capture } = act;
        const placed = order(gatewayToken, { idempotencyKey, capture, amount: '10.00' });
        orders.push(placed as never);
        return shop.payments.submit(placed);
      }
      const placed = orders[act.which % Math.max(1, orders.length)];
      if (placed === undefined) return undefined;
      if (act.type === 'repeat') return shop.payments.submit(placed as never);
      const id = shop.payments.idOf(placed.idempotencyKey);
      if (act.type === 'void') return shop.payments.void(id);
      const amount = (act.percent / 10).toFixed(2);
      return shop.payments[act.type](id, { amount });
    };
    for (const each of steps) {
      if (each.fault !== undefined) server.fail({ ...each.fault, on: each.on });
      // A refusal is no failure of the books.
      await act(each).catch(() => undefined);
    }
    await advance(DAYS_TO_SETTLE);

    const { payments } = await shop.payments.list({ sandbox: true, limit: 100 });
    const open = payments.filter(({ status }) => ['Processing', 'Unknown'].includes(status));
    expect(open).toEqual([]);
    const sum = (amounts: readonly bigint[]) => amounts.reduce((all, each) => all + each, 0n);
    const captured = payments.map(({ payment }) => payment.capturedMinor);
    const refunds = payments.flatMap(({ payment }) => payment.refunds);
    expect(refunds.filter(({ status }) => status === 'RefundPending')).toEqual([]);
    const given = refunds.filter(({ status }) => status === 'Refunded');
    expect(server.takenMinor('gbp')).toBe(sum(captured));
    expect(server.refundedMinor('gbp')).toBe(sum(given.map(({ amountMinor }) => amountMinor)));
    const taken = server.paymentIntents().filter(({ amount_received: amount }) => amount > 0);
    const names = taken.map(({ metadata }) => metadata['counterfoil_payment']);
    expect(new Set(names).size).toBe(names.length);
  } finally {
    await close();
  }
}

it('ends with the books of Stripe', async () => {
  const steps = fc.array(step, { minLength: 3, maxLength: 14 });
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: RUNS });
});
