/** The books: which lines each event posts, line by line, and that they always balance. */
import {
  ACCOUNTS,
  type Event,
  type JournalEntry,
  type JournalLine,
  journal,
  MONEY_EVENTS,
  type Transaction,
} from '@counterfoil/core';
import { arbitraries, expectBalanced, paymentHistory } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes, samples } from './event-samples.ts';
import { CAPTURED_AT, happened, NOW, SUBMITTED_AT } from './payment-story.ts';

type Account = JournalLine['account'];
type Row = readonly [debit: Account, credit: Account, amountMinor: bigint, currency?: string];

/** Each move as its two lines: the debit, then the credit. */
const lines = (...rows: readonly Row[]): readonly JournalLine[] =>
  rows.flatMap(([debit, credit, amountMinor, currency = 'GBP']) => [
    { account: debit, currency, debitMinor: amountMinor, creditMinor: 0n },
    { account: credit, currency, debitMinor: 0n, creditMinor: amountMinor },
  ]);

const RECEIVABLE = 'acquirer-receivable';
const every: readonly Transaction.Fee['account'][] = [
  'fees:discount',
  'fees:gateway',
  'fees:bank-auth',
  'fees:bank-decline',
  'fees:bank-avs',
  'fees:custom',
  'fees:chargeback',
  'fees:alert',
  'fees:rdr',
  'fees:cdrn',
];
const fees: Transaction.Fee[] = [
  { account: 'fees:gateway', amountMinor: 10n, currency: 'USD' },
  { account: 'fees:discount', amountMinor: 290n, currency: 'GBP' },
];
const FEES: readonly Row[] = [
  ['fees:gateway', RECEIVABLE, 10n, 'USD'],
  ['fees:discount', RECEIVABLE, 290n],
];
const withFees = (event: Event): Event => ({ ...event, fees }) as Event;

const POSTING = [
  'AlertReceived',
  'AttemptDeclined',
  'ChargebackOpened',
  'ChargebackWithdrawn',
  'ChargebackWon',
  'MovementSettled',
  'NetworkRefunded',
  'PaymentAuthorized',
  'PaymentCaptured',
  'PaymentDeclined',
  'PaymentSettled',
  'PaymentVoided',
  'RefundReversed',
  'Refunded',
  'ReserveReleased',
];

describe('what may post', () => {
  it('is derived from payments only', () => {
    expect([...MONEY_EVENTS].sort()).toEqual(POSTING);
    // They name an account and an environment too, and post nothing.
    expect(journal(samples.get('SubscriptionStarted') as Event)).toBeUndefined();
    expect(journal(samples.get('MonthlyCapReached') as Event)).toBeUndefined();
  });
});

