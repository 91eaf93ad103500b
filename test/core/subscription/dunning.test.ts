/** What follows when a rebill fails: retries, freezing, and the ways out of it. */
import { Subscription } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import {
  ask,
  card,
  day,
  type Event,
  happened,
  otherCard,
  past,
  renewedCard,
  stateAfter,
  tryId,
  when,
} from './story.ts';

const DUNNING = ask.failed().dunning;

function attempt(n: number) {
  return { cycle: 2, attempt: n, transactionId: tryId(2, n) };
}

/** The tries of cycle 2 up to the nth, which is under way: each failed on the day that was planned. */
function tried(n: number, days: readonly number[] = [0, ...DUNNING.retryAfterDays]): Event[] {
  const events: Event[] = [...past.started];
  for (let index = 1; index <= n; index += 1) {
    const at = day(30 + (days[index - 1] ?? 0));
    events.push(happened.due({ ...attempt(index), totalAttempt: 1 + index, at }));
    if (index === n) break;
    const retryAt = day(30 + (days[index] ?? 0));
    events.push(happened.failed({ ...attempt(index), retryAt, at }));
  }
  return events;
}

describe('a try that no gateway was asked for', () => {
  const refused = (n: number, on: number) => ({
    ...attempt(n),
    declineCode: 'no_merchant_account',
    at: day(on),
  });

  it('is made again a day later, for as long as it takes', () => {
    const days = Array.from({ length: 40 }, (_, index) => index);
    for (const n of [1, 5, 6, 20, 40]) {
      const before = neverAsked(n, days);
      when(before, ask.failed(refused(n, 29 + n))).then(
        happened.failed({ ...refused(n, 29 + n), retryAt: day(30 + n) }),
      );
    }
  });

  it('freezes at once when the card was removed and not replaced', () => {
    const removed = { ...refused(1, 30), declineCode: 'card_removed' };
    when(neverAsked(1, [0]), ask.failed(removed)).then(
      happened.failed({ ...removed, retryAt: null }),
      happened.frozen({ reason: 'card-removed', at: day(30) }),
    );
    when([...neverAsked(1, [0]), happened.cardChanged({ at: day(30) })], ask.failed(removed)).then(
      happened.failed({ ...removed, retryAt: day(31) }),
    );
  });

  it('uses up no retry, and is none of the failures that the networks count', () => {
    const before = neverAsked(3, [0, 1, 2]);
    expect(stateAfter(before)).toMatchObject({
      attempt: 3,
      declines: 0,
      failedAt: [],
      firstFailedAt: null,
    });
    // The card is asked for the first time on day 32: its first retry is a day after that.
    const declined = happened.failed({ ...attempt(3), at: day(32), retryAt: day(33) });
    when(before, ask.failed({ ...attempt(3), at: day(32) })).then(declined);
    expect(stateAfter([...before, declined])).toMatchObject({
      declines: 1,
      failedAt: [day(32)],
      firstFailedAt: day(32),
    });
  });

  /** The nth try is under way, and none before it came to a gateway. */
  function neverAsked(n: number, days: readonly number[]): Event[] {
    return tried(n, days).map((event) =>
      event.type === 'RebillFailed' ? { ...event, declineCode: 'no_merchant_account' } : event,
    );
  }
});

