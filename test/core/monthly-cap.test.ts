/** The book of a merchant account's month: what may be reserved, and what becomes of it. */
import {
  fold,
  MerchantAccount,
  MonthlyCap,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { happened, past, route } from './payment-story.ts';
import { whenOf } from './when.ts';

const when = whenOf(MonthlyCap);

const at = '2026-11-21T12:00:00.000Z';
const leaseUntil = '2026-11-21T12:15:00.000Z';
const book = {
  tenantId: 7 as TenantId,
  sandbox: false,
  merchantAccountId: 31,
  month: '2026-11',
} as const;

const want = (reservationId: string, amountMinor: bigint) => ({ reservationId, amountMinor });
const reserve = (
  wanted: readonly MonthlyCap.Wanted[],
  capMinor = 100n,
): MonthlyCap.Command & { type: 'ReserveRoom' } => ({
  type: 'ReserveRoom',
  ...book,
  wanted,
  capMinor,
  leaseUntil,
  at,
});
const settle = (...settlements: MonthlyCap.Settlement[]): MonthlyCap.Command => ({
  type: 'SettleRoom',
  ...book,
  settlements,
  at,
});
const lapse = (reservationIds: readonly string[], now = leaseUntil): MonthlyCap.Command => ({
  type: 'LapseRoom',
  ...book,
  reservationIds,
  at: now,
});
const note = (wantedMinor: bigint, capMinor = 100n, now: string = at): MonthlyCap.Command => ({
  type: 'NoteLimit',
  ...book,
  capMinor,
  currency: 'GBP',
  wantedMinor,
  at: now,
});

const reserved = (...wanted: MonthlyCap.Wanted[]): MonthlyCap.Event => ({
  type: 'RoomReserved',
  reservations: wanted.map((each) => ({ ...each, leaseUntil })),
  at,
});
const settled = (...settlements: MonthlyCap.Settlement[]): MonthlyCap.Event => ({
  type: 'RoomSettled',
  settlements,
  at,
});
const lapsed = (...reservationIds: string[]): MonthlyCap.Event => ({
  type: 'RoomLapsed',
  reservationIds,
  at: leaseUntil,
});
const used = (reservationId: string, usedMinor: bigint) => ({ reservationId, usedMinor });

describe('reserving', () => {
  it('takes room up to the cap, and not beyond it', () => {
    when([], reserve([want('a', 100n)])).then(reserved(want('a', 100n)));
    when([], reserve([want('a', 101n)])).thenRejected({
      type: 'OverMonthlyCap',
      capMinor: 100n,
      usedMinor: 0n,
      reservedMinor: 0n,
    });
  });

  it('counts what is used and what is reserved', () => {
    const full = [reserved(want('a', 50n), want('b', 30n)), settled(used('a', 50n))];
    when(full, reserve([want('c', 20n)])).then(reserved(want('c', 20n)));
    when(full, reserve([want('c', 21n)])).thenRejected({
      type: 'OverMonthlyCap',
      capMinor: 100n,
      usedMinor: 50n,
      reservedMinor: 30n,
    });
  });

  it('grants as many of several as have room, in their order', () =>
    when([], reserve([want('a', 60n), want('b', 60n), want('c', 40n)])).then(
      reserved(want('a', 60n), want('c', 40n)),
    ));

  it('takes the room of one reservation once', () => {
    const past = [reserved(want('a', 60n))];
    when(past, reserve([want('a', 60n)])).thenNothing();
    when(past, reserve([want('a', 60n), want('b', 50n)])).thenNothing();
    when([], reserve([want('a', 40n), want('a', 40n), want('b', 60n)])).then(
      reserved(want('a', 40n), want('b', 60n)),
    );
    when(past, reserve([])).thenNothing();
  });

  it('finds no room under a cap that was lowered below what is taken', () =>
    when([reserved(want('a', 60n))], reserve([want('b', 1n)], 50n)).thenRejected({
      type: 'OverMonthlyCap',
      capMinor: 50n,
      usedMinor: 0n,
      reservedMinor: 60n,
    }));

  it('takes no room for nothing', () => {
    expect(() => when([], reserve([want('a', 0n)]))).toThrow('a wants room for 0');
  });
});

describe('settling', () => {
  const one = [reserved(want('a', 60n))];

  it('keeps what was captured, and gives back the rest', () => {
    when(one, settle(used('a', 45n))).then(settled(used('a', 45n)));
    const { usedMinor, reservedMinor, reservations } = given(MonthlyCap, [
      ...one,
      settled(used('a', 45n)),
    ]).state;
    expect({ usedMinor, reservedMinor }).toEqual({ usedMinor: 45n, reservedMinor: 0n });
    expect(reservations.size).toBe(0);
  });

  it('counts a reservation once, and none that it does not hold', () => {
    when([...one, settled(used('a', 60n))], settle(used('a', 60n))).thenNothing();
    when([], settle(used('a', 60n))).thenNothing();
    when(one, settle(used('a', 60n), used('b', 5n), used('a', 0n))).then(settled(used('a', 60n)));
  });

  it('of what was never reserved is a broken book', () => {
    expect(() => fold(MonthlyCap, [settled(used('a', 1n))])).toThrow('no reservation a');
    expect(() => fold(MonthlyCap, [lapsed('a')])).toThrow('no reservation a');
  });
});

describe('a lease', () => {
  const one = [reserved(want('a', 60n))];

  it('ends at its instant, and not before', () => {
    when(one, lapse(['a'], '2026-11-21T12:14:59.999Z')).thenNothing();
    when(one, lapse(['a', 'a', 'b'])).then(lapsed('a'));
    when([...one, lapsed('a')], lapse(['a'])).thenNothing();
  });

  it('that is over leaves its room to others', () =>
    when([...one, lapsed('a')], reserve([want('b', 100n)])).then(reserved(want('b', 100n))));

  it('that is over does not lose a capture that comes after all', () => {
    const late = [...one, lapsed('a'), reserved(want('b', 100n))];
    when(late, settle(used('a', 60n))).then(settled(used('a', 60n)));
    expect(fold(MonthlyCap, [...late, settled(used('a', 60n))])).toMatchObject({
      usedMinor: 60n,
      reservedMinor: 100n,
    });
  });

  it('that is over may be taken again', () => {
    const again = given(MonthlyCap, [...one, lapsed('a')]);
    again.when(reserve([want('a', 60n)])).then(reserved(want('a', 60n)));
    expect(fold(MonthlyCap, [...one, lapsed('a'), ...one])).toMatchObject({ reservedMinor: 60n });
  });
});

describe('a limit', () => {
  const LATER = '2026-11-22T12:00:00.000Z';
  const reached = (wantedMinor: bigint, now: string = at): MonthlyCap.Event => ({
    type: 'MonthlyCapReached',
    sandbox: book.sandbox,
    merchantAccountId: book.merchantAccountId,
    capMinor: 100n,
    currency: 'GBP',
    wantedMinor,
    at: now,
  });
  const full = [reserved(want('a', 80n))];
  const since = (past: readonly MonthlyCap.Event[], capMinor = 100n) =>
    MonthlyCap.limitedSince(fold(MonthlyCap, past), capMinor);

  it('is noted with the first payment that finds no room, and not with what fits', () => {
    when(full, note(21n)).then(reached(21n));
    when(full, note(20n)).thenNothing();
    when([...full, reached(21n)], note(50n)).thenNothing();
    expect(since([...full, reached(21n)])).toBe(at);
    expect(since(full)).toBeNull();
  });

  it('ends when room for that payment is given back, and can come again', () => {
    const freed = [...full, reached(30n), settled(used('a', 60n))];
    expect(since([...full, reached(30n), settled(used('a', 71n))])).toBe(at);
    expect(since(freed)).toBeNull();
    when(freed, note(41n, 100n, LATER)).then(reached(41n, LATER));
    expect(since([...freed, reached(41n, LATER)])).toBe(LATER);
    expect(since([...freed, reserved(want('b', 30n))])).toBeNull();
  });

  it('ends under a cap that was raised, and not under one that was lowered', () => {
    const limited = [...full, reached(30n)];
    expect(since(limited, 110n)).toBeNull();
    expect(since(limited, 109n)).toBe(at);
    expect(since(limited, 10n)).toBe(at);
  });
});

describe('names', () => {
  it('keep tenants, environments, accounts and months apart', () => {
    expect(MonthlyCap.streamOf(book)).toBe('monthly_cap-7-live-31-2026-11');
    expect(MonthlyCap.streamOf({ ...book, sandbox: true })).toBe('monthly_cap-7-test-31-2026-11');
  });

  it('lead from a reservation to its attempt', () => {
    const id = '0192f000-0000-4000-8000-000000000001' as TransactionId;
    expect(MonthlyCap.attemptOf(MonthlyCap.reservationOf(id, 12))).toEqual({
      transactionId: id,
      attempt: 12,
    });
  });

  it.each([
    ['2026-11-30T23:59:59.999Z', '2026-11'],
    ['2026-12-01T00:00:00.000Z', '2026-12'],
  ])('%s is of %s, in GMT', (instant, month) => {
    expect(MonthlyCap.monthOf(instant)).toBe(month);
  });
});

describe('the cap of an account', () => {
  const none = { apiKey: '', username: '', password: '', emailAddress: '' };
  const accountWith = (monthlyCap: number, defaultCurrency = 'GBP') => ({
    merchantAccountId: 31,
    rowVersion: 1,
    settings: MerchantAccount.withDefaults({
      mid: '7001',
      title: 'Main',
      companyId: 1,
      gatewayId: 1,
      descriptor: 'SHOP',
      defaultCurrency,
      currencies: ['GBP', 'JPY'].map((currency) => ({ currency, gatewayCredentials: none })),
      monthlyCap,
    }),
  });

  it('is in its default currency, and binds payments in that one only', () => {
    expect(MonthlyCap.capOf(accountWith(1_000.5), 'GBP')).toBe(100_050n);
    expect(MonthlyCap.capOf(accountWith(1_000, 'JPY'), 'JPY')).toBe(1_000n);
    expect(MonthlyCap.capOf(accountWith(1_000), 'JPY')).toBeUndefined();
  });

  it('is none when it is 0', () => {
    expect(MonthlyCap.capOf(accountWith(0), 'GBP')).toBeUndefined();
  });

  it('was checked when the account was opened', () => {
    expect(() => MonthlyCap.capOf(accountWith(0.001), 'GBP')).toThrow('too many decimals');
  });
});

describe('the amount of an attempt', () => {
  const month = '2026-01';
  const place = { merchantAccountId: 31, month };
  const { attempted, softDeclined, captured } = happened;
  const elsewhere = { ...route, merchantAccountId: 32 };
  const nothing = { usedMinor: 0n };
  const all = { usedMinor: 10_000n };
  const rows: readonly [string, readonly Transaction.Event[], unknown][] = [
    ['a payment that never came', [], 'missing'],
    ['a payment without an attempt', [happened.submitted()], 'missing'],
    ['a blocked payment', [happened.submitted(), happened.blocked()], nothing],
    ['an attempt under way', past.processing, 'open'],
    ['a lost answer', [...past.processing, happened.unknown()], 'open'],
    ['an action to take', [...past.processing, happened.actionRequired()], 'open'],
    ['an authorization', [...past.processing, happened.authorized()], 'open'],
    ['a capture', [...past.processing, captured()], all],
    [
      'a part',
      [...past.processing, happened.authorized(), captured({ amountMinor: 1n })],
      { usedMinor: 1n },
    ],
    ['a settlement', [...past.processing, captured(), happened.settled(1n)], all],
    [
      'a refund',
      [...past.processing, captured(), happened.refundRequested(), happened.refunded()],
      all,
    ],
    [
      'a void of a capture',
      [...past.processing, captured(), happened.voidRequested(), happened.voided()],
      all,
    ],
    [
      'a void of an authorization',
      [
        ...past.processing,
        happened.authorized(),
        happened.voidRequested(),
        happened.voided({ amountMinor: 0n }),
      ],
      nothing,
    ],
    ['an expiry', [...past.processing, happened.authorized(), happened.expired()], nothing],
    ['a decline', [...past.processing, happened.declined()], nothing],
    ['a failure', [...past.processing, happened.failed()], nothing],
    ['a decline that others may make good', [...past.processing, softDeclined()], nothing],
    [
      'an attempt before the last',
      [...past.processing, softDeclined(), attempted(2, elsewhere), captured()],
      nothing,
    ],
    ['an attempt of another account', [happened.submitted(), attempted(1, elsewhere)], nothing],
  ];

  it.each(rows)('%s', (_, story, fate) => {
    expect(MonthlyCap.fateOf(fold(Transaction, story), 1, place)).toEqual(fate);
  });

  it('in a month, nothing of it in another', () => {
    const payment = fold(Transaction, [...past.processing, captured()]);
    expect(MonthlyCap.fateOf(payment, 1, { ...place, month: '2026-02' })).toEqual(nothing);
  });

  it('is not known of an attempt that may come', () => {
    const open = fold(Transaction, [...past.processing, softDeclined()]);
    expect(MonthlyCap.fateOf(open, 2, place)).toBe('missing');
    const over = fold(Transaction, [...past.processing, softDeclined(), happened.declined()]);
    expect(MonthlyCap.fateOf(over, 2, place)).toEqual(nothing);
  });
});

describe('any interleaving', () => {
  const LATEST = 20;
  const instantAt = (minute: number) => new Date(Date.parse(at) + minute * 60_000).toISOString();
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const amountMinor = fc.bigInt({ min: 1n, max: 60n });
  const minute = fc.nat(LATEST);
  const command: fc.Arbitrary<MonthlyCap.Command> = fc.oneof(
    fc
      .record({
        wanted: fc.array(fc.record({ reservationId: id, amountMinor }), { maxLength: 3 }),
        capMinor: fc.bigInt({ min: 0n, max: 150n }),
        minute,
      })
      .map(({ wanted, capMinor, minute: m }) => ({
        ...reserve(wanted, capMinor),
        leaseUntil: instantAt(m + 5),
        at: instantAt(m),
      })),
    fc
      .record({ ids: fc.array(id, { maxLength: 3 }), usedMinor: fc.bigInt({ min: 0n, max: 60n }) })
      .map(({ ids, usedMinor }) => settle(...ids.map((each) => used(each, usedMinor)))),
    fc
      .record({ ids: fc.array(id, { maxLength: 3 }), minute })
      .map(({ ids, minute: m }) => lapse(ids, instantAt(m))),
    fc
      .record({ wantedMinor: amountMinor, capMinor: fc.bigInt({ min: 0n, max: 150n }) })
      .map(({ wantedMinor, capMinor }) => note(wantedMinor, capMinor)),
  );

  it('reserves within the cap, counts what was used once, and forgets what is settled', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const past: MonthlyCap.Event[] = [];
        let usedInAll = 0n;
        for (const each of commands) {
          const before = fold(MonthlyCap, past);
          const decided = MonthlyCap.decide(before, each);
          const made = decided._tag === 'Right' ? decided.right : [];
          past.push(...made);
          const state = fold(MonthlyCap, past);
          for (const event of made) {
            if (event.type !== 'RoomSettled') continue;
            for (const { reservationId, usedMinor } of event.settlements) {
              expect(before.reservations.has(reservationId)).toBe(true);
              expect(state.reservations.has(reservationId)).toBe(false);
              usedInAll += usedMinor;
            }
          }
          if (each.type === 'ReserveRoom' && made.length > 0) {
            expect(state.usedMinor + state.reservedMinor).toBeLessThanOrEqual(each.capMinor);
          }
          const held = [...state.reservations.values()].filter(({ lapsed: isOver }) => !isOver);
          const heldMinor = held.reduce((sum, { amountMinor: minor }) => sum + minor, 0n);
          expect(state).toMatchObject({ usedMinor: usedInAll, reservedMinor: heldMinor });
          // A repetition changes nothing.
          const again = MonthlyCap.decide(state, each);
          if (each.type !== 'ReserveRoom') expect(again).toMatchObject({ right: [] });
        }
        expect(past.reduce(MonthlyCap.evolve, MonthlyCap.initial)).toEqual(fold(MonthlyCap, past));
      }),
    );
  });
});
