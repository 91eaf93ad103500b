/** What follows from the events of a payment, one row for each policy. */
import { Policies, Subscription, Tenant, Transaction } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import {
  CAPTURED_AT,
  type Event,
  happened,
  NOW,
  order,
  past,
  SUBMITTED_AT,
  tenantId,
  transactionId,
} from './payment-story.ts';
import { card, plan } from './subscription-samples.ts';

const PLANS = [
  { subscriptionId: 91, ...plan },
  { subscriptionId: 92, ...plan, name: 'Coffee club', rebillAmountMinor: 2_500n },
];
const STARTING: Partial<Transaction.Order> = { plans: PLANS, subscriptionId: 91, card };
const REBILL: Partial<Transaction.Order> = {
  subscriptionId: 91,
  applicationId: 3,
  applicationKind: 3,
  paymentNumber: 4,
  attempt: 1,
  totalAttempt: 6,
};
const RETRY: Partial<Transaction.Order> = {
  ...REBILL,
  applicationId: 4,
  applicationKind: 4,
  attempt: 2,
};

function factsOf(
  facts: Partial<Transaction.Order> = {},
  settings: Partial<Tenant.Settings> = {},
): Policies.PolicyFacts {
  const payment = Transaction.evolve(
    Transaction.initial,
    happened.submitted({ ...order, ...facts }),
  );
  if (payment === null) throw new Error('no payment');
  return {
    tenantId,
    payment,
    settings: { ...Tenant.DEFAULT_SETTINGS, ...settings },
    retryInsufficientFunds: true,
  };
}

function commandsTo(
  to: Policies.FollowUp['to'],
  event: Event,
  facts: Policies.PolicyFacts,
): readonly Policies.FollowUp['command'][] {
  return Policies.followUpsOf(event, facts)
    .filter((followUp) => followUp.to === to)
    .map(({ command }) => command);
}

const TRY = { tenantId, subscriptionId: 91, cycle: 4, attempt: 1, transactionId };

describe('a capture', () => {
  it('starts a subscription for each plan of the order, with what was ordered', () => {
    const facts = factsOf({ ...STARTING, sandbox: true, email: 'ada@example.com' });
    const common = {
      type: 'StartSubscription',
      tenantId,
      transactionId,
      sandbox: true,
      customerId: 601,
      email: 'ada@example.com',
      orderId: 501,
      companyId: 11,
      merchantAccountId: 31,
      currency: 'GBP',
      card,
      at: CAPTURED_AT,
    };
    const { subscriptionId: _, ...second } = PLANS[1] as Subscription.OrderedPlan;
    expect(commandsTo('subscription', happened.captured(), facts)).toEqual([
      { ...common, subscriptionId: 91, plan },
      { ...common, subscriptionId: 92, plan: second },
    ]);
  });

  it.each([
    ['a rebill', REBILL, 1],
    ['a retry', RETRY, 2],
  ])('of %s renews its subscription by what was captured', (_what, facts, attempt) => {
    const captured = happened.captured({ amountMinor: 1_995n });
    expect(commandsTo('subscription', captured, factsOf(facts))).toEqual([
      { type: 'RecordRenewal', ...TRY, attempt, amountMinor: 1_995n, at: CAPTURED_AT },
    ]);
  });

  it.each([
    ['a rebill', REBILL],
    ['a retry', RETRY],
  ])('of %s teaches its customer nothing: the card may have been removed since', (_what, facts) => {
    expect(commandsTo('customer', happened.captured(), factsOf({ ...facts, card }))).toEqual([]);
  });

  it('starts what was ordered even when its application calls itself a rebill', () => {
    const facts = factsOf({ ...STARTING, applicationId: 3, applicationKind: 3 });
    const commands = commandsTo('subscription', happened.captured(), facts);
    expect(commands.map(({ type }) => type)).toEqual(['StartSubscription', 'StartSubscription']);
    expect(commandsTo('subscription', happened.declined(), facts)).toEqual([]);
  });

  it('of an order without plans has no say in subscriptions', () => {
    expect(commandsTo('subscription', happened.captured(), factsOf())).toEqual([]);
    const called = factsOf({ applicationId: 3, applicationKind: 3 });
    expect(commandsTo('subscription', happened.captured(), called)).toEqual([]);
  });

  it('is told to the lead of its session, but for one whose money went back', () => {
    const facts = factsOf({ partnerSession: 'visit-1' });
    const { payment } = facts;
    const of = (state: Partial<Transaction.Payment>) =>
      commandsTo('lead', happened.captured(), { ...facts, payment: { ...payment, ...state } });
    expect(of({ capturedMinor: 1_999n })).toMatchObject([
      {
        type: 'SeeTransaction',
        sessionId: 'visit-1',
        sandbox: false,
        transaction: { transactionId, amountMinor: 1_999n, capturedAt: CAPTURED_AT },
      },
    ]);
    expect(of({ capturedMinor: 0n })).toEqual([]);
    expect(of({ capturedMinor: 1_999n, partnerSession: null })).toEqual([]);
  });

  it('reports the purchase to its customer', () => {
    const address = (phone: string): Transaction.Address => ({
      addressType: 'DEFAULT',
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      address: '1 Analytical Row',
      city: 'London',
      postalCode: 'W1',
      state: '',
      countryCode: 'GB',
      phone,
    });
    const addresses = [address(''), address('+44 20 1')];
    expect(commandsTo('customer', happened.captured(), factsOf({ card, addresses }))).toEqual([
      {
        type: 'RecordPurchase',
        tenantId,
        sandbox: false,
        customerId: 601,
        email: 'ada@example.com',
        firstName: 'Ada',
        lastName: 'Lovelace',
        phone: '+44 20 1',
        addresses,
        card,
        paymentMethodId: transactionId,
        orderedAt: SUBMITTED_AT,
        at: CAPTURED_AT,
      },
    ]);
  });
});

