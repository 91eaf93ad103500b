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
  story,
  subscriptionId,
  tryId,
} from './story.ts';

const third = { cycle: 3, attempt: 1, transactionId: tryId(3) };

describe('starting', () => {
  it('counts the order as the first cycle, and charges the next after the frequency', () => {
    story([]).when(ask.start()).then(happened.started());
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
    story([])
      .when(ask.start({ plan: trial }))
      .then(started);
    expect(stateAfter([started])).toMatchObject({ anchorCycle: 2, anchorAt: day(14) });
  });

  it('happens once for a payment', () => {
    story(past.started).when(ask.start()).thenNothing();
    story(past.ended)
      .when(ask.start({ at: day(9) }))
      .thenNothing();
  });

  it('takes an amount of one minor unit', () => {
    const least = { ...plan, rebillAmountMinor: 1n };
    story([])
      .when(ask.start({ plan: least }))
      .then(happened.started({ rebillAmountMinor: 1n }));
  });

  it('says which command begins a stream, and which stream it is', () => {
    expect(Subscription.begins(ask.start())).toBe(true);
    expect(Subscription.begins(ask.begin())).toBe(false);
    expect(Subscription.streamOf(ask.begin())).toBe('subscription-7-91');
  });
});

describe('billing a cycle', () => {
  it('begins when it is due, not before', () => {
    story(past.started).when(ask.begin()).then(happened.due());
    story(past.started)
      .when(ask.begin({ at: day(45) }))
      .then(happened.due({ at: day(45) }));
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
      story(events)
        .when(ask.begin({ at: day(99) }))
        .thenNothing();
    }
    story([...past.due, happened.unsubscribed()])
      .when(ask.begin())
      .thenNothing();
  });

  it('makes the next one due', () => {
    story(past.due).when(ask.renewed()).then(happened.renewed());
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
    story(past.renewed)
      .when(ask.begin({ ...third, at: day(60) }))
      .then(happened.due({ ...third, totalAttempt: 3, at: day(60) }));
  });

  it('records its outcome once', () => {
    story(past.renewed).when(ask.renewed()).thenNothing();
    story(past.renewed).when(ask.failed()).thenNothing();
    story(past.failed).when(ask.failed()).thenNothing();
    story(past.failed).when(ask.renewed()).thenNothing();
  });

  it('records what was really charged', () => {
    story(past.due)
      .when(ask.renewed({ amountMinor: 5n }))
      .then(happened.renewed({ amountMinor: 5n }));
  });

  it('charges what the plan says when the try begins', () => {
    const dearer = [...past.started, happened.planChanged({ rebillAmountMinor: 2_500n })];
    story(dearer)
      .when(ask.begin())
      .then(happened.due({ amountMinor: 2_500n }));
    const pending = stateAfter([...past.due, happened.planChanged({ rebillAmountMinor: 2_500n })]);
    expect(pending.pending?.amountMinor).toBe(1_995n);
  });

  it('freezes what has no card', () => {
    story([happened.started({ card: null })])
      .when(ask.begin())
      .then(happened.frozen({ reason: 'no-card' }));
  });
});

describe('cycles that pass while one is open', () => {
  const late = (at: string) => [...past.started, happened.due({ at })];

  it.each([
    ['on time', day(30), 3, day(60)],
    ['the last moment before the next', day(60, -1), 3, day(60)],
    ['as the next becomes due', day(60), 4, day(90)],
    ['half a cycle into the next', day(75), 4, day(90)],
    ['a year', day(395), 15, day(30 + 13 * 30)],
  ])('are skipped, not charged: %s', (_, at, nextCycle, rebillAt) => {
    story(late(at)).when(ask.renewed({ at })).then(happened.renewed({ at, nextCycle, rebillAt }));
  });

  it('do not turn a clock that was set back into another charge of the same cycle', () => {
    const at = day(-40);
    story(past.due).when(ask.renewed({ at })).then(happened.renewed({ at }));
  });
});

