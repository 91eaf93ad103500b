/** A subscription from its order to its end: when it starts, what it is charged, what changes it. */
import { Subscription } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import {
  ask,
  card,
  day,
  happened,
  orderPaid,
  otherCard,
  past,
  plan,
  renewedCard,
  START,
  stateAfter,
  subscriptionId,
  tryId,
  when,
} from './story.ts';

const third = { cycle: 3, attempt: 1, transactionId: tryId(3) };

describe('starting', () => {
  it('counts the order as the first cycle, and charges the next after the frequency', () => {
    when([], ask.start()).then(happened.started());
    expect(stateAfter(past.started)).toStrictEqual({
      subscriptionId,
      sandbox: false,
      currency: 'GBP',
      customerId: 601,
      email: 'ada@example.com',
      orderId: 501,
      transactionId: orderPaid,
      companyId: 11,
      merchantAccountId: 31,
      ...plan,
      card,
      realStartAt: START,
      startedAt: START,
      anchorCycle: 2,
      anchorAt: day(30),
      anchorDay: 1,
      unsubscribedAt: null,
      unsubscribeReason: null,
      frozenAt: null,
      freezeReason: null,
      cycle: 2,
      attempt: 0,
      totalAttempt: 1,
      rebillAt: day(30),
      firstFailedAt: null,
      declines: 0,
      pending: null,
      failedAt: [],
      cardChangedAt: null,
      formerCards: [],
      renewals: 0,
      changedAt: START,
    });
  });

  it('really starts after the trial, and is charged then', () => {
    const trial = { ...plan, trialDays: 14 };
    const started = happened.started({ trialDays: 14, realStartAt: day(14), rebillAt: day(14) });
    when([], ask.start({ plan: trial })).then(started);
    expect(stateAfter([started])).toMatchObject({ anchorCycle: 2, anchorAt: day(14) });
  });

  it('happens once for a payment', () => {
    when(past.started, ask.start()).thenNothing();
    when(past.ended, ask.start({ at: day(9) })).thenNothing();
  });

  it('takes an amount of one minor unit', () => {
    const least = { ...plan, rebillAmountMinor: 1n };
    when([], ask.start({ plan: least })).then(happened.started({ rebillAmountMinor: 1n }));
  });

  it('says which command begins a stream, and which stream it is', () => {
    expect(Subscription.begins(ask.start())).toBe(true);
    expect(Subscription.begins(ask.begin())).toBe(false);
    expect(Subscription.streamOf(ask.begin())).toBe('subscription-7-91');
  });
});

describe('billing a cycle', () => {
  it('begins when it is due, not before', () => {
    when(past.started, ask.begin()).then(happened.due());
    when(past.started, ask.begin({ at: day(45) })).then(happened.due({ at: day(45) }));
  });

  it('is under way until its outcome is known', () => {
    expect(stateAfter(past.due)).toMatchObject({
      cycle: 2,
      attempt: 1,
      totalAttempt: 2,
      rebillAt: day(30),
      pending: {
        transactionId: tryId(2),
        cycle: 2,
        attempt: 1,
        totalAttempt: 2,
        amountMinor: 1_995n,
        begunAt: day(30),
        withFormerCard: false,
      },
      changedAt: day(30),
    });
  });

  it('is asked for as often as anybody likes', () => {
    for (const events of [past.due, past.failed, past.renewed]) {
      when(events, ask.begin({ at: day(99) })).thenNothing();
    }
    when([...past.due, happened.unsubscribed()], ask.begin()).thenNothing();
  });

  it('makes the next one due', () => {
    when(past.due, ask.renewed()).then(happened.renewed());
    expect(stateAfter(past.renewed)).toMatchObject({
      cycle: 3,
      attempt: 0,
      totalAttempt: 2,
      rebillAt: day(60),
      renewals: 1,
      pending: null,
      firstFailedAt: null,
      failedAt: [],
    });
    when(past.renewed, ask.begin({ ...third, at: day(60) })).then(
      happened.due({ ...third, totalAttempt: 3, at: day(60) }),
    );
  });

  it('records its outcome once', () => {
    when(past.renewed, ask.renewed()).thenNothing();
    when(past.renewed, ask.failed()).thenNothing();
    when(past.failed, ask.failed()).thenNothing();
    when(past.failed, ask.renewed()).thenNothing();
  });

  it('records what was really charged', () =>
    when(past.due, ask.renewed({ amountMinor: 5n })).then(happened.renewed({ amountMinor: 5n })));

  it('charges what the plan says when the try begins', () => {
    const dearer = [...past.started, happened.planChanged({ rebillAmountMinor: 2_500n })];
    when(dearer, ask.begin()).then(happened.due({ amountMinor: 2_500n }));
    const pending = stateAfter([...past.due, happened.planChanged({ rebillAmountMinor: 2_500n })]);
    expect(pending.pending?.amountMinor).toBe(1_995n);
  });

  it('freezes what has no card', () =>
    when([happened.started({ card: null })], ask.begin()).then(
      happened.frozen({ reason: 'no-card' }),
    ));
});

describe('cycles that pass while one is open', () => {
  const late = (at: string) => [...past.started, happened.due({ at })];

  it.each([
    ['on time', day(30), 3, day(60)],
    ['the last moment before the next', day(60, -1), 3, day(60)],
    ['as the next becomes due', day(60), 4, day(90)],
    ['half a cycle into the next', day(75), 4, day(90)],
    ['a year', day(395), 15, day(30 + 13 * 30)],
  ])('are skipped, not charged: %s', (_, at, nextCycle, rebillAt) =>
    when(late(at), ask.renewed({ at })).then(happened.renewed({ at, nextCycle, rebillAt })),
  );

  it('do not turn a clock that was set back into another charge of the same cycle', () => {
    const at = day(-40);
    when(past.due, ask.renewed({ at })).then(happened.renewed({ at }));
  });
});

