/** Every reason why a subscription's command is refused, in the order that the domain documents. */
import type { Subscription } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import {
  ask,
  type Command,
  day,
  type Event,
  happened,
  past,
  stateAfter,
  tryId,
  when,
} from './story.ts';

type Rejection = Subscription.Rejection;
type Row = readonly [past: readonly Event[], command: Command, rejection: Rejection];

const inactive: Rejection = { type: 'SubscriptionInactive', unsubscribedAt: day(3) };
const outOfOrder = (
  cycle: number,
  attempt: number,
  next: readonly [number, number],
): Rejection => ({
  type: 'RebillOutOfOrder',
  cycle,
  attempt,
  nextCycle: next[0],
  nextAttempt: next[1],
});
const unknown = (cycle: number, attempt = 1): Rejection => ({
  type: 'RebillUnknown',
  transactionId: tryId(cycle, attempt),
});
const endedAndFrozen = [...past.frozenByAdmin, happened.unsubscribed()];
const third = { cycle: 3, attempt: 1, transactionId: tryId(3) };
const second = { cycle: 2, attempt: 2, transactionId: tryId(2, 2) };
const free = { rebillAmountMinor: 0n };

/** Each row breaks its own rule and, wherever a command can, those below it as well. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  StartSubscription: [
    [
      past.started,
      ask.start({ transactionId: tryId(9), plan: { ...planOf(), rebillAmountMinor: 0n } }),
      { type: 'SubscriptionExists' },
    ],
    [
      [],
      ask.start({ plan: { ...planOf(), rebillAmountMinor: 0n } }),
      { type: 'RebillAmountNotPositive', amountMinor: 0n },
    ],
    [
      [],
      ask.start({ plan: { ...planOf(), rebillAmountMinor: -1n } }),
      { type: 'RebillAmountNotPositive', amountMinor: -1n },
    ],
  ],
  BeginRebill: [
    [endedAndFrozen, ask.begin({ ...third, at: day(0) }), inactive],
    [
      past.frozenByAdmin,
      ask.begin({ ...third, at: day(0) }),
      { type: 'SubscriptionIsFrozen', frozenAt: day(1) },
    ],
    [past.started, ask.begin({ ...third, at: day(0) }), outOfOrder(3, 1, [2, 1])],
    [past.started, ask.begin({ ...second, at: day(0) }), outOfOrder(2, 2, [2, 1])],
    [past.due, ask.begin({ ...second, at: day(0) }), outOfOrder(2, 2, [2, 2])],
    [past.failed, ask.begin({ ...second, attempt: 3 }), outOfOrder(2, 3, [2, 2])],
    [past.started, ask.begin({ at: day(30, -1) }), { type: 'RebillNotDue', rebillAt: day(30) }],
    [
      past.failed,
      ask.begin({ ...second, at: day(31, -1) }),
      { type: 'RebillNotDue', rebillAt: day(31) },
    ],
  ],
  RecordRenewal: [
    [past.started, ask.renewed(), unknown(2)],
    [past.failed, ask.renewed(second), unknown(2, 2)],
    [past.due, ask.renewed(third), unknown(3)],
    [past.ended, ask.renewed(), unknown(2)],
  ],
  RecordRebillFailure: [
    [past.started, ask.failed(), unknown(2)],
    [past.failed, ask.failed(second), unknown(2, 2)],
    [past.due, ask.failed(third), unknown(3)],
    [past.frozenByAdmin, ask.failed(), unknown(2)],
  ],
  Freeze: [
    [past.ended, ask.freeze(), inactive],
    [endedAndFrozen, ask.freeze(), inactive],
  ],
  Unfreeze: [
    [past.ended, ask.unfreeze(), inactive],
    [endedAndFrozen, ask.unfreeze(), inactive],
  ],
  ChangePlan: [
    [past.ended, ask.changePlan(free), inactive],
    [past.started, ask.changePlan(free), { type: 'RebillAmountNotPositive', amountMinor: 0n }],
    [
      past.frozen,
      ask.changePlan({ rebillAmountMinor: -5n }),
      { type: 'RebillAmountNotPositive', amountMinor: -5n },
    ],
  ],
  ChangeCard: [
    [past.ended, ask.changeCard(), inactive],
    [endedAndFrozen, ask.changeCard(), inactive],
  ],
};

function planOf() {
  const { name, description, rebillAmountMinor, interval, intervalCount, trialDays } =
    ask.start().plan;
  return { name, description, rebillAmountMinor, interval, intervalCount, trialDays };
}

describe.each(Object.entries(ROWS))('%s', (_, rows) => {
  it.each(rows.map((row, index) => [index + 1, row[2].type, row] as const))(
    'row %i: %s',
    (_number, _type, [events, command, rejection]) => when(events, command).thenRejected(rejection),
  );
});

describe('before the order is paid', () => {
  const commands = Object.values(ask)
    .map((make) => (make as () => Command)())
    .filter(({ type }) => type !== 'StartSubscription');

  it.each(commands.map((command) => [command.type, command] as const))(
    'nothing is known of %s',
    (_, command) => when([], command).thenRejected({ type: 'SubscriptionUnknown' }),
  );

  it('no event is possible but the start', () => {
    const events = Object.values(happened)
      .map((make) => make())
      .filter(({ type }) => type !== 'SubscriptionStarted');
    for (const event of events) {
      expect(() => stateAfter([event])).toThrow(`${event.type} without a subscription`);
    }
  });
});
