/** From the order to the money: what each command makes of a payment, event by event. */
import { Transaction } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import { answer, ask } from '../payment-commands.ts';
import {
  books,
  CAPTURED_AT,
  freeTerms,
  happened,
  idOf,
  NOW,
  past,
  route,
  SUBMITTED_AT,
} from '../payment-story.ts';
import { plan } from '../subscription-samples.ts';
import { whenOf } from '../when.ts';

const when = whenOf(Transaction);

function hoursAfter(instant: string, hours: number): string {
  return new Date(Date.parse(instant) + hours * 3_600_000).toISOString();
}

const card: Transaction.Card = {
  token: 'tok_1',
  fingerprint: 'f',
  bin: '411111',
  last4: '1111',
  brandId: 2,
  expMonth: 12,
  expYear: 2030,
  binCountry: 'GB',
};
const otherRoute = { ...route, merchantAccountId: 32 };
const dearTerms: Transaction.Terms = {
  ...freeTerms,
  feeCurrency: 'USD',
  discountRatePercentage: '2.9',
  gatewayTransactionFeeMinor: 10n,
  bankAuthFeeMinor: 5n,
  bankDeclineFeeMinor: 7n,
  bankAvsFeeMinor: 3n,
  customFeeMinor: 1n,
  customFeeApprovedOnlyMinor: 2n,
  reservePercentage: '5',
};
const dearRoute = { ...route, terms: dearTerms };
const usd = (account: Transaction.Fee['account'], amountMinor: bigint): Transaction.Fee => ({
  account,
  amountMinor,
  currency: 'USD',
});
const APPROVAL_FEES = [usd('fees:gateway', 10n), usd('fees:bank-auth', 5n)];
const CUSTOM_FEE = usd('fees:custom', 3n);

describe('submit', () => {
  it('starts the first attempt in the same breath when it has a route', () =>
    when([], ask.submit()).then(happened.submitted(), happened.attempted()));

  it('only keeps the order when it has none', () =>
    when([], ask.submit({ route: null })).then(happened.submitted()));

  it('takes nothing for a free trial, and knows that answer again', () => {
    const trial = { amountMinor: 0n, plans: [{ subscriptionId: 91, ...plan, trialDays: 14 }] };
    const begun = [happened.submitted(trial), happened.attempted()];
    when([], ask.submit(trial)).then(...begun);
    const taken = happened.captured({ amountMinor: 0n });
    when(begun, ask.recordOutcome(answer.captured)).then(taken);
    when([...begun, taken], ask.recordOutcome(answer.captured)).thenNothing();
    expect(Transaction.isRefunded(given(Transaction, [...begun, taken]).state as never)).toBe(
      false,
    );
  });

  it('blocks what is on the black list before any gateway is called', () =>
    when([], ask.submit({ blackListing: 3 })).then(happened.submitted(), happened.blocked()));

  it('fails at once when no gateway is to be asked', () => {
    when([], ask.submit({ refused: 'no_card' })).then(happened.submitted(), happened.attempted(), {
      type: 'PaymentFailed',
      note: 'no_card',
      at: SUBMITTED_AT,
    });
    when([], ask.submit({ refused: 'no_card', route: null })).then(happened.submitted());
  });

  it('does nothing when the same order comes again, however far it has come', () => {
    when(past.created, ask.submit()).thenNothing();
    when(past.settled, ask.submit({ at: NOW })).thenNothing();
  });

  it('is the one command that a stream begins with', () => {
    expect(Transaction.begins(ask.submit())).toBe(true);
    expect(Transaction.begins(ask.startAttempt(1))).toBe(false);
  });
});