describe('ending', () => {
  it('is done once, by the first request', () => {
    when(past.started, ask.unsubscribe()).then(happened.unsubscribed());
    when(past.ended, ask.unsubscribe({ reason: 'chargeback', at: day(9) })).thenNothing();
    expect(stateAfter(past.ended)).toMatchObject({
      unsubscribedAt: day(3),
      unsubscribeReason: 'customer-service',
      rebillAt: null,
      frozenAt: null,
      changedAt: day(3),
    });
  });

  it('records the requester, the reason and whether to notify the customer', () => {
    const asked = { reason: 'chargeback', requestedBy: 'system', notifyCustomer: false } as const;
    when(past.frozen, ask.unsubscribe(asked)).then(happened.unsubscribed(asked));
  });

  it('leaves a try its outcome, and nothing after it', () => {
    const ended = [...past.due, happened.unsubscribed({ at: day(30) })];
    const renewed = happened.renewed({ rebillAt: null });
    when(ended, ask.renewed()).then(renewed);
    when(ended, ask.failed()).then(happened.failed({ retryAt: null }));
    when(ended, ask.failed({ hard: true })).then(happened.failed({ hard: true, retryAt: null }));
    expect(stateAfter([...ended, renewed])).toMatchObject({ pending: null, rebillAt: null });
    expect(stateAfter([...ended, happened.failed({ retryAt: null })])).toMatchObject({
      pending: null,
      rebillAt: null,
      frozenAt: null,
    });
  });
});

describe('changing the plan', () => {
  it('keeps the date of the cycle that is next', () => {
    const changed = happened.planChanged({
      intervalCount: 7,
      anchorCycle: 3,
      anchorAt: day(60),
      anchorDay: 1,
    });
    when(past.renewed, ask.changePlan({ intervalCount: 7 })).then(changed);
    const state = stateAfter([...past.renewed, changed]);
    expect(state).toMatchObject({
      cycle: 3,
      rebillAt: day(60),
      intervalCount: 7,
      changedAt: day(4),
    });
    expect(Subscription.dueAt(state, 4)).toBe(day(67));
  });

  it('accepts each part separately', () => {
    when(past.started, ask.changePlan({ name: 'Tea' })).then(happened.planChanged({ name: 'Tea' }));
    when(past.started, ask.changePlan({ description: '' })).then(
      happened.planChanged({ description: '' }),
    );
    when(past.started, ask.changePlan({ rebillAmountMinor: 1n })).then(
      happened.planChanged({ rebillAmountMinor: 1n }),
    );
  });

  it('changes nothing when nothing is new', () => {
    const { trialDays: _, ...same } = plan;
    when(past.started, ask.changePlan({})).thenNothing();
    when(past.started, ask.changePlan(same)).thenNothing();
  });

  it('keeps the date of a retry, and recomputes the later cycles', () => {
    const at = day(30, 5);
    const changed = happened.planChanged({ intervalCount: 10, at });
    when(past.failed, ask.changePlan({ intervalCount: 10 }, at)).then(changed);
    const second = { cycle: 2, attempt: 2, transactionId: tryId(2, 2) };
    const retried = [
      ...past.failed,
      changed,
      happened.due({ ...second, totalAttempt: 3, at: day(31) }),
    ];
    expect(stateAfter([...past.failed, changed]).rebillAt).toBe(day(31));
    when(retried, ask.renewed({ ...second, at: day(31) })).then(
      happened.renewed({ ...second, nextCycle: 3, rebillAt: day(40), at: day(31) }),
    );
  });

  it('is possible while frozen', () =>
    when(past.frozen, ask.changePlan({ intervalCount: 7 })).then(
      happened.planChanged({ intervalCount: 7 }),
    ));
});

describe('changing the card', () => {
  it('leaves the dates alone', () => {
    when(past.started, ask.changeCard()).then(happened.cardChanged());
    const changed = stateAfter([...past.started, happened.cardChanged()]);
    expect(changed).toMatchObject({ card: otherCard, rebillAt: day(30), changedAt: day(5) });
    expect(changed.pending).toBeNull();
  });

  it('is nothing when the card is the same', () => {
    when(past.started, ask.changeCard(card)).thenNothing();
    when(past.frozen, ask.changeCard(card)).thenNothing();
  });

  it('distinguishes another number from a renewed card', () => {
    when(past.started, ask.changeCard(renewedCard)).then(
      happened.cardChanged({ card: renewedCard, sameNumber: true }),
    );
    // What has no fingerprint is like no other card.
    const unmarked = { ...card, fingerprint: '' };
    when(
      [happened.started({ card: unmarked })],
      ask.changeCard({ ...unmarked, token: 'tok_9' }),
    ).then(happened.cardChanged({ card: { ...unmarked, token: 'tok_9' } }));
    when([happened.started({ card: null })], ask.changeCard()).then(happened.cardChanged());
  });

  it('forgets the failures of another number, not those of a renewed card', () => {
    const failed = stateAfter([...past.failed, happened.cardChanged({ at: day(30) })]);
    expect(failed).toMatchObject({ failedAt: [], firstFailedAt: day(30), rebillAt: day(31) });
    const same = happened.cardChanged({ card: renewedCard, sameNumber: true, at: day(30) });
    expect(stateAfter([...past.failed, same]).failedAt).toEqual([day(30)]);
  });
});