describe('a soft decline', () => {
  it.each([
    [1, 30, 31],
    [2, 31, 33],
    [3, 33, 35],
    [4, 35, 37],
  ])('is followed by try %i + 1, counted from the first failure', (n, on, next) =>
    when(tried(n), ask.failed({ ...attempt(n), at: day(on) })).then(
      happened.failed({ ...attempt(n), retryAt: day(next), at: day(on) }),
    ),
  );

  it('freezes when the retries are used up', () =>
    when(tried(5), ask.failed({ ...attempt(5), at: day(37) })).then(
      happened.failed({ ...attempt(5), retryAt: null, at: day(37) }),
      happened.frozen({ reason: 'retries-exhausted', at: day(37) }),
    ));

  it('freezes at once where the policy has no retries', () =>
    when(past.due, ask.failed({ dunning: { retryAfterDays: [], mails: [] } })).then(
      happened.failed({ retryAt: null }),
      happened.frozen({ reason: 'retries-exhausted' }),
    ));

  it('leaves at least a day between two tries, however late the outcome is known', () => {
    when(tried(2), ask.failed({ ...attempt(2), at: day(32, 1) })).then(
      happened.failed({ ...attempt(2), retryAt: day(33, 1), at: day(32, 1) }),
    );
    when(tried(2), ask.failed({ ...attempt(2), at: day(32) })).then(
      happened.failed({ ...attempt(2), retryAt: day(33), at: day(32) }),
    );
    when(tried(2), ask.failed({ ...attempt(2), at: day(300) })).then(
      happened.failed({ ...attempt(2), retryAt: day(301), at: day(300) }),
    );
  });

  it('continues the cycle, and keeps the time of the first failure', () => {
    expect(stateAfter(past.failed)).toMatchObject({
      cycle: 2,
      attempt: 1,
      totalAttempt: 2,
      rebillAt: day(31),
      firstFailedAt: day(30),
      pending: null,
      failedAt: [day(30)],
      changedAt: day(30),
    });
    const again = [...tried(2), happened.failed({ ...attempt(2), retryAt: day(33), at: day(31) })];
    expect(stateAfter(again)).toMatchObject({
      firstFailedAt: day(30),
      failedAt: [day(30), day(31)],
      rebillAt: day(33),
    });
  });

  it('does not move the next cycle when a retry succeeds', () => {
    const renewed = happened.renewed({ ...attempt(4), at: day(35) });
    when(tried(4), ask.renewed({ ...attempt(4), at: day(35) })).then(renewed);
    expect(stateAfter([...tried(4), renewed])).toMatchObject({
      cycle: 3,
      attempt: 0,
      totalAttempt: 5,
      firstFailedAt: null,
      failedAt: [],
      rebillAt: day(60),
    });
  });
});

describe('a decline that is final', () => {
  it('freezes at once when it is hard', () => {
    when(past.due, ask.failed({ declineCode: 'stolen_card', hard: true })).then(
      happened.failed({ declineCode: 'stolen_card', hard: true, retryAt: null }),
      happened.frozen({ reason: 'hard-decline' }),
    );
    expect(stateAfter(past.frozen)).toMatchObject({
      frozenAt: day(30),
      freezeReason: 'hard-decline',
      rebillAt: null,
      unsubscribedAt: null,
    });
  });

  describe('that the bank wants the customer for', () => {
    const declined = { declineCode: Subscription.AUTHENTICATION_REQUIRED, hard: true };
    const frozen = [
      ...past.due,
      happened.failed({ ...declined, retryAt: null }),
      happened.frozen({ reason: 'authentication-required' }),
    ];
    const present = { ...attempt(2), isCustomerPresent: true, at: day(33) };
    const begun = [...frozen, happened.due({ ...attempt(2), totalAttempt: 3, at: day(33) })];

    it('freezes for that reason', () => {
      when(past.due, ask.failed(declined)).then(...frozen.slice(-2));
    });

    it('is tried again with the customer alone', () => {
      when(frozen, ask.begin(present)).then(...begun.slice(-1));
      when(frozen, ask.begin({ ...present, isCustomerPresent: false })).thenRejected({
        type: 'SubscriptionIsFrozen',
        frozenAt: day(30),
      });
    });

    it('goes on once it is paid', () => {
      const renewed = { ...attempt(2), at: day(33) };
      when(begun, ask.renewed(renewed)).then(
        happened.renewed({ ...renewed, nextCycle: 3, rebillAt: null }),
        happened.unfrozen({ reason: 'authenticated', cycle: 3, rebillAt: day(60), at: day(33) }),
      );
    });

    it('stays frozen where it fails, and may be tried again', () => {
      const failed = { ...attempt(2), ...declined, retryAt: null, at: day(34) };
      when(begun, ask.failed(failed)).then(happened.failed(failed));
      const after = [...begun, happened.failed(failed)];
      expect(stateAfter(after)?.freezeReason).toBe('authentication-required');
      when(after, ask.begin({ ...present, ...attempt(3) })).then(
        happened.due({ ...attempt(3), totalAttempt: 4, at: day(33) }),
      );
    });

    it('is not tried once it ended, nor where it is frozen for another reason', () => {
      when([...frozen, happened.unsubscribed()], ask.begin(present)).thenRejected({
        type: 'SubscriptionInactive',
        unsubscribedAt: day(3),
      });
      when(past.frozen, ask.begin(present)).thenRejected({
        type: 'SubscriptionIsFrozen',
        frozenAt: day(30),
      });
    });

    it('does not bring forward what is not due', () => {
      when(
        past.started,
        ask.begin({ ...attempt(1), isCustomerPresent: true, at: day(3) }),
      ).thenRejected({
        type: 'RebillNotDue',
        rebillAt: day(30),
      });
    });
  });

  it('freezes on insufficient funds, unless the merchant account allows retries', () => {
    const declineCode = Subscription.INSUFFICIENT_FUNDS;
    when(past.due, ask.failed({ declineCode })).then(
      happened.failed({ declineCode, retryAt: null }),
      happened.frozen({ reason: 'insufficient-funds' }),
    );
    when(past.due, ask.failed({ declineCode, retryInsufficientFunds: true })).then(
      happened.failed({ declineCode }),
    );
    when(past.due, ask.failed({ retryInsufficientFunds: true })).then(happened.failed());
  });
});

