/** Checkout sessions: paid at most once, one card at a time, and nothing after the end. */
import { CheckoutSession, fold, type TenantId, type TransactionId } from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(CheckoutSession);
const tenantId = 7 as TenantId;
const sessionId = '0192f000-0000-4000-8000-000000000001';
const START_MS = Date.parse('2026-01-10T12:00:00.000Z');
const MINUTE_MS = 60_000;
const minute = (minutes: number) => new Date(START_MS + minutes * MINUTE_MS).toISOString();
const paymentOf = (number: number) =>
  `0192f000-0000-4000-8000-0000000000${String(number).padStart(2, '0')}` as TransactionId;

const ordered: CheckoutSession.Ordered = {
  sandbox: false,
  customerId: 601,
  email: 'ann@shop.example',
  firstName: 'Ann',
  lastName: 'Low',
  amountMinor: 1_999n,
  currency: 'GBP',
  captureMode: 'automatic',
  applicationId: 1,
  companyId: 1,
  orderId: null,
  pinnedMerchantAccountId: null,
  shopId: null,
  campaignId: null,
  affiliateId: null,
  productId: null,
  pricePointId: null,
  plans: [],
  partnerSession: 'visit-1',
  serviceSession: 'visit',
  items: [],
  addresses: [],
};
const open = (
  more: Partial<Extract<CheckoutSession.Command, { type: 'OpenCheckoutSession' }>> = {},
) =>
  ({
    type: 'OpenCheckoutSession',
    tenantId,
    sessionId,
    ...ordered,
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/cart',
    expiresAt: minute(30),
    at: minute(0),
    ...more,
  }) as const;
const begin = (number: number, at = minute(1), paymentId = paymentOf(number)) =>
  ({ type: 'BeginTry', tenantId, sessionId, number, paymentId, at }) as const;
const end = (number: number, isPaid: boolean, at = minute(2)) =>
  ({
    type: 'EndTry',
    tenantId,
    sessionId,
    number,
    paymentId: paymentOf(number),
    isPaid,
    at,
  }) as const;

/** The events of commands that are accepted, and of those that are not none. */
function after(...commands: CheckoutSession.Command[]): readonly CheckoutSession.Event[] {
  const past: CheckoutSession.Event[] = [];
  for (const command of commands) {
    const decided = CheckoutSession.decide(fold(CheckoutSession, past), command);
    if (decided._tag === 'Right') past.push(...decided.right);
  }
  return past;
}

describe('a session', () => {
  it('opens once', () => {
    expect(after(open())).toMatchObject([{ type: 'CheckoutSessionOpened', amountMinor: 1_999n }]);
    when(after(open()), open()).thenRejected({ type: 'CheckoutSessionExists' });
  });

  it.each([
    ['too soon', 4],
    ['in the past', -1],
    ['too late', 30 * 24 * 60 + 1],
  ])('does not open with an end that is %s', (_, minutes) => {
    when([], open({ expiresAt: minute(minutes) })).thenRejected({
      type: 'CheckoutExpiryOutOfRange',
      minMinutes: 5,
      maxMinutes: 43_200,
    });
  });

  it('is needed by a try', () => {
    when([], begin(1)).thenRejected({ type: 'CheckoutSessionUnknown' });
  });

  it('takes one card at a time, and the same one again', () => {
    const past = after(open(), begin(1));
    when(past, begin(1)).thenNothing();
    when(past, begin(2)).thenRejected({ type: 'CheckoutTryUnderWay' });
    when(past, begin(1, minute(1), paymentOf(9))).thenRejected({ type: 'CheckoutTryUnderWay' });
  });

  it('takes another card after one that failed', () => {
    const past = after(open(), begin(1), end(1, false));
    when(past, begin(1)).thenRejected({ type: 'CheckoutTryUnderWay' });
    const at = minute(3);
    when(past, begin(2, at)).then({
      type: 'CheckoutTryBegun',
      number: 2,
      paymentId: paymentOf(2),
      at,
    });
  });

  it('takes no more once it is paid', () => {
    const past = after(open(), begin(1), end(1, true));
    when(past, begin(2)).thenRejected({ type: 'CheckoutSessionNotOpen', status: 'complete' });
    when(past, end(1, true)).thenNothing();
    when(past, end(1, false)).thenNothing();
  });

  it('takes none at its end or later, a try that was begun among them', () => {
    const late = { type: 'CheckoutSessionNotOpen', status: 'expired' } as const;
    when(after(open()), begin(1, minute(30))).thenRejected(late);
    when(after(open(), begin(1)), begin(1, minute(30))).thenRejected(late);
  });

  it('of an erased person has ended', () => {
    when(after(open({ email: '' })), begin(1)).thenRejected({
      type: 'CheckoutSessionNotOpen',
      status: 'expired',
    });
  });

  it('is complete by a payment that was begun in time and found paid later', () => {
    const past = after(open(), begin(1), end(1, true, minute(60)));
    expect(fold(CheckoutSession, past)?.progress).toBe('paid');
  });

  it('takes no more than ten cards', () => {
    const failed = Array.from({ length: CheckoutSession.MAX_TRIES }, (_, index) => [
      begin(index + 1),
      end(index + 1, false),
    ]).flat();
    when(after(open(), ...failed), begin(11)).thenRejected({
      type: 'CheckoutTriesUsedUp',
      max: 10,
    });
  });
});

describe('whatever happens in whatever order', () => {
  const aTry = fc.record({
    number: fc.integer({ min: 1, max: 4 }),
    at: fc.integer({ min: 0, max: 40 }).map(minute),
    isPaid: fc.boolean(),
    kind: fc.constantFrom('begin', 'end'),
  });

  it('is one payment under way at most, none after a paid one, and none begun after the end', () => {
    fc.assert(
      fc.property(fc.array(aTry, { maxLength: 40 }), (tries) => {
        const commands = tries.map(({ kind, number, at, isPaid }) =>
          kind === 'begin' ? begin(number, at) : end(number, isPaid, at),
        );
        const events = after(open(), ...commands).slice(1);
        let underWay = 0;
        let paid = 0;
        for (const event of events) {
          if (event.type === 'CheckoutTryBegun') {
            underWay += 1;
            expect(event.at < minute(30) && paid === 0).toBe(true);
          } else underWay -= 1;
          if (event.type === 'CheckoutSessionCompleted') paid += 1;
          expect([0, 1]).toContain(underWay);
        }
        expect(paid).toBeLessThanOrEqual(1);
        expect(fold(CheckoutSession, after(open(), ...commands))?.amountMinor).toBe(1_999n);
      }),
    );
  });
});