describe('the failure of a rebill', () => {
  it.each<[string, Event, object]>([
    ['a decline', happened.declined(), { declineCode: '05', hard: true }],
    ['a failure', happened.failed(), { declineCode: 'processing_error', hard: false }],
    [
      'a call that was never received',
      { type: 'PaymentFailed', note: Transaction.NEVER_RECEIVED, at: SUBMITTED_AT },
      { declineCode: 'never_received', hard: false },
    ],
    ...Subscription.NOT_ASKED.map((note): [string, Event, object] => [
      `not being asked for (${note})`,
      { type: 'PaymentFailed', note, at: SUBMITTED_AT },
      { declineCode: note, hard: false },
    ]),
    ['the black list', happened.blocked(), { declineCode: 'blocked', hard: true }],
    ['an action', happened.expired(), { declineCode: 'authentication_required', hard: true }],
  ])('by %s is recorded with the policy of the tenant', (_what, event, recorded) => {
    const dunning: Tenant.Dunning = { retryAfterDays: [2, 9], mails: [] };
    for (const [facts, attempt] of [
      [REBILL, 1],
      [RETRY, 2],
    ] as const) {
      expect(Policies.followUpsOf(event, factsOf(facts, { dunning }))).toEqual([
        {
          to: 'subscription',
          command: {
            type: 'RecordRebillFailure',
            ...TRY,
            attempt,
            ...recorded,
            dunning,
            retryInsufficientFunds: true,
            at: SUBMITTED_AT,
          },
          name: [transactionId, 'rebill-failure', '91'],
        },
      ]);
    }
  });

  it('of an order, with plans or without, leads to nothing', () => {
    for (const event of [
      happened.declined(),
      happened.failed(),
      happened.blocked(),
      happened.expired(),
    ]) {
      expect(Policies.followUpsOf(event, factsOf(STARTING))).toEqual([]);
      expect(Policies.followUpsOf(event, factsOf())).toEqual([]);
    }
  });
});