describe('attempts', () => {
  it('starts the first attempt of a payment that had no route', () =>
    when(past.created, ask.startAttempt(1)).then({
      type: 'AttemptStarted',
      attempt: 1,
      route,
      at: NOW,
    }));

  it('counts on after a soft decline, on another account', () => {
    const declined = [...past.processing, happened.softDeclined()];
    when(declined, ask.startAttempt(2, otherRoute)).then({
      type: 'AttemptStarted',
      attempt: 2,
      route: otherRoute,
      at: NOW,
    });
  });

  it.each([
    ['is under way', past.processing],
    ['was declined', [...past.processing, happened.softDeclined()]],
    ['took the money', past.captured],
  ])('does nothing for an attempt that %s', (_, before) =>
    when(before, ask.startAttempt(1)).thenNothing(),
  );

  it('keeps the whole story of the attempts', () => {
    const { state } = given(Transaction, [
      ...past.processing,
      happened.softDeclined(),
      happened.attempted(2, otherRoute),
      happened.captured({ merchantAccountId: 32 }),
    ]);
    expect(state).toMatchObject({
      status: 'Captured',
      declineCode: '',
      attempts: [
        { attempt: 1, route, outcome: 'declined', declineCode: '51' },
        { attempt: 2, route: otherRoute, outcome: 'approved', declineCode: '' },
      ],
    });
  });

  it('forgets the decline of an earlier attempt once it is authorized', () => {
    const { state } = given(Transaction, [
      ...past.processing,
      happened.softDeclined(),
      happened.attempted(2),
      happened.authorized(),
    ]);
    expect(state).toMatchObject({ status: 'Authorized', declineCode: '' });
  });
});

describe('outcome', () => {
  it('captures', () =>
    when(past.processing, ask.recordOutcome(answer.captured)).then(happened.captured()));

  it.each([
    ['captured', answer.captured, happened.captured({ cardBrandId: 2 })],
    ['declined', answer.declinedHard, { ...happened.declined(), cardBrandId: 2 }],
  ] as const)('names the network of the card that was %s', (_, outcome, event) =>
    when([happened.submitted({ card }), happened.attempted()], ask.recordOutcome(outcome)).then(
      event as Transaction.Event,
    ),
  );

  it('authorizes', () =>
    when(past.processing, ask.recordOutcome(answer.authorized)).then(happened.authorized()));

  it('charges the approval, the address check and the discount, and holds the reserve', () =>
    when(
      [happened.submitted(), happened.attempted(1, dearRoute)],
      ask.recordOutcome({ ...answer.captured, avsChecked: true }),
    ).then(
      happened.captured({
        fees: [
          ...APPROVAL_FEES,
          usd('fees:bank-avs', 3n),
          CUSTOM_FEE,
          { account: 'fees:discount', amountMinor: 290n, currency: 'GBP' },
        ],
        reserveMinor: 500n,
      }),
    ));

  it('charges an authorization for the approval alone', () =>
    when(
      [happened.submitted(), happened.attempted(1, dearRoute)],
      ask.recordOutcome(answer.authorized),
    ).then(happened.authorized({ fees: [...APPROVAL_FEES, CUSTOM_FEE] })));

  const declined = (facts: object) =>
    ({
      type: 'PaymentDeclined',
      ...books,
      cardBrandId: 0,
      declineCode: '51',
      hard: false,
      gatewayTransactionId: 'gateway-1',
      note: 'insufficient funds',
      fees: [],
      skipped: [],
      at: SUBMITTED_AT,
      ...facts,
    }) as Transaction.Event;

  it('continues after a soft decline when another account will be tried', () =>
    when(past.processing, ask.recordOutcome(answer.declinedSoft)).then(happened.softDeclined()));

  it('charges nothing for an attempt that was not made, since credentials were refused', () => {
    const declineCode = Transaction.CREDENTIALS_REFUSED;
    when(
      [happened.submitted(), happened.attempted(1, dearRoute)],
      ask.recordOutcome({ ...answer.declinedSoft, declineCode }),
    ).then({ ...happened.softDeclined(), declineCode, fees: [] } as Transaction.Event);
  });

  it('ends with a soft decline when there is no other account', () =>
    when(
      past.processing,
      ask.recordOutcome({ ...answer.declinedSoft, retryElsewhere: false }),
    ).then(declined({})));

  it('ends with a hard decline whatever else could be tried', () =>
    when(past.processing, ask.recordOutcome(answer.declinedHard)).then(happened.declined()));

  it('charges a decline', () =>
    when(
      [happened.submitted(), happened.attempted(1, dearRoute)],
      ask.recordOutcome({ ...answer.declinedSoft, retryElsewhere: false }),
    ).then(
      declined({
        fees: [usd('fees:gateway', 10n), usd('fees:bank-decline', 7n), usd('fees:custom', 1n)],
      }),
    ));

  it('makes a soft decline final when no account is left, and charges it once', () => {
    const tried = [happened.submitted(), happened.attempted(1, dearRoute), happened.softDeclined()];
    const final = ask.recordOutcome({ ...answer.declinedSoft, retryElsewhere: false });
    when(tried, final).then(declined({}));
    when([...tried, declined({})], final).thenNothing();
  });

  it('fails', () =>
    when(past.processing, ask.recordOutcome(answer.failed)).then(happened.failed()));

  it('is no news the second time', () => {
    const seen = (event: Transaction.Event) => given(Transaction, [...past.processing, event]);
    seen(happened.captured()).when(ask.recordOutcome(answer.captured)).thenNothing();
    seen(happened.captured()).when(ask.recordOutcome(answer.authorized)).thenNothing();
    seen(happened.authorized()).when(ask.recordOutcome(answer.authorized)).thenNothing();
    seen(happened.softDeclined()).when(ask.recordOutcome(answer.declinedSoft)).thenNothing();
    seen(happened.declined()).when(ask.recordOutcome(answer.declinedHard)).thenNothing();
    seen(happened.failed()).when(ask.recordOutcome(answer.failed)).thenNothing();
    seen(happened.unknown()).when(ask.recordOutcome(answer.unknown)).thenNothing();
    seen(happened.actionRequired()).when(ask.recordOutcome(answer.actionRequired)).thenNothing();
  });

  it('is no news of an earlier attempt either', () =>
    when(
      [...past.processing, happened.softDeclined(), happened.attempted(2)],
      ask.recordOutcome(answer.declinedSoft, 1),
    ).thenNothing());

  it('is no news of a later attempt, whatever became of the earlier one', () => {
    const second = [...past.processing, happened.softDeclined(), happened.attempted(2)];
    when([...second, happened.captured()], ask.recordOutcome(answer.captured, 2)).thenNothing();
  });
});

