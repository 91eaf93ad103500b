/** What is published for tests is tested as well: given/when/then can fail, and arbitraries can be replayed. */
import {
  catalog,
  fold,
  Sequence,
  Subscription,
  type TenantId,
  Transaction,
  toMinor,
} from '@counterfoil/core';
import {
  arbitraries,
  commandFor,
  given,
  paymentHistory,
  subscriptionHistory,
} from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tenantId } from './payment-story.ts';

const at = '2026-01-01T00:00:00.000Z';
const reserve = (size: number): Sequence.Command => ({
  type: 'ReserveBlock',
  tenantId: 7 as TenantId,
  sequence: 'order',
  size,
  at,
});
const block: Sequence.Event = {
  type: 'BlockReserved',
  from: Sequence.FIRST_ALLOCATED_ID,
  to: Sequence.FIRST_ALLOCATED_ID + 9,
  at,
};
const tooSmall = { type: 'BlockSizeOutOfRange', size: 0, max: 10_000 } as const;

describe('given, when, then', () => {
  const accepted = given(Sequence).when(reserve(10));
  const rejected = given(Sequence).when(reserve(0));
  const deciding = (...events: readonly Sequence.Event[]): typeof Sequence => ({
    ...Sequence,
    decide: () => ({ _tag: 'Right', right: events }),
  });
  const silent = given(deciding()).when(reserve(1));

  it('accepts exactly what was decided', () => {
    accepted.then(block);
    rejected.thenRejected(tooSmall);
    silent.thenNothing();
    silent.then();
  });

  it.each([
    ['other events', () => accepted.then({ ...block, to: 1 })],
    ['too many events', () => accepted.then(block, block)],
    ['too few events', () => accepted.then()],
    ['nothing', () => accepted.thenNothing()],
    ['a rejection', () => accepted.thenRejected(tooSmall)],
    ['another rejection', () => rejected.thenRejected({ ...tooSmall, size: 1 })],
    ['events of a refusal', () => rejected.then(block)],
    ['nothing of a refusal', () => rejected.thenNothing()],
    ['events of silence', () => silent.then(block)],
    ['a rejection of silence', () => silent.thenRejected(tooSmall)],
  ])('fails for %s', (_, judge) => {
    expect(judge).toThrow();
  });

  it('shows the state that the past makes', () => {
    expect(given(Sequence, [block]).state).toEqual({ next: block.to + 1 });
  });

  it('fails for events that could not be stored', () => {
    expect(() => given(deciding({ ...block, at: 'noon' })).when(reserve(1))).toThrow();
    const stranger = { ...block, type: 'Stranger' } as unknown as Sequence.Event;
    expect(() => given(deciding(stranger)).when(reserve(1))).toThrow('Stranger');
  });
});

describe('arbitraries', () => {
  it.each([
    ['events', arbitraries.event()],
    ['lives', paymentHistory()],
    ['subscriptions', subscriptionHistory()],
    ['command ids', arbitraries.commandId()],
  ])('draw the same %s from the same seed', (_, arbitrary) => {
    const draw = (seed: number) => fc.sample<unknown>(arbitrary, { seed, numRuns: 5 });
    expect(draw(42)).toEqual(draw(42));
    expect(draw(42)).not.toEqual(draw(43));
  });

  it('draw what the schemas accept', () => {
    fc.assert(
      fc.property(arbitraries.order(), arbitraries.route(), (order, route) => {
        expect(Transaction.Order.encode(order)).toBeDefined();
        expect(Transaction.Route.encode(route)).toBeDefined();
        expect(toMinor('0', order.currency)).toMatchObject({ _tag: 'Right' });
      }),
    );
    for (const type of catalog.keys())
      expect(fc.sample(arbitraries.eventOf(type), 1)[0]?.type).toBe(type);
  });

  it('refuse a type that the catalog has not', () => {
    expect(() => arbitraries.eventOf('Unheard')).toThrow('Unheard');
  });

  it('draw commands of which many are accepted and some refused', () => {
    const lives = fc.sample(paymentHistory(), { seed: 7, numRuns: 100 });
    const steps = lives.flatMap((life) => life.steps);
    const refused = steps.filter(({ rejection }) => rejection !== undefined).length;
    expect(refused / steps.length).toBeGreaterThan(0.1);
    expect(refused / steps.length).toBeLessThan(0.6);
    const payment = lives.find(({ state }) => state !== null)?.state as Transaction.Payment;
    for (const command of fc.sample(commandFor(payment, tenantId), { seed: 7, numRuns: 20 })) {
      expect(command.transactionId).toBe(payment.transactionId);
    }
  });

  it('draw subscriptions to which everything happens that can', () => {
    const lives = fc.sample(subscriptionHistory(), { seed: 7, numRuns: 300 });
    const steps = lives.flatMap((life) => life.steps);
    const refused = steps.filter(({ rejection }) => rejection !== undefined).length;
    expect(refused / steps.length).toBeGreaterThan(0.1);
    expect(refused / steps.length).toBeLessThan(0.6);
    const events = lives.flatMap((life) => life.events);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(Object.keys(Subscription.events)),
    );
    const frozen = events.filter(({ type }) => type === 'SubscriptionFrozen');
    expect(new Set(frozen.map((event) => 'reason' in event && event.reason)).size).toBe(5);
    for (const { events, state } of lives) expect(fold(Subscription, events)).toEqual(state);
  });
});
