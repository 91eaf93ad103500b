/** The preview of what will be charged and when, held to what then happens. */
import { Subscription, Tenant } from '@counterfoil/core';
import { startSubscription } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, day, happened, past, plan, stateAfter, tryId } from './story.ts';

const { dunning } = Tenant.DEFAULT_SETTINGS;
const charge = (cycle: number, at: string, attempt = 1) => ({
  cycle,
  attempt,
  at,
  amountMinor: 1_995n,
});
const retry = (attempt: number, on: number, next: number) => ({
  at: day(on),
  attempt,
  action: 'retry',
  retryAt: day(next),
  mail: 'rebill-failed',
});
const freeze = (attempt: number, on: number) => ({
  at: day(on),
  attempt,
  action: 'freeze',
  retryAt: null,
  mail: 'frozen',
});

describe('the schedule', () => {
  it('lists the next charges, and what follows if they are declined', () => {
    const { charges, ifDeclined } = Subscription.scheduleOf(stateAfter(past.started), dunning, 3);
    expect(charges).toEqual([charge(2, day(30)), charge(3, day(60)), charge(4, day(90))]);
    expect(ifDeclined).toEqual([
      retry(1, 30, 31),
      retry(2, 31, 33),
      retry(3, 33, 35),
      retry(4, 35, 37),
      freeze(5, 37),
    ]);
  });

  it('continues from the state of the cycle', () => {
    const { charges, ifDeclined } = Subscription.scheduleOf(stateAfter(past.failed), dunning, 2);
    expect(charges).toEqual([charge(2, day(31), 2), charge(3, day(60))]);
    expect(ifDeclined[0]).toEqual(retry(2, 31, 33));
    expect(ifDeclined).toHaveLength(4);
  });

  it('begins with the try that is under way, at the price it began with', () => {
    const dearer = happened.planChanged({ rebillAmountMinor: 2_500n, at: day(30) });
    const state = stateAfter([...past.due, dearer]);
    const { charges, ifDeclined } = Subscription.scheduleOf(state, dunning, 2);
    expect(charges).toEqual([charge(2, day(30)), { ...charge(3, day(60)), amountMinor: 2_500n }]);
    expect(ifDeclined).toHaveLength(5);
  });

  it('leaves out a try whose cycle was given up', () => {
    const at = day(30, 5);
    const state = stateAfter([...past.due, happened.frozen({ at }), happened.unfrozen({ at })]);
    const { charges } = Subscription.scheduleOf(state, dunning, 1);
    expect(charges).toEqual([charge(3, day(60))]);
  });

  it('leaves out the cycles that pass while one is retried', () => {
    const daily = happened.started({ intervalCount: 1, rebillAt: day(1) });
    const failed = [happened.due({ at: day(1) }), happened.failed({ at: day(1), retryAt: day(4) })];
    const { charges } = Subscription.scheduleOf(stateAfter([daily, ...failed]), dunning, 3);
    expect(charges).toEqual([charge(2, day(4), 2), charge(6, day(5)), charge(7, day(6))]);
  });

  it('charges now what is overdue, and skips what passed', () => {
    const state = stateAfter(past.started);
    const { charges, ifDeclined } = Subscription.scheduleOf(state, dunning, 2, { now: day(75) });
    expect(charges).toEqual([charge(2, day(75)), charge(4, day(90))]);
    expect(ifDeclined[0]).toEqual(retry(1, 75, 76));
  });

  it('predicts that the next try fails and freezes when the card was removed', () => {
    const state = stateAfter(past.started);
    expect(Subscription.scheduleOf(state, dunning, 3, { cardRemoved: true })).toEqual({
      charges: [],
      nextFailure: { ...charge(2, day(30)), reason: 'card_removed' },
      ifDeclined: [freeze(1, 30)],
    });
    expect(Subscription.scheduleOf(state, dunning, 3).nextFailure).toBeNull();
  });

  it('completes a pending try with the removed card', () => {
    const state = stateAfter(past.due);
    expect(Subscription.scheduleOf(state, dunning, 3, { cardRemoved: true })).toEqual({
      charges: [charge(2, day(30))],
      nextFailure: { ...charge(3, day(60)), reason: 'card_removed' },
      ifDeclined: [retry(1, 30, 31), freeze(2, 31)],
    });
  });

  it('is empty when nothing will be charged', () => {
    const none = { charges: [], nextFailure: null, ifDeclined: [] };
    const withoutCard = [happened.started({ card: null })];
    // The pending try may still succeed, so later charges are unknown.
    const frozenMeanwhile = [...past.due, happened.frozen()];
    const lives = [past.ended, past.frozen, past.frozenByAdmin, frozenMeanwhile, withoutCard];
    for (const events of lives) {
      const removed = { cardRemoved: true };
      expect(Subscription.scheduleOf(stateAfter(events), dunning, 3, removed).charges).toEqual([]);
      expect(Subscription.scheduleOf(stateAfter(events), dunning, 3)).toEqual(none);
    }
    expect(Subscription.scheduleOf(stateAfter(past.started), dunning, 0).charges).toEqual([]);
  });

  it('lists only mails that the policy sends', () => {
    const silent = { retryAfterDays: [2], mails: [] };
    const state = stateAfter(past.started);
    expect(Subscription.scheduleOf(state, silent, 1).ifDeclined).toEqual([
      { ...retry(1, 30, 32), mail: null },
      { ...freeze(2, 32), mail: null },
    ]);
    const half = { retryAfterDays: [2], mails: ['frozen' as const] };
    expect(Subscription.scheduleOf(state, half, 1).ifDeclined.map(({ mail }) => mail)).toEqual([
      null,
      'frozen',
    ]);
  });

  it('asks the limit of the networks too', () => {
    const failures = Array.from({ length: 13 }, (_, index) => {
      const one = { cycle: 2 + index, attempt: 1, transactionId: tryId(2 + index) };
      const at = day(29, index);
      return [
        happened.due({ ...one, totalAttempt: 2 + index, at }),
        happened.failed({ ...one, retryAt: null, at }),
        happened.frozen({ at }),
        happened.unfrozen({ cycle: 3 + index, rebillAt: day(30), at }),
      ];
    }).flat();
    const { ifDeclined } = Subscription.scheduleOf(
      stateAfter([...past.started, ...failures]),
      dunning,
      1,
    );
    expect(ifDeclined.map(({ action }) => action)).toEqual(['retry', 'freeze']);
    const stopped = [...failures, ...failures.slice(-4)];
    const { charges } = Subscription.scheduleOf(
      stateAfter([...past.started, ...stopped, ...failures.slice(-4)]),
      dunning,
      1,
    );
    expect(charges).toEqual([]);
  });
});

