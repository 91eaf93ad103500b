/** What holds in every life of a payment, whatever comes and in whatever order. */
import {
  decodeEvent,
  type Event,
  encodeEvent,
  fold,
  type StoredEvent,
  Transaction,
} from '@counterfoil/core';
import {
  commandFor,
  expectMoneyOutRule,
  type MoneyOfPayment,
  moneyOf,
  paymentHistory,
  type Step,
} from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask } from '../payment-commands.ts';
import { idOf, tenantId } from '../payment-story.ts';

/** The facts that the contract defines the flags by, read off the events and nothing else. */
interface Facts extends MoneyOfPayment {
  status: 'none' | 'taken' | 'voided';
  voidUnderWay: boolean;
  capturedAt: string;
  readonly chargebacks: Map<string, { over: boolean }>;
  alerts: number;
  networkCredits: number;
}

function factsOf(events: readonly Event[]): Facts {
  const facts: Facts = {
    ...moneyOf(events),
    status: 'none',
    voidUnderWay: false,
    capturedAt: '',
    chargebacks: new Map(),
    alerts: 0,
    networkCredits: 0,
  };
  for (const event of events) learn(facts, event);
  return facts;
}

function learn(facts: Facts, event: Event): void {
  switch (event.type) {
    case 'PaymentCaptured':
      facts.status = 'taken';
      facts.capturedAt = event.at;
      break;
    case 'VoidRequested':
    case 'VoidFailed':
      facts.voidUnderWay = event.type === 'VoidRequested';
      break;
    case 'PaymentVoided':
      facts.status = 'voided';
      facts.voidUnderWay = false;
      break;
    case 'NetworkRefunded':
      facts.networkCredits += 1;
      break;
    case 'ChargebackOpened':
      facts.chargebacks.set(event.chargebackId, { over: false });
      break;
    case 'ChargebackWon':
    case 'ChargebackWithdrawn': {
      const chargeback = facts.chargebacks.get(event.chargebackId);
      if (chargeback !== undefined) chargeback.over = true;
      break;
    }
    case 'AlertReceived':
      facts.alerts += 1;
      break;
    default:
  }
}

const DAY_MS = 86_400_000;

/** Status 50 or 60, something left, no chargeback that stands, inside the window; and no void on its way. */
function refundable(facts: Facts, policy: Transaction.RefundPolicy, now: string): boolean {
  const days = (Date.parse(now) - Date.parse(facts.capturedAt)) / DAY_MS;
  return (
    facts.status === 'taken' &&
    !facts.voidUnderWay &&
    facts.capturedMinor > facts.refundedMinor + facts.pendingMinor &&
    [...facts.chargebacks.values()].every(({ over }) => over) &&
    (policy.forceAllowRefunds || days <= policy.refundWindowDays)
  );
}

/** Runs a check after every step of a life, on the payment and on all events until then. */
function always(
  check: (payment: Transaction.Payment, events: readonly Transaction.Event[], step: Step) => void,
): void {
  fc.assert(
    fc.property(paymentHistory(), ({ steps }) => {
      const events: Transaction.Event[] = [];
      for (const step of steps) {
        events.push(...step.events);
        if (step.after !== null) check(step.after, events, step);
      }
    }),
  );
}

const policies = [
  { refundWindowDays: 180, forceAllowRefunds: false },
  { refundWindowDays: 1, forceAllowRefunds: false },
  { refundWindowDays: 0, forceAllowRefunds: true },
];

describe('money', () => {
  it('never leaves twice: refunds and chargebacks stay within the capture, but for what came on top of us', () => {
    always((payment, events) => {
      const facts = factsOf(events);
      expectMoneyOutRule(events);
      expect(payment.capturedMinor).toBe(facts.status === 'voided' ? 0n : facts.capturedMinor);
      expect(Transaction.takenMinor(payment)).toBe(facts.capturedMinor);
    });
  });

  it('is captured once, and never more than was authorized', () => {
    always((payment, events) => {
      const captures = events.filter(({ type }) => type === 'PaymentCaptured');
      expect(captures.length).toBeLessThanOrEqual(1);
      expect(payment.capturedMinor <= payment.authorizedMinor).toBe(true);
      expect(payment.authorizedMinor <= payment.amountMinor).toBe(true);
      expect(payment.reserveHeldMinor >= 0n).toBe(true);
    });
  });

  it('of items is never given back beyond what was ordered and paid for them', () => {
    always((payment) => {
      const left = new Map<number, number>();
      const add = (variant: number, quantity: number) =>
        left.set(variant, (left.get(variant) ?? 0) + quantity);
      const paid = new Map<number, bigint>();
      for (const item of payment.items) {
        const { storefrontVariantId: variant } = item;
        add(variant, item.quantity);
        paid.set(variant, (paid.get(variant) ?? 0n) + Transaction.lineTotalMinor(item));
      }
      for (const refund of payment.refunds.filter(({ status }) => status !== 'RefundFailed')) {
        for (const item of refund.items) add(item.storefrontVariantId, -item.quantity);
        const parts = [...refund.items, ...refund.adjustments];
        const worth = parts.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
        if (parts.length > 0) expect(worth).toBe(refund.amountMinor);
        for (const { storefrontVariantId, amountMinor } of refund.items) {
          paid.set(storefrontVariantId, (paid.get(storefrontVariantId) ?? 0n) - amountMinor);
        }
      }
      expect([...paid.values()].filter((minor) => minor < 0n)).toEqual([]);
      expect([...left.values()].filter((quantity) => quantity < 0)).toEqual([]);
    });
  });
});