describe('a dispute', () => {
  const chargeback = happened.chargebackOpened();
  const fraud = happened.alertReceived({ alertType: 'ConfirmedFraud' });

  it.each<[string, Event, string]>([
    ['chargeback', chargeback, 'chargeback'],
    ['confirmed fraud', fraud, 'confirmed-fraud'],
  ])('by %s ends what the payment starts or renews', (_what, event, reason) => {
    const ended = {
      type: 'Unsubscribe',
      tenantId,
      reason,
      requestedBy: 'system',
      notifyCustomer: false,
      at: NOW,
    };
    expect(Policies.followUpsOf(event, factsOf(STARTING))).toEqual([
      {
        to: 'subscription',
        command: { ...ended, subscriptionId: 91 },
        name: [transactionId, reason, '91'],
      },
      {
        to: 'subscription',
        command: { ...ended, subscriptionId: 92 },
        name: [transactionId, reason, '92'],
      },
    ]);
    expect(commandsTo('subscription', event, factsOf(RETRY))).toEqual([
      { ...ended, subscriptionId: 91 },
    ]);
    expect(Policies.followUpsOf(event, factsOf())).toEqual([]);
  });

  it('ends nothing where the tenant disabled it', () => {
    const facts = factsOf(STARTING, { unsubscribeOnDispute: false });
    expect(Policies.followUpsOf(chargeback, facts)).toEqual([]);
    expect(Policies.followUpsOf(fraud, facts)).toEqual([]);
  });

  it.each([
    'CustomerDispute',
    'EarlyFraudWarning',
    'AutoResolved',
    'OrderInquiry',
    'Cancellation',
  ] as const)('by an alert %s ends nothing', (alertType) => {
    const alert = happened.alertReceived({ alertType });
    expect(Policies.followUpsOf(alert, factsOf(STARTING))).toEqual([]);
  });
});

describe('erasure', () => {
  it('ends what a late payment has started', () => {
    const ended = {
      type: 'Unsubscribe',
      tenantId,
      reason: 'erasure',
      requestedBy: 'system',
      notifyCustomer: false,
      at: NOW,
    };
    expect(Policies.erasureFollowUps({ at: NOW }, factsOf(STARTING))).toEqual(
      [91, 92].map((subscriptionId) => ({
        to: 'subscription',
        command: { ...ended, subscriptionId },
        name: [transactionId, 'erasure', String(subscriptionId)],
      })),
    );
    expect(Policies.erasureFollowUps({ at: NOW }, factsOf(REBILL))).toEqual([]);
  });
});

it('follows exactly the events that something follows from', () => {
  const facts = [factsOf(STARTING), factsOf(REBILL)];
  const fraud = happened.alertReceived({ alertType: 'ConfirmedFraud' });
  const events = [...Object.values(happened).map((make) => (make as () => Event)()), fraud];
  for (const event of events) {
    const follows = facts.some((each) => Policies.followUpsOf(event, each).length > 0);
    if (event === fraud || event.type !== 'AlertReceived') {
      expect({ type: event.type, follows }).toEqual({
        type: event.type,
        follows: Policies.FOLLOWED.has(event.type),
      });
    }
  }
});

/** Command ids are made of them: under another name, what was done before an upgrade is done again. */
it.each([
  [
    'an order',
    STARTING,
    [
      [transactionId, 'start', '91'],
      [transactionId, 'start', '92'],
      [transactionId, 'purchase'],
    ],
  ],
  ['a rebill', REBILL, [[transactionId, 'renewal', '91']]],
])('names what follows from the capture of %s as it always has', (_what, facts, names) => {
  const followUps = Policies.followUpsOf(happened.captured(), factsOf(facts));
  expect(followUps.map(({ name }) => name)).toEqual(names);
});

it('derives a stable, unique id for every follow-up of a payment', () => {
  const events = [...past.captured, happened.chargebackOpened(), happened.declined()];
  const names = [factsOf(STARTING), factsOf(REBILL)].map((facts) => {
    const look = () => events.flatMap((event) => Policies.followUpsOf(event, facts));
    expect(look()).toEqual(look());
    return look().map(({ name }) => name.join('/'));
  });
  for (const each of names) expect(new Set(each).size).toBe(each.length);
});