/** A policy that a tenant may have: days in ascending order. */
const policy = fc
  .record({
    retryAfterDays: fc
      .uniqueArray(fc.integer({ min: 1, max: Tenant.LONGEST_RETRY_DAYS }), {
        maxLength: Tenant.MAX_RETRIES,
      })
      .map((days) => days.sort((a, b) => a - b)),
    mails: fc.uniqueArray(fc.constantFrom('renewed', 'rebill-failed', 'frozen')),
  })
  .map((drawn): Tenant.Dunning => drawn);

const COUNT = 12;

describe('what the schedule says', () => {
  const started = startSubscription().map((command) => ({ ...command, card: ask.start().card }));

  it('happens when every charge is approved', () => {
    fc.assert(
      fc.property(started, policy, fc.nat(3), (command, dunning, declines) => {
        let state = afterStart(command);
        // It may stand anywhere: the first tries of a cycle may have been declined already.
        for (let n = 0; n < declines && state.rebillAt !== null; n += 1) {
          state = tryOnce(state, { approved: false, dunning });
        }
        for (const planned of Subscription.scheduleOf(state, dunning, COUNT).charges) {
          expect(nextChargeOf(state)).toEqual(planned);
          state = tryOnce(state, { approved: true, dunning });
        }
      }),
    );
  });

  it('happens when every try is declined', () => {
    fc.assert(
      fc.property(started, policy, (command, dunning) => {
        let state = afterStart(command);
        const { ifDeclined } = Subscription.scheduleOf(state, dunning, 1);
        for (const step of ifDeclined) {
          expect(nextChargeOf(state)).toMatchObject({ at: step.at, attempt: step.attempt });
          state = tryOnce(state, { approved: false, dunning });
          expect(state.rebillAt).toBe(step.retryAt);
          expect(state.frozenAt !== null).toBe(step.action === 'freeze');
        }
        expect(state.frozenAt).not.toBeNull();
      }),
    );
  });
});

function afterStart(command: ReturnType<typeof ask.start>) {
  return decidedOn(null, { ...command, plan: { ...plan, ...command.plan } });
}

function decidedOn(state: Subscription.State, command: Subscription.Command) {
  const decision = Subscription.decide(state, command);
  if (decision._tag === 'Left') throw new Error(decision.left.type);
  const next = decision.right.reduce(Subscription.evolve, state);
  if (next === null) throw new Error('there is no subscription');
  return next;
}

function nextChargeOf({ cycle, attempt, rebillAt, rebillAmountMinor }: Subscription.Subscription) {
  return { cycle, attempt: attempt + 1, at: rebillAt, amountMinor: rebillAmountMinor };
}

function tryOnce(
  state: Subscription.Subscription,
  { approved, dunning }: { approved: boolean; dunning: Tenant.Dunning },
): Subscription.Subscription {
  const { cycle, attempt, at } = nextChargeOf(state);
  const one = { cycle, attempt, transactionId: tryId(cycle, attempt), at: at ?? '' };
  const begun = decidedOn(state, ask.begin(one));
  return decidedOn(begun, approved ? ask.renewed(one) : ask.failed({ ...one, dunning }));
}

describe('asking for the schedule', () => {
  it('changes nothing', () => {
    const state = stateAfter(past.failed);
    const before = structuredClone(state);
    Subscription.scheduleOf(state, dunning, 5);
    expect(state).toStrictEqual(before);
  });
});