describe('the limit of the networks', () => {
  /** So many failures of the card before the try of cycle 2, on these days. */
  function failures(count: number, on = 29): Event[] {
    const events: Event[] = [happened.started({ intervalCount: 1, rebillAt: day(1) })];
    for (let index = 0; index < count; index += 1) {
      const one = { cycle: 2 + index, attempt: 1, transactionId: tryId(2 + index) };
      const at = day(on, index);
      events.push(
        happened.due({ ...one, totalAttempt: 2 + index, at }),
        happened.failed({ ...one, retryAt: day(on + 1), at }),
        happened.frozen({ at }),
        happened.unfrozen({ cycle: 3 + index, rebillAt: day(on, index + 1), at }),
      );
    }
    return events;
  }
  const next = (count: number) => ({
    cycle: 2 + count,
    attempt: 1,
    transactionId: tryId(2 + count),
  });
  const due = (count: number, at = day(30)) =>
    happened.due({ ...next(count), totalAttempt: 2 + count, at });

  it('lets fourteen failures be followed by another try', () =>
    when([...failures(13), due(13)], ask.failed(next(13))).then(happened.failed(next(13))));

  it('freezes at the fifteenth', () =>
    when([...failures(14), due(14)], ask.failed(next(14))).then(
      happened.failed({ ...next(14), retryAt: null }),
      happened.frozen({ reason: 'network-limit' }),
    ));

  it('refuses to unfreeze until the window has passed', () => {
    const stopped = failures(15);
    when(stopped, ask.begin({ ...next(15), at: day(30) })).then(
      happened.frozen({ reason: 'network-limit', at: day(30) }),
    );
    when(stopped, ask.begin({ ...next(15), at: day(59, -1) })).then(
      happened.frozen({ reason: 'network-limit', at: day(59, -1) }),
    );
    // The first of them is thirty days old.
    when(stopped, ask.begin({ ...next(15), at: day(59) })).then(due(15, day(59)));
  });

  it('holds for a renewed card, not for another number', () => {
    const at = day(29, 100);
    const same = happened.cardChanged({ card: renewedCard, sameNumber: true, at });
    when([...failures(15), same], ask.begin({ ...next(15), at: day(30) })).then(
      happened.frozen({ reason: 'network-limit', at: day(30) }),
    );
    when(
      [...failures(15), happened.cardChanged({ at })],
      ask.begin({ ...next(15), at: day(30) }),
    ).then(due(15));
  });

  it('holds for a number that is left for another one and taken up again', () => {
    const at = day(29, 100);
    const left = [...failures(15), happened.cardChanged({ at })];
    const { failedAt } = stateAfter(failures(15));
    const back = happened.cardChanged({ card, failedAt, at });
    when(left, ask.changeCard(card, at)).then(back);
    // Another date of the same number is known by it, too.
    when(left, ask.changeCard(renewedCard, at)).then(
      happened.cardChanged({ card: renewedCard, failedAt, at }),
    );
    when([...left, back], ask.begin({ ...next(15), at: day(30) })).then(
      happened.frozen({ reason: 'network-limit', at: day(30) }),
    );
    // The other one has not failed: nothing of it is remembered.
    expect(stateAfter([...left, back])).toMatchObject({ failedAt, formerCards: [] });
    const marked = { ...otherCard, fingerprint: 'third' };
    when([...left, back], ask.changeCard(marked, at)).then(
      happened.cardChanged({ card: marked, at }),
    );
  });

  it('remembers the latest of the numbers that failed', () => {
    const count = Subscription.MAX_FORMER_CARDS + 1;
    const changes = Array.from({ length: count }, (_, index) => [
      happened.failed({ ...next(index), at: day(29, index) }),
      happened.cardChanged({ card: { ...card, fingerprint: `mark-${index}` }, at: day(29, index) }),
    ]);
    const { formerCards } = stateAfter([...past.started, ...changes.flat()]);
    expect(formerCards).toHaveLength(Subscription.MAX_FORMER_CARDS);
    expect(formerCards[0]?.fingerprint).toBe('mark-0');
    expect(formerCards.at(-1)).toEqual({
      fingerprint: `mark-${count - 2}`,
      failedAt: [day(29, count - 1)],
    });
  });

  it('remembers no number that has no mark', () => {
    const unmarked = { ...card, fingerprint: '' };
    const changed = [
      happened.started({ card: unmarked }),
      happened.failed({ at: day(29) }),
      happened.cardChanged({ at: day(29) }),
    ];
    expect(stateAfter(changed)).toMatchObject({ failedAt: [], formerCards: [] });
    when(changed, ask.changeCard(unmarked)).then(happened.cardChanged({ card: unmarked }));
  });

  it('keeps only the failures that it needs', () => {
    const { failedAt } = stateAfter(failures(17));
    expect(failedAt).toHaveLength(Subscription.MAX_FAILED_TRIES);
    expect(failedAt.at(-1)).toBe(day(29, 16));
    expect(failedAt[0]).toBe(day(29, 2));
  });

  it('starts again after a charge', () => {
    const renewed = happened.renewed({ ...next(14), nextCycle: 17, rebillAt: day(31) });
    expect(stateAfter([...failures(14), due(14), renewed]).failedAt).toEqual([]);
  });
});