describe('unknown outcome', () => {
  const unknown = [...past.processing, happened.unknown()];

  it('waits for the gateway to be asked', () => {
    when(past.processing, ask.recordOutcome(answer.unknown)).then(happened.unknown());
    expect(given(Transaction, unknown).state).toMatchObject({ status: 'Unknown' });
  });

  it.each([
    ['captured', answer.captured, happened.captured()],
    ['authorized', answer.authorized, happened.authorized()],
    ['declined', answer.declinedHard, happened.declined()],
    ['failed', answer.failed, happened.failed()],
  ] as const)('is found %s', (_, outcome, event) =>
    when(unknown, ask.recordOutcome(outcome)).then(event),
  );

  it('ends when it is found softly declined: it is too late for another account', () =>
    when(unknown, ask.recordOutcome(answer.declinedSoft)).then({
      type: 'PaymentDeclined',
      ...books,
      cardBrandId: 0,
      declineCode: '51',
      hard: false,
      gatewayTransactionId: 'gateway-1',
      note: 'insufficient funds',
      fees: [],
      skipped: [],
      at: SUBMITTED_AT,
    }));
});

describe('customer action', () => {
  const required = [...past.processing, happened.actionRequired()];

  it('is asked for, and shown until it is done', () => {
    when(past.processing, ask.recordOutcome(answer.actionRequired)).then(happened.actionRequired());
    const nextAction = { type: 'redirect', url: 'https://example.com/3ds' };
    expect(given(Transaction, required).state).toMatchObject({ nextAction });
    const done = given(Transaction, [...required, happened.actionCompleted()]);
    expect(done.state).toMatchObject({ status: 'Processing', nextAction: null });
  });

  it('is completed once, and the gateway answers again', () => {
    when(required, ask.completeAction()).then({ type: 'ActionCompleted', attempt: 1, at: NOW });
    const completed = [...required, happened.actionCompleted()];
    when(completed, ask.completeAction()).thenNothing();
    when(completed, ask.recordOutcome(answer.captured)).then(happened.captured());
    when(completed, ask.recordOutcome(answer.authorized)).then(happened.authorized());
  });

  it('is failed by the customer: declined, and not tried elsewhere', () => {
    when(required, ask.recordOutcome({ ...answer.declinedHard, hard: false })).then({
      ...happened.declined(),
      hard: false,
    } as Transaction.Event);
    const declined = [...required, happened.declined()];
    expect(given(Transaction, declined).state).toMatchObject({ nextAction: null });
  });

  it('runs out', () => {
    when(required, ask.expire()).then({ type: 'AuthorizationExpired', note: 'ran out', at: NOW });
    when([...required, happened.expired()], ask.expire()).thenNothing();
  });

  it('runs out a day after it was asked for', () => {
    const { state } = given(Transaction, required);
    const dueAt = hoursAfter(SUBMITTED_AT, 24);
    expect(state && Transaction.expiryOf(state)).toEqual({ of: 'action', at: dueAt });
    when(required, ask.expire(dueAt)).then({
      type: 'AuthorizationExpired',
      note: 'ran out',
      at: NOW,
    });
  });

  it('is not ended by the end of the one before it', () => {
    const later = hoursAfter(SUBMITTED_AT, 23);
    const again = [
      ...required,
      happened.actionCompleted(),
      happened.softDeclined(),
      happened.attempted(2),
      { ...happened.actionRequired(2), at: later },
    ];
    const { state } = given(Transaction, again);
    expect(state && Transaction.expiryOf(state)?.at).toBe(hoursAfter(later, 24));
    when(again, ask.expire(hoursAfter(SUBMITTED_AT, 24))).thenNothing();
  });
});