describe('what waits for the gateway', () => {
  it('is allowed exactly while there is no chargeback, and never exceeds the capture', () => {
    always((payment, events) => {
      const facts = factsOf(events);
      const stands = [...facts.chargebacks.values()].some(({ over }) => !over);
      const isVoided = facts.status === 'voided';
      const may = Transaction.mayStillLeave(payment);
      if (!isVoided) expect(may).toBe(!stands);
      const outMinor = facts.refundedMinor + facts.pendingMinor;
      if (may) expect(outMinor <= facts.capturedMinor).toBe(true);
    });
  });
});

describe('flags', () => {
  it('equal their definitions', () => {
    always((payment, events) => {
      const facts = factsOf(events);
      const paid = facts.refundedMinor;
      for (const policy of policies) {
        const decided = Transaction.isRefundable(payment, policy, payment.changedAt);
        expect(decided).toBe(refundable(facts, policy, payment.changedAt));
      }
      const { capturedMinor } = facts;
      expect(Transaction.isRefunded(payment)).toBe(capturedMinor > 0n && paid === capturedMinor);
      expect(Transaction.isChargedBack(payment)).toBe(facts.chargebacks.size > 0);
      expect(Transaction.hasAlert(payment)).toBe(facts.alerts + facts.networkCredits > 0);
    });
  });

  it('keep their word: refundable is what a refund of the rest is accepted for', () => {
    always((payment) => {
      for (const policy of policies) {
        const at = payment.changedAt;
        const command = ask.refund({ refundId: idOf('refund', 7), policy, at });
        const accepted = Transaction.decide(payment, command)._tag === 'Right';
        expect(accepted).toBe(Transaction.isRefundable(payment, policy, at));
      }
    });
  });

  it('once charged back or alerted, stay so', () => {
    always((after, _, { before }) => {
      if (before === null) return;
      expect(Transaction.isChargedBack(after) || !Transaction.isChargedBack(before)).toBe(true);
      expect(Transaction.hasAlert(after) || !Transaction.hasAlert(before)).toBe(true);
    });
  });
});

describe('decisions', () => {
  it('repeated at once, yield no events', () => {
    always((after, _, step) => {
      if (step.rejection !== undefined) return;
      const again = Transaction.decide(after, step.command);
      expect(again).toEqual({ _tag: 'Right', right: [] });
    });
  });

  it('depend on nothing but the state and the command', () => {
    always((_, __, { before, command, events, rejection }) => {
      const again = Transaction.decide(before, command);
      const expected =
        rejection === undefined
          ? { _tag: 'Right', right: events }
          : { _tag: 'Left', left: rejection };
      expect(again).toEqual(expected);
    });
  });

  it('can be taken on any command at any time, and always folded', () => {
    const anyLife = paymentHistory().filter(({ state }) => state !== null);
    const lifeAndCommand = anyLife.chain(({ state }) =>
      fc.tuple(fc.constant(state), commandFor(state as Transaction.Payment, tenantId)),
    );
    fc.assert(
      fc.property(lifeAndCommand, ([state, command]) => {
        const decided = Transaction.decide(state, command);
        if (decided._tag === 'Right') decided.right.reduce(Transaction.evolve, state);
      }),
    );
  });
});

describe('events', () => {
  it('fold into the state that the decisions were taken on', () => {
    always((payment, events) => {
      expect(fold(Transaction, events)).toEqual(payment);
    });
  });

  it('can all be stored, and the folded payment too', () => {
    fc.assert(
      fc.property(paymentHistory(), ({ events, state }) => {
        for (const event of events) {
          expect(decodeEvent(encodeEvent(event) as StoredEvent)).toEqual(event);
        }
        const text = JSON.stringify(Transaction.Payment.encode(state as Transaction.Payment));
        expect(Transaction.Payment.decode(JSON.parse(text))).toEqual(state);
      }),
    );
  });

  const frozen = <Value>(value: Value): Value => {
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
    Object.values(value).forEach(frozen);
    return Object.freeze(value);
  };

  it('never change a state that was handed out', () => {
    always((_, __, { before, events }) => {
      events.reduce((state, event) => frozen(Transaction.evolve(state, event)), frozen(before));
    });
  });

  it('reach every status and every kind of event there is', () => {
    const seen = new Set<string>();
    const lives = fc.sample(paymentHistory(), { numRuns: 400, seed: 1 });
    for (const event of lives.flatMap(({ events }) => events)) seen.add(event.type);
    expect([...seen].sort()).toEqual(Object.keys(Transaction.events).sort());
  });
});