describe('freezing by an administrator', () => {
  it('stops the billing, once', () => {
    when(past.started, ask.freeze()).then(happened.frozen({ note: 'on holiday', at: day(1) }));
    when(past.frozenByAdmin, ask.freeze()).thenNothing();
    when(past.frozen, ask.freeze()).thenNothing();
    expect(stateAfter(past.frozenByAdmin)).toMatchObject({
      frozenAt: day(1),
      freezeReason: 'admin',
      rebillAt: null,
      changedAt: day(1),
    });
  });

  it('leaves a try its outcome, and nothing after it', () => {
    const frozen = [...past.due, happened.frozen({ at: day(30) })];
    when(frozen, ask.renewed()).then(happened.renewed({ rebillAt: null }));
    when(frozen, ask.failed({ hard: true })).then(happened.failed({ hard: true, retryAt: null }));
    expect(stateAfter([...frozen, happened.renewed({ rebillAt: null })])).toMatchObject({
      cycle: 3,
      rebillAt: null,
      freezeReason: 'admin',
    });
  });
});

describe('unfreezing by an administrator', () => {
  it.each([
    ['before the next date', day(2), 2, day(30)],
    ['on the date, to the millisecond', day(30), 2, day(30)],
    ['a moment later', day(30, 1), 3, day(60)],
    ['cycles later', day(100), 5, day(120)],
  ])('continues with the first date that is not past: %s', (_, at, cycle, rebillAt) => {
    const unfrozen = happened.unfrozen({ cycle, rebillAt, at });
    when(past.frozenByAdmin, ask.unfreeze(at)).then(unfrozen);
    expect(stateAfter([...past.frozenByAdmin, unfrozen])).toMatchObject({
      cycle,
      attempt: 0,
      rebillAt,
      frozenAt: null,
      freezeReason: null,
      changedAt: at,
    });
  });

  it('gives up the cycle that failed', () => {
    const unfrozen = happened.unfrozen({ cycle: 3, rebillAt: day(60), at: day(40) });
    when(past.frozen, ask.unfreeze(day(40))).then(unfrozen);
    expect(stateAfter([...past.frozen, unfrozen])).toMatchObject({
      cycle: 3,
      attempt: 0,
      totalAttempt: 2,
      firstFailedAt: null,
      failedAt: [day(30)],
    });
  });

  it('is nothing to what is not frozen', () => when(past.started, ask.unfreeze()).thenNothing());

  it('never goes back to a cycle that is paid', () => {
    const paid = [
      ...past.due,
      happened.frozen({ at: day(30) }),
      happened.renewed({ rebillAt: null }),
    ];
    when(paid, ask.unfreeze(day(-90))).then(
      happened.unfrozen({ cycle: 3, rebillAt: day(60), at: day(-90) }),
    );
  });
});