describe('ending', () => {
  it('is done once, by whoever asks first', () => {
    story(past.started).when(ask.unsubscribe()).then(happened.unsubscribed());
    story(past.ended)
      .when(ask.unsubscribe({ reason: 'chargeback', at: day(9) }))
      .thenNothing();
    expect(stateAfter(past.ended)).toMatchObject({
      unsubscribedAt: day(3),
      unsubscribeReason: 'customer-service',
      rebillAt: null,
      frozenAt: null,
      changedAt: day(3),
    });
  });

  it('says who asked, why, and whether the customer is to be told', () => {
    const asked = { reason: 'chargeback', requestedBy: 'system', notifyCustomer: false } as const;
    story(past.frozen).when(ask.unsubscribe(asked)).then(happened.unsubscribed(asked));
  });

  it('leaves a try its outcome, and nothing after it', () => {
    const ended = [...past.due, happened.unsubscribed({ at: day(30) })];
    const renewed = happened.renewed({ rebillAt: null });
    story(ended).when(ask.renewed()).then(renewed);
    story(ended)
      .when(ask.failed())
      .then(happened.failed({ retryAt: null }));
    story(ended)
      .when(ask.failed({ hard: true }))
      .then(happened.failed({ hard: true, retryAt: null }));
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
    const changed = happened.planChanged({ frequencyDays: 7, anchorCycle: 3, anchorAt: day(60) });
    story(past.renewed)
      .when(ask.changePlan({ frequencyDays: 7 }))
      .then(changed);
    const state = stateAfter([...past.renewed, changed]);
    expect(state).toMatchObject({
      cycle: 3,
      rebillAt: day(60),
      frequencyDays: 7,
      changedAt: day(4),
    });
    expect(Subscription.dueAt(state, 4)).toBe(day(67));
  });

  it('takes each of its parts by itself', () => {
    story(past.started)
      .when(ask.changePlan({ name: 'Tea' }))
      .then(happened.planChanged({ name: 'Tea' }));
    story(past.started)
      .when(ask.changePlan({ description: '' }))
      .then(happened.planChanged({ description: '' }));
    story(past.started)
      .when(ask.changePlan({ rebillAmountMinor: 1n }))
      .then(happened.planChanged({ rebillAmountMinor: 1n }));
  });

  it('changes nothing when nothing is new', () => {
    const { trialDays: _, ...same } = plan;
    story(past.started).when(ask.changePlan({})).thenNothing();
    story(past.started).when(ask.changePlan(same)).thenNothing();
  });

  it('leaves a retry its date, and counts the cycles after it anew', () => {
    const at = day(30, 5);
    const changed = happened.planChanged({ frequencyDays: 10, at });
    story(past.failed)
      .when(ask.changePlan({ frequencyDays: 10 }, at))
      .then(changed);
    const second = { cycle: 2, attempt: 2, transactionId: tryId(2, 2) };
    const retried = [
      ...past.failed,
      changed,
      happened.due({ ...second, totalAttempt: 3, at: day(31) }),
    ];
    expect(stateAfter([...past.failed, changed]).rebillAt).toBe(day(31));
    story(retried)
      .when(ask.renewed({ ...second, at: day(31) }))
      .then(happened.renewed({ ...second, nextCycle: 3, rebillAt: day(40), at: day(31) }));
  });

  it('is possible while frozen', () => {
    story(past.frozen)
      .when(ask.changePlan({ frequencyDays: 7 }))
      .then(happened.planChanged({ frequencyDays: 7 }));
  });
});

describe('changing the card', () => {
  it('leaves the dates alone', () => {
    story(past.started).when(ask.changeCard()).then(happened.cardChanged());
    const changed = stateAfter([...past.started, happened.cardChanged()]);
    expect(changed).toMatchObject({ card: otherCard, rebillAt: day(30), changedAt: day(5) });
    expect(changed.pending).toBeNull();
  });

  it('is nothing when the card is the same', () => {
    story(past.started).when(ask.changeCard(card)).thenNothing();
    story(past.frozen).when(ask.changeCard(card)).thenNothing();
  });

  it('tells another number from a renewed card', () => {
    story(past.started)
      .when(ask.changeCard(renewedCard))
      .then(happened.cardChanged({ card: renewedCard, sameNumber: true }));
    // What has no fingerprint is like no other card.
    const unmarked = { ...card, fingerprint: '' };
    story([happened.started({ card: unmarked })])
      .when(ask.changeCard({ ...unmarked, token: 'tok_9' }))
      .then(happened.cardChanged({ card: { ...unmarked, token: 'tok_9' } }));
    story([happened.started({ card: null })])
      .when(ask.changeCard())
      .then(happened.cardChanged());
  });

  it('forgets the failures of another number, not those of a renewed card', () => {
    const failed = stateAfter([...past.failed, happened.cardChanged({ at: day(30) })]);
    expect(failed).toMatchObject({ failedAt: [], firstFailedAt: day(30), rebillAt: day(31) });
    const same = happened.cardChanged({ card: renewedCard, sameNumber: true, at: day(30) });
    expect(stateAfter([...past.failed, same]).failedAt).toEqual([day(30)]);
  });
});