describe('an authorization', () => {
  const expiryAfter = (...events: Transaction.Event[]) => {
    const { state } = given(Transaction, [...past.authorized, ...events]);
    return state === null ? undefined : Transaction.expiryOf(state);
  };
  const stands = { of: 'authorization', at: hoursAfter(SUBMITTED_AT, 7 * 24) };

  it('lasts seven days, however often its capture fails', () => {
    expect(expiryAfter()).toEqual(stands);
    const failed = { ...happened.captureFailed(), at: hoursAfter(SUBMITTED_AT, 48) };
    expect(expiryAfter(happened.captureRequested(), failed)).toEqual(stands);
  });

  it('waits for a capture or void that is under way', () => {
    expect(expiryAfter(happened.captureRequested())).toBeUndefined();
    expect(expiryAfter(happened.voidRequested())).toBeUndefined();
  });

  it('has no end once it is captured, voided or over', () => {
    expect(expiryAfter(happened.captureRequested(), happened.captured())).toBeUndefined();
    expect(expiryAfter(happened.voidRequested(), happened.voided())).toBeUndefined();
    expect(expiryAfter(happened.expired())).toBeUndefined();
  });
});

describe('capture', () => {
  const requested = [...past.authorized, happened.captureRequested(4_000n)];

  it('asks for all that was authorized, or for a part', () => {
    when(past.authorized, ask.capture()).then({
      ...happened.captureRequested(10_000n),
      at: NOW,
    } as Transaction.Event);
    when(past.authorized, ask.capture(4_000n)).then({
      ...happened.captureRequested(4_000n),
      at: NOW,
    } as Transaction.Event);
  });

  it('takes the part, with the discount and the reserve of that part', () =>
    when(
      [
        happened.submitted(),
        happened.attempted(1, dearRoute),
        happened.authorized(),
        happened.captureRequested(4_000n),
      ],
      ask.recordCapture(),
    ).then(
      happened.captured({
        amountMinor: 4_000n,
        gatewayTransactionId: 'gateway-2',
        fees: [{ account: 'fees:discount', amountMinor: 116n, currency: 'GBP' }],
        reserveMinor: 200n,
        at: NOW,
      }),
    ));

  it('leaves the rest of the authorization behind', () => {
    const { state } = given(Transaction, [
      ...requested,
      happened.captured({ amountMinor: 4_000n }),
    ]);
    expect(state).toMatchObject({
      status: 'Captured',
      authorizedMinor: 10_000n,
      capturedMinor: 4_000n,
      capturedAt: CAPTURED_AT,
      pendingCapture: null,
      captureId: idOf('capture'),
    });
  });

  it('may fail, and be requested again under another id', () => {
    when(requested, ask.recordCaptureFailure()).then({
      ...happened.captureFailed(),
      at: NOW,
    } as Transaction.Event);
    when([...requested, happened.captureFailed()], ask.capture(undefined, 2)).then({
      ...happened.captureRequested(10_000n, 2),
      at: NOW,
    } as Transaction.Event);
  });

  it('is no news the second time', () => {
    when(requested, ask.capture(4_000n)).thenNothing();
    const captured = [...requested, happened.captured({ amountMinor: 4_000n })];
    when(captured, ask.capture(4_000n)).thenNothing();
    when(captured, ask.recordCapture()).thenNothing();
    const failed = [...requested, happened.captureFailed()];
    when(failed, ask.recordCaptureFailure()).thenNothing();
  });
});