describe('a new card', () => {
  const second = { ...attempt(2), at: day(33) };

  it('takes a frozen subscription up again, and pays the running cycle at once', () => {
    const unfrozen = happened.unfrozen({
      reason: 'new-card',
      cycle: 2,
      rebillAt: day(33),
      at: day(33),
    });
    const changed = happened.cardChanged({ at: day(33) });
    when(past.frozen, ask.changeCard(otherCard, day(33))).then(changed, unfrozen);
    const after = [...past.frozen, changed, unfrozen];
    expect(stateAfter(after)).toMatchObject({ cycle: 2, attempt: 1, firstFailedAt: day(30) });
    when(after, ask.begin(second)).then(happened.due({ ...second, totalAttempt: 3 }));
  });

  it('pays the cycle that runs then, not those that passed', () => {
    const at = day(100);
    when(past.frozen, ask.changeCard(otherCard, at)).then(
      happened.cardChanged({ at }),
      happened.unfrozen({ reason: 'new-card', cycle: 4, rebillAt: at, at }),
    );
  });

  it('waits for a date that is still to come', () => {
    const frozen = [
      happened.started({ card: null }),
      happened.frozen({ reason: 'no-card', at: day(1) }),
    ];
    when(frozen, ask.changeCard(card, day(2))).then(
      happened.cardChanged({ card, at: day(2) }),
      happened.unfrozen({ reason: 'new-card', cycle: 2, rebillAt: day(30), at: day(2) }),
    );
  });

  it('does not undo what an administrator did', () => {
    when(past.frozenByAdmin, ask.changeCard()).then(happened.cardChanged());
    expect(stateAfter([...past.frozenByAdmin, happened.cardChanged()])).toMatchObject({
      freezeReason: 'admin',
      rebillAt: null,
    });
  });

  it('has its own tries after the retries of the previous cycle', () => {
    const frozen = [
      ...tried(5),
      happened.failed({ ...attempt(5), retryAt: null, at: day(37) }),
      happened.frozen({ reason: 'retries-exhausted', at: day(37) }),
      happened.cardChanged({ at: day(38) }),
      happened.unfrozen({ reason: 'new-card', cycle: 2, rebillAt: day(38), at: day(38) }),
    ];
    const sixth = { ...attempt(6), at: day(38) };
    when(frozen, ask.begin(sixth)).then(happened.due({ ...sixth, totalAttempt: 7 }));
    when([...frozen, happened.due({ ...sixth, totalAttempt: 7 })], ask.failed(sixth)).then(
      happened.failed({ ...sixth, retryAt: null }),
      happened.frozen({ reason: 'retries-exhausted', at: day(38) }),
    );
  });
});