describe('entries', () => {
  it.each([
    ['an authorization its fees', happened.authorized({ fees }), SUBMITTED_AT, FEES],
    ['a decline its fees', withFees(happened.declined()), SUBMITTED_AT, FEES],
    ['a soft decline its fees', withFees(happened.softDeclined()), SUBMITTED_AT, FEES],
    ['an alert its fees', happened.alertReceived({ fees }), NOW, FEES],
    [
      'a capture sales, its fees and the reserve',
      happened.captured({ fees, reserveMinor: 500n }),
      CAPTURED_AT,
      [[RECEIVABLE, 'sales', 10_000n], ...FEES, ['reserve', RECEIVABLE, 500n]],
    ],
    ['a refund', happened.refunded({ amountMinor: 60n }), NOW, [['refunds', RECEIVABLE, 60n]]],
    ['a refund that came back', happened.refundReversed(), NOW, [[RECEIVABLE, 'refunds', 10_000n]]],
    [
      'a network credit and its fees',
      happened.networkRefunded({ amountMinor: 60n, fees }),
      NOW,
      [['refunds', RECEIVABLE, 60n], ...FEES],
    ],
    [
      'a chargeback and its fee',
      happened.chargebackOpened({ fees, beyondCapturedMinor: 6_000n }),
      NOW,
      [['chargebacks', RECEIVABLE, 10_000n], ...FEES],
    ],
    [
      'a chargeback won, the reverse',
      happened.chargebackReversed('ChargebackWon'),
      NOW,
      [[RECEIVABLE, 'chargebacks', 10_000n]],
    ],
    [
      'a chargeback withdrawn, the reverse',
      happened.chargebackReversed('ChargebackWithdrawn'),
      NOW,
      [[RECEIVABLE, 'chargebacks', 10_000n]],
    ],
    [
      'a void after the capture, the reverse with the reserve and what was a part of it',
      happened.voided({
        reserveMinor: 500n,
        reversedFees: [{ account: 'fees:discount', amountMinor: 290n, currency: 'GBP' }],
      }),
      NOW,
      [
        ['sales', RECEIVABLE, 10_000n],
        [RECEIVABLE, 'reserve', 500n],
        [RECEIVABLE, 'fees:discount', 290n],
      ],
    ],
    ['a settlement', happened.settled(9_700n), NOW, [['bank', RECEIVABLE, 9_700n]]],
    ['what the acquirer keeps', happened.settled(-5n), NOW, [[RECEIVABLE, 'bank', 5n]]],
    ['a refund settled', happened.movementSettled(), NOW, [[RECEIVABLE, 'bank', 10_000n]]],
    [
      'a reversal settled',
      happened.movementSettled({ kind: 'reversal', amountMinor: 5n }),
      NOW,
      [['bank', RECEIVABLE, 5n]],
    ],
    ['a reserve released', happened.reserveReleased(500n), NOW, [[RECEIVABLE, 'reserve', 500n]]],
  ] satisfies [string, Event, string, readonly Row[]][])('%s', (_, event, at, rows) => {
    expect(journal(event)).toEqual({
      sandbox: false,
      merchantAccountId: 31,
      description: event.type,
      at,
      lines: lines(...rows),
    });
  });

  it.each(every)('charge %s to its own account', (account) => {
    const fee = { account, amountMinor: 7n, currency: 'GBP' };
    expect(journal(happened.authorized({ fees: [fee] }))?.lines).toEqual(
      lines([account, RECEIVABLE, 7n]),
    );
  });

  it('belong to the environment and the account that the event names', () => {
    const entry = journal(happened.refunded({ sandbox: true, merchantAccountId: 32 }));
    expect(entry).toMatchObject({ sandbox: true, merchantAccountId: 32 });
  });

  it('are none where no money moves', () => {
    expect(journal(happened.authorized())).toBeUndefined();
    expect(journal(happened.voided({ amountMinor: 0n }))).toBeUndefined();
    expect(journal(happened.chargebackMoved('ChargebackLost'))).toBeUndefined();
  });

  it('come from these events and no other', () => {
    const posting = eventTypes.filter((type) => journal(samples.get(type) as Event) !== undefined);
    expect(posting).toEqual(POSTING);
  });
});

/** Debits less credits, by the given key of each line; only what is not zero. */
function balances(
  entries: readonly JournalEntry[],
  keyOf: (line: JournalLine) => string,
): Record<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const line of entries.flatMap((entry) => entry.lines)) {
    const key = keyOf(line);
    sums.set(key, (sums.get(key) ?? 0n) + line.debitMinor - line.creditMinor);
  }
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n));
}

const entriesOf = (events: readonly Event[]): readonly JournalEntry[] =>
  events.flatMap((event) => journal(event) ?? []);

describe('properties', () => {
  it('every event there can be is balanced in each of its currencies', () => {
    fc.assert(
      fc.property(arbitraries.event(), (event) => {
        expectBalanced([event]);
      }),
    );
  });

  it('every line of a life is a debit or a credit, to an account there is', () => {
    const known: ReadonlySet<string> = new Set([...ACCOUNTS, ...every]);
    fc.assert(
      fc.property(paymentHistory(), ({ events }) => {
        for (const line of entriesOf(events).flatMap((entry) => entry.lines)) {
          const [small, large] = [line.debitMinor, line.creditMinor].sort((a, b) =>
            a < b ? -1 : 1,
          );
          expect(small).toBe(0n);
          expect(large).toBeGreaterThan(0n);
          expect(known).toContain(line.account);
        }
      }),
    );
  });

  it('is balanced after each event, and agrees with the payment', () => {
    fc.assert(
      fc.property(paymentHistory(), ({ events, state }) => {
        expectBalanced(events);
        if (state === null) return;
        const account = balances(entriesOf(events), (line) => `${line.account} ${line.currency}`);
        const of = (name: Account): bigint => account[`${name} ${state.currency}`] ?? 0n;
        const paid = state.refunds.filter(({ status }) => status === 'Refunded');
        expect(of('sales')).toBe(-state.capturedMinor);
        if (state.status === 'Voided') expect(of('fees:discount')).toBe(0n);
        expect(of('reserve')).toBe(state.reserveHeldMinor);
        expect(of('refunds')).toBe(paid.reduce((sum, each) => sum + each.amountMinor, 0n));
        const settled = state.settlements.filter((each) => each.currency === state.currency);
        expect(of('bank')).toBe(settled.reduce((sum, { bankMinor }) => sum + bankMinor, 0n));
      }),
    );
  });
});