describe('void', () => {
  it('is asked for before and after the capture', () => {
    const requested = { type: 'VoidRequested', voidId: idOf('void'), at: NOW } as const;
    when(past.authorized, ask.void()).then(requested);
    when(past.captured, ask.void()).then(requested);
    const failedRefund = [happened.refundRequested(), happened.refundFailed()];
    when([...past.captured, ...failedRefund], ask.void()).then(requested);
  });

  it('gives nothing back of an authorization', () =>
    when([...past.authorized, happened.voidRequested()], ask.recordVoid()).then(
      happened.voided({ amountMinor: 0n }),
    ));

  it('gives back the capture with its percentage fee, and frees what is still held in reserve', () => {
    const terms = { ...freeTerms, discountRatePercentage: '2.9', gatewayTransactionFeeMinor: 30n };
    const captured = [
      happened.submitted(),
      happened.attempted(1, { ...route, terms }),
      happened.captured({ reserveMinor: 500n }),
      happened.reserveReleased(200n),
    ];
    const discount = { account: 'fees:discount', amountMinor: 290n, currency: 'GBP' } as const;
    const voided = happened.voided({ reserveMinor: 300n, reversedFees: [discount] });
    const requested = [...captured, happened.voidRequested()];
    when(requested, ask.recordVoid()).then(voided);
    expect(given(Transaction, [...requested, voided]).state).toMatchObject({
      status: 'Voided',
      capturedMinor: 0n,
      reserveHeldMinor: 0n,
      voided: { voidId: idOf('void'), amountMinor: 10_000n, requestedAt: NOW, completedAt: NOW },
    });
  });

  it('may fail, and be requested again under another id', () => {
    const requested = [...past.captured, happened.voidRequested()];
    when(requested, ask.recordVoidFailure()).then(happened.voidFailed());
    when([...requested, happened.voidFailed()], ask.void(2)).then(happened.voidRequested(2));
  });

  it('is no news the second time', () => {
    const requested = [...past.captured, happened.voidRequested()];
    when(requested, ask.void()).thenNothing();
    when([...requested, happened.voided()], ask.void()).thenNothing();
    when([...requested, happened.voided()], ask.recordVoid()).thenNothing();
    when([...requested, happened.voidFailed()], ask.recordVoidFailure()).thenNothing();
  });
});

describe('settlement and reserve', () => {
  it('pays out once', () => {
    when(past.captured, ask.settle(9_700n)).then(happened.settled(9_700n));
    when(past.settled, ask.settle()).thenNothing();
    when(past.captured, ask.settle(9_700n, '')).then({
      ...happened.settled(9_700n),
      reference: '',
    } as Transaction.Event);
  });

  it('releases the whole reserve, or a part of it', () => {
    const held = [...past.authorized, happened.captured({ reserveMinor: 500n })];
    when(held, ask.releaseReserve()).then(happened.reserveReleased(500n));
    when(held, ask.releaseReserve(200n)).then(happened.reserveReleased(200n));
    when([...held, happened.reserveReleased(200n)], ask.releaseReserve(undefined, 2)).then(
      happened.reserveReleased(300n, 2),
    );
    when([...held, happened.reserveReleased(500n)], ask.releaseReserve(undefined, 2)).thenNothing();
  });

  it('releases a part once, however often the release is asked for', () => {
    const held = [...past.authorized, happened.captured({ reserveMinor: 500n })];
    when([...held, happened.reserveReleased(200n)], ask.releaseReserve(200n)).thenNothing();
  });
});

it('writes every fact of a payment through its own schema and reads it back', () => {
  const { state } = given(Transaction, [
    ...past.authorized,
    happened.captureRequested(),
    happened.captured(),
    happened.alertReceived(),
    happened.refundRequested({ amountMinor: 1_000n }),
    happened.refunded({ amountMinor: 1_000n }),
    happened.chargebackOpened({ beyondCapturedMinor: 1_000n }),
  ]);
  const text = JSON.stringify(Transaction.Payment.encode(state as Transaction.Payment));
  expect(Transaction.Payment.decode(JSON.parse(text))).toEqual(state);
});
