/** The statuses of the contract: their ids, the allowed ways between them, and that there are no others. */
import { fold, Transaction } from '@counterfoil/core';
import { paymentHistory } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, ask, type Command } from '../payment-commands.ts';
import { type Event, happened, idOf, past } from '../payment-story.ts';

/** The table of the contract, and its transitions word by word; and 91→92, which ADR 25 adds. */
const NAME_OF_ID = {
  ...{ 10: 'Created', 20: 'Processing', 30: 'RequiresAction', 40: 'Authorized', 50: 'Captured' },
  ...{ 60: 'Settled', 70: 'Declined', 71: 'Failed', 72: 'Blocked', 73: 'Expired', 74: 'Unknown' },
  ...{ 80: 'Voided', 90: 'RefundPending', 91: 'Refunded', 92: 'RefundFailed' },
  ...{ 100: 'ChargebackOpen', 101: 'ChargebackUnderReview', 102: 'ChargebackWon' },
  ...{ 103: 'ChargebackLost', 104: 'ChargebackAccepted', 105: 'ChargebackWithdrawn' },
  ...{ 110: 'AlertOpen', 111: 'AlertResolved', 112: 'AlertDeclined', 113: 'AlertExpired' },
} as const satisfies Record<number, Transaction.Status>;

const CONTRACT =
  '10→20,72 · 20→30,40,50,70,71,74 · 30→20,70,73 · 40→50,73,80 · 50→60,80 · 74→40,50,70,71 · ' +
  '90→91,92 · 91→92 · 100→101,103,104,105 · 101→102,103 · 110→111,112,113';

const nameOf = (id: string): Transaction.Status => NAME_OF_ID[id as `${keyof typeof NAME_OF_ID}`];
const arrow = (from: string, to: string): string => `${from} → ${to}`;
const allowed: ReadonlySet<string> = new Set(
  CONTRACT.split(' · ').flatMap((row) => {
    const [from = '', to = ''] = row.split('→');
    return to.split(',').map((each) => arrow(nameOf(from), nameOf(each)));
  }),
);
const statuses = Object.values(NAME_OF_ID);

const open = [...past.captured, happened.chargebackOpened()];
const alerted = [...past.captured, happened.alertReceived()];
const refunding = [...past.captured, happened.refundRequested()];

/** Lives that end in each status, in every variant that takes commands differently. */
const LIVES: Readonly<Record<Transaction.Status, readonly (readonly Event[])[]>> = {
  Created: [[], past.created],
  Processing: [
    past.processing,
    [...past.processing, happened.softDeclined()],
    [...past.processing, happened.actionRequired(), happened.actionCompleted()],
  ],
  RequiresAction: [[...past.processing, happened.actionRequired()]],
  Authorized: [
    past.authorized,
    [...past.authorized, happened.captureRequested()],
    [...past.authorized, happened.captureRequested(), happened.captureFailed()],
    [...past.authorized, happened.voidRequested()],
    [...past.authorized, happened.voidRequested(), happened.voidFailed()],
  ],
  Captured: [
    past.captured,
    [...past.authorized, happened.captureRequested(), happened.captured()],
    [...past.captured, happened.voidRequested()],
    refunding,
  ],
  Settled: [past.settled],
  Declined: [[...past.processing, happened.declined()]],
  Failed: [[...past.processing, happened.failed()]],
  Blocked: [[...past.created, happened.blocked()]],
  Expired: [
    [...past.authorized, happened.expired()],
    [...past.processing, happened.actionRequired(), happened.expired()],
  ],
  Unknown: [[...past.processing, happened.unknown()]],
  Voided: [
    [...past.authorized, happened.voidRequested(), happened.voided({ amountMinor: 0n })],
    [...past.captured, happened.voidRequested(), happened.voided()],
  ],
  RefundPending: [refunding],
  Refunded: [[...refunding, happened.refunded()]],
  RefundFailed: [
    [...refunding, happened.refundFailed()],
    [...refunding, happened.refunded(), happened.refundReversed()],
  ],
  ChargebackOpen: [open],
  ChargebackUnderReview: [[...open, happened.chargebackMoved('ChargebackUnderReview')]],
  ChargebackWon: [
    [
      ...open,
      happened.chargebackMoved('ChargebackUnderReview'),
      happened.chargebackReversed('ChargebackWon'),
    ],
  ],
  ChargebackLost: [[...open, happened.chargebackMoved('ChargebackLost')]],
  ChargebackAccepted: [[...open, happened.chargebackMoved('ChargebackAccepted')]],
  ChargebackWithdrawn: [[...open, happened.chargebackReversed('ChargebackWithdrawn')]],
  AlertOpen: [alerted],
  AlertResolved: [[...alerted, happened.alertMoved('AlertResolved')]],
  AlertDeclined: [[...alerted, happened.alertMoved('AlertDeclined')]],
  AlertExpired: [[...alerted, happened.alertMoved('AlertExpired')]],
};