describe('a card that is changed while a try is under way', () => {
  const changed = [...past.due, happened.cardChanged({ at: day(30) })];

  it('is not judged by what comes of that try', () => {
    expect(stateAfter(changed).pending?.withFormerCard).toBe(true);
    const failed = happened.failed({ hard: true, retryAt: day(31) });
    when(changed, ask.failed({ hard: true })).then(failed);
    expect(stateAfter([...changed, failed])).toMatchObject({
      failedAt: [],
      firstFailedAt: null,
      declines: 0,
      rebillAt: day(31),
      frozenAt: null,
      pending: null,
    });
  });

  it('is charged next time when the try succeeds', () =>
    when(changed, ask.renewed()).then(happened.renewed()));

  it('is tried a day after the previous one was declined for insufficient funds', () => {
    const declineCode = Subscription.INSUFFICIENT_FUNDS;
    when(changed, ask.failed({ declineCode, at: day(35) })).then(
      happened.failed({ declineCode, retryAt: day(36), at: day(35) }),
    );
  });
});

describe('an outcome that comes after the subscription was frozen and unfrozen', () => {
  /** Cycle 2 may still be paid, so that billing goes on with the next one. */
  const at = day(30, 5);
  const goesOn = [...past.due, happened.frozen({ at }), happened.unfrozen({ at })];

  it('leaves the cycle of the try alone', () => {
    when([...past.due, happened.frozen({ at })], ask.unfreeze(at)).then(happened.unfrozen({ at }));
    expect(stateAfter(goesOn)).toMatchObject({
      cycle: 3,
      attempt: 0,
      rebillAt: day(60),
      pending: { cycle: 2, attempt: 1 },
    });
  });

  it('leaves it alone at the very instant at which it was due', () => {
    const due = day(30);
    when([...past.due, happened.frozen({ at: due })], ask.unfreeze(due)).then(
      happened.unfrozen({ cycle: 3, rebillAt: day(60), at: due }),
    );
  });

  it('holds up the next cycle until it is known', () => {
    const third = { cycle: 3, attempt: 1, transactionId: tryId(3), at: day(60) };
    when(goesOn, ask.begin(third)).thenRejected({
      type: 'RebillOutOfOrder',
      cycle: 3,
      attempt: 1,
      nextCycle: 3,
      nextAttempt: 1,
    });
  });

  it('renews, and the next cycle keeps its date', () => {
    const renewed = happened.renewed({ at: day(30, 9) });
    when(goesOn, ask.renewed({ at: day(30, 9) })).then(renewed);
    expect(stateAfter([...goesOn, renewed])).toMatchObject({
      cycle: 3,
      rebillAt: day(60),
      renewals: 1,
    });
  });

  it('does not reset the next cycle when the outcome is late', () => {
    const late = [
      ...past.due,
      happened.frozen({ at }),
      happened.unfrozen({ cycle: 6, rebillAt: day(150), at: day(140) }),
    ];
    when(late, ask.renewed({ at: day(31) })).then(
      happened.renewed({ nextCycle: 6, rebillAt: day(150), at: day(31) }),
    );
    when(late, ask.renewed({ at: day(155) })).then(
      happened.renewed({ nextCycle: 7, rebillAt: day(180), at: day(155) }),
    );
  });

  it('fails, and the next cycle keeps its date and its tries', () => {
    const failed = happened.failed({ retryAt: null, at: day(30, 9) });
    when(goesOn, ask.failed({ at: day(30, 9) })).then(failed);
    expect(stateAfter([...goesOn, failed])).toMatchObject({
      cycle: 3,
      attempt: 0,
      rebillAt: day(60),
      firstFailedAt: null,
      failedAt: [day(30, 9)],
      pending: null,
    });
  });

  it('freezes when it says that the card is dead', () =>
    when(goesOn, ask.failed({ hard: true, at: day(30, 9) })).then(
      happened.failed({ hard: true, retryAt: null, at: day(30, 9) }),
      happened.frozen({ reason: 'hard-decline', at: day(30, 9) }),
    ));

  it('says nothing of a card that is new since', () => {
    const changed = [...goesOn, happened.cardChanged({ at: day(31) })];
    const failed = happened.failed({ hard: true, retryAt: null, at: day(32) });
    when(changed, ask.failed({ hard: true, at: day(32) })).then(failed);
    expect(stateAfter([...changed, failed])).toMatchObject({ rebillAt: day(60), failedAt: [] });
  });
});
