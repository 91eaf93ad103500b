/** What the events make of a payment and of its children, fact by fact. */
import { Transaction } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import {
  type Event,
  happened,
  idOf,
  NOW,
  order,
  past,
  route,
  SUBMITTED_AT,
  transactionId,
} from '../payment-story.ts';

const paymentOf = (events: readonly Event[]) =>
  given(Transaction, events).state as Transaction.Payment;

describe('order', () => {
  const required = {
    orderId: 501,
    customerId: 601,
    email: 'ada@example.com',
    amountMinor: 10_000n,
    currency: 'GBP',
    companyId: 11,
  };

  it('has neutral values for what is not given', () => {
    const neutral = { ...order, firstName: '', lastName: '', serviceSession: '' };
    expect(Transaction.orderOf(required)).toEqual(neutral);
  });

  it('keeps what is given', () => {
    expect(Transaction.orderOf({ ...required, ...order })).toEqual(order);
  });
});

describe('facts of an order', () => {
  const card = {
    token: 'tok_1',
    fingerprint: '',
    bin: '',
    last4: '',
    brandId: 0,
    expMonth: 1,
    expYear: 2030,
    binCountry: '',
  };
  const text = { email: '', firstName: '', lastName: '', address: '', city: '', postalCode: '' };
  const address = { ...text, addressType: 'DEFAULT', state: '', countryCode: '', phone: '' };
  const session = {
    ...{ id: '', ip: '', useragent: '', url: '', timestamp: NOW },
    ...{ ipCity: '', ipCountryCode: '' },
  };

  /** Whether a fact fits, in a card, an address or a session that is neutral beside it. */
  const fits = {
    card: (facts: object) => Transaction.Card.safeParse({ ...card, ...facts }).success,
    address: (facts: object) => Transaction.Address.safeParse({ ...address, ...facts }).success,
    session: (facts: object) => Transaction.Session.safeParse({ ...session, ...facts }).success,
  };

  it.each([
    ['card', { bin: '', last4: '' }],
    ['card', { bin: '424242', last4: '0042' }],
    ['card', { bin: '42424242' }],
    ['address', {}],
    ['address', { addressType: 'SHIPPING', countryCode: 'GB' }],
    ['session', {}],
    ['session', { ipCountryCode: 'GB' }],
  ] as const)('may have a %s with %j', (kind, facts) => {
    expect(fits[kind](facts)).toBe(true);
  });

  it.each([
    ['card', { bin: '4242424' }],
    ['card', { bin: '424242424' }],
    ['card', { bin: '4' }],
    ['card', { bin: 'x424242' }],
    ['card', { bin: '424242x' }],
    ['card', { last4: '10042' }],
    ['card', { last4: '0042x' }],
    ['card', { last4: '42' }],
    ['card', { brandId: 7 }],
    ['card', { expMonth: 13 }],
    ['card', { number: '4242424242424242' }],
    ['address', { addressType: '' }],
    ['address', { countryCode: 'GBR' }],
    ['session', { ipCountryCode: 'GBR' }],
    ['session', { timestamp: '2026-01-01' }],
  ] as const)('never have a %s with %j', (kind, facts) => {
    expect(fits[kind](facts)).toBe(false);
  });
});

describe('payment', () => {
  it('begins with the order, and nothing else', () => {
    expect(paymentOf(past.created)).toEqual({
      ...order,
      transactionId,
      submittedAt: SUBMITTED_AT,
      changedAt: SUBMITTED_AT,
      completedAt: null,
      status: 'Created',
      blackListing: 0,
      attempts: [],
      skipped: [],
      nextAction: null,
      authorizedMinor: 0n,
      authorizedAt: null,
      capturedMinor: 0n,
      capturedAt: null,
      unknownSince: null,
      pendingCapture: null,
      pendingVoid: null,
      failedRequestIds: [],
      captureId: null,
      voided: null,
      settledMinor: 0n,
      settlementReference: '',
      settlements: [],
      captureFeesMinor: 0n,
      otherFees: [],
      reserveHeldMinor: 0n,
      reserveReleasedMinor: 0n,
      releaseIds: [],
      authCode: '',
      gatewayTransactionId: '',
      arn: '',
      declineCode: '',
      note: '',
      refunds: [],
      chargebacks: [],
      alerts: [],
    });
  });

  const pending = { attempt: 1, route, startedAt: SUBMITTED_AT, declineCode: '', note: '' };

  it.each([
    ['under way', past.processing, 'pending'],
    [
      'waiting for the customer',
      [...past.processing, happened.actionRequired()],
      'action-required',
    ],
  ] as const)('has an attempt that is %s, without details yet', (_, events, outcome) => {
    expect(paymentOf(events).attempts).toEqual([{ ...pending, outcome }]);
  });

  it('gets no attempt out of the outcome of none', () => {
    expect(paymentOf([...past.created, happened.captured()]).attempts).toEqual([]);
  });
});

describe('refund', () => {
  const asked = {
    refundId: idOf('refund'),
    amountMinor: 10_000n,
    items: [],
    adjustments: [],
    alertId: null,
    reason: null,
    requestedAt: NOW,
  };

  it('on its way has no outcome yet', () => {
    expect(paymentOf([...past.captured, happened.refundRequested()]).refunds).toEqual([
      {
        ...asked,
        status: 'RefundPending',
        source: 'CustomerService',
        notifyCustomer: false,
        requestedBy: 'agent@example.com',
        completedAt: null,
        reversedAt: null,
        gatewayTransactionId: '',
        arn: '',
        note: '',
      },
    ]);
  });

  it('of the network has no requester and no gateway id', () => {
    expect(paymentOf([...past.captured, happened.networkRefunded()]).refunds).toEqual([
      {
        ...asked,
        refundId: idOf('refund', 9),
        status: 'Refunded',
        source: 'RDR',
        notifyCustomer: false,
        requestedBy: '',
        completedAt: NOW,
        reversedAt: null,
        gatewayTransactionId: '',
        arn: 'arn-3',
        note: '',
      },
    ]);
  });

  const two = [
    ...past.captured,
    happened.refundRequested({ amountMinor: 6_000n }),
    happened.refundRequested({ refundId: idOf('refund', 2), amountMinor: 4_000n }),
  ];

  it.each([
    ['Refunded', happened.refunded({ amountMinor: 6_000n })],
    ['RefundFailed', happened.refundFailed()],
  ])('takes its own outcome %s, and leaves the younger one alone', (status, outcome) => {
    const statuses = paymentOf([...two, outcome]).refunds.map((refund) => refund.status);
    expect(statuses).toEqual([status, 'RefundPending']);
  });

  it('that there is none of changes none of the others', () => {
    const payment = paymentOf(two);
    const after = Transaction.evolve(payment, happened.refundFailed(3));
    expect(after?.refunds).toBe(payment.refunds);
  });
});

describe('chargeback', () => {
  const opened = [...past.captured, happened.chargebackOpened()];

  it.each([
    ['ChargebackUnderReview', null],
    ['ChargebackLost', NOW],
    ['ChargebackAccepted', NOW],
  ] as const)('%s was completed at %s', (status, completedAt) => {
    const [chargeback] = paymentOf([...opened, happened.chargebackMoved(status)]).chargebacks;
    expect(chargeback).toMatchObject({ status, completedAt });
  });
});