/** Every command there is, with every answer that a gateway, a bank or a network may bring. */
const COMMANDS: readonly Command[] = [
  ask.submit(),
  ask.submit({ blackListing: 3 }),
  ask.startAttempt(2),
  ...Object.values(answer).flatMap((each) => [
    ask.recordOutcome(each),
    ask.recordOutcome({ ...each, gatewayTransactionId: 'gateway-9' } as Transaction.Outcome),
  ]),
  ask.completeAction(),
  ask.expire(),
  ...[ask.capture(), ask.capture(1n, 2), ask.recordCapture(), ask.recordCaptureFailure()],
  ...[ask.void(), ask.void(2), ask.recordVoid(), ask.recordVoidFailure()],
  ...[ask.settle(), ask.settle(1n, 'payout-2'), ask.releaseReserve(), ask.releaseReserve(1n)],
  ...[ask.refund(), ask.refund({ refundId: idOf('refund', 2), amountMinor: 1n })],
  ...[ask.recordRefund(), ask.recordRefundFailure(), ask.recordNetworkRefund()],
  ask.recordRefundReversal(),
  ...[ask.openChargeback(), ask.openChargeback({ chargebackId: idOf('chargeback', 2) })],
  ...[ask.receiveAlert(), ask.receiveAlert({ alertId: idOf('alert', 2) })],
  ...(
    [
      'ChargebackUnderReview',
      'ChargebackWon',
      'ChargebackLost',
      'ChargebackAccepted',
      'ChargebackWithdrawn',
    ] as const
  ).map((to) => ask.moveChargeback(to)),
  ...(['AlertResolved', 'AlertDeclined', 'AlertExpired'] as const).map((to) => ask.moveAlert(to)),
];

/** The status of the payment and of each of its children, by id. */
function statusesOf(state: Transaction.State): ReadonlyMap<string, Transaction.Status> {
  if (state === null) return new Map();
  return new Map<string, Transaction.Status>([
    [state.transactionId, state.status],
    ...state.refunds.map((each) => [each.refundId, each.status] as const),
    ...state.chargebacks.map((each) => [each.chargebackId, each.status] as const),
    ...state.alerts.map((each) => [each.alertId, each.status] as const),
  ]);
}

/** Every change of a status that these events make, event by event. */
function arrowsOf(before: Transaction.State, events: readonly Event[]): readonly string[] {
  let state = before;
  return events.flatMap((event) => {
    const from = statusesOf(state);
    state = Transaction.evolve(state, event);
    return [...statusesOf(state)].flatMap(([id, to]) => {
      const was = from.get(id);
      return was === undefined || was === to ? [] : [arrow(was, to)];
    });
  });
}

function decided(before: Transaction.State, command: Command): readonly Event[] {
  const decision = Transaction.decide(before, command);
  return decision._tag === 'Right' ? decision.right : [];
}

const taken: ReadonlySet<string> = new Set(
  Object.values(LIVES)
    .flat()
    .map((life) => fold(Transaction, life))
    .flatMap((state) => COMMANDS.flatMap((command) => arrowsOf(state, decided(state, command)))),
);

it('gives every status its id', () => {
  const table = Object.fromEntries(Object.entries(NAME_OF_ID).map(([id, name]) => [name, +id]));
  expect(Transaction.STATUS_ID).toEqual(table);
  for (const [id, name] of Object.entries(NAME_OF_ID)) {
    expect(Transaction.statusOfId(Number(id))).toBe(name);
  }
  expect(Transaction.statusOfId(11)).toBeUndefined();
});

it.each(Object.entries(LIVES))('has lives that end in %s', (status, lives) => {
  for (const life of lives.filter(({ length }) => length > 0)) {
    expect([...statusesOf(fold(Transaction, life)).values()]).toContain(status);
  }
});

it.each(Object.entries(LIVES))('writes and reads back what ends in %s', (_, lives) => {
  for (const life of lives.filter(({ length }) => length > 0)) {
    const payment = fold(Transaction, life) as Transaction.Payment;
    const text = JSON.stringify(Transaction.Payment.encode(payment));
    expect(Transaction.Payment.decode(JSON.parse(text))).toEqual(payment);
  }
});

it.each(statuses)('from %s goes where the contract says, and nowhere else', (from) => {
  const ways = statuses.filter((to) => allowed.has(arrow(from, to)));
  expect(statuses.filter((to) => Transaction.mayMove(from, to))).toEqual(ways);
  expect(statuses.filter((to) => taken.has(arrow(from, to)))).toEqual(ways);
});

it('takes no other way in any life', () => {
  fc.assert(
    fc.property(paymentHistory(), ({ steps }) => {
      const ways = steps.flatMap(({ before, events }) => arrowsOf(before, events));
      expect(ways.filter((way) => !allowed.has(way))).toEqual([]);
    }),
  );
});

it('leaves the parent alone when a child moves', () => {
  const children = COMMANDS.filter(({ type }) => /Refund|Chargeback|Alert/.test(type));
  for (const state of Object.values(LIVES)
    .flat()
    .map((life) => fold(Transaction, life))) {
    for (const command of children) {
      const after = decided(state, command).reduce(Transaction.evolve, state);
      expect(after?.status).toBe(state?.status);
    }
  }
});

describe('completed and success', () => {
  const SUCCESSES = [
    ...['Authorized', 'Captured', 'Settled', 'Refunded'],
    ...['ChargebackLost', 'ChargebackAccepted', 'AlertResolved'],
  ];

  it.each(statuses)('%s', (status) => {
    expect(Transaction.succeeded(status)).toBe(SUCCESSES.includes(status));
    const final = ![...allowed].some((way) => way.startsWith(`${status} →`));
    expect(Transaction.completes(status)).toBe(
      final || status === 'Captured' || status === 'Refunded',
    );
  });

  it('keeps the time of the first final status', () => {
    const { completedAt } = fold(Transaction, past.settled) as Transaction.Payment;
    expect(completedAt).toBe('2026-01-02T00:00:00.000Z');
    const voided = [...past.captured, happened.voidRequested(), happened.voided()];
    expect(fold(Transaction, voided)?.completedAt).toBe('2026-01-02T00:00:00.000Z');
    expect(fold(Transaction, past.authorized)?.completedAt).toBeNull();
    const unknown = [...past.processing, happened.unknown()];
    expect(fold(Transaction, unknown)?.completedAt).toBeNull();
  });
});
