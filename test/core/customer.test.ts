/** Customers: contact data under a version, payment methods within bounds, and an end that is kept. */
import { Customer } from '@counterfoil/core';
import { arbitraries, given } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  added,
  address,
  ask,
  at,
  cardOf,
  contact,
  erased,
  erasureRequested,
  full,
  LATER,
  manyEmails,
  methodId,
  named,
  registered,
  removed,
  replaced,
  reserved,
  who,
} from './customer-story.ts';
import { whenOf } from './when.ts';

const when = whenOf(Customer);

describe('registering', () => {
  it('keeps all that it is given', () => {
    when([], ask.register()).then(registered);
    expect(given(Customer, [registered]).state).toStrictEqual({
      ...who,
      ...contact,
      paymentMethods: [],
      defaultPaymentMethodId: null,
      removedCards: [],
      rowVersion: 1,
      emails: ['ada@example.com'],
      reservedEmails: [],
      createdAt: at,
      updatedAt: at,
      erasureRequestedAt: null,
      erasedAt: null,
    });
  });

  it.each([
    ['addresses', { addresses: Array.from({ length: 11 }, () => address) }],
    ['a long email', { email: `${'x'.repeat(320)}@example.com` }],
    ['a long phone', { phone: '1'.repeat(65) }],
  ])('has bounds: %s', (_, changes) => {
    expect(() => when([], ask.register(changes))).toThrow();
  });
});

describe('a purchase', () => {
  it('registers an unknown customer with the card', () => {
    when([], ask.purchase(1)).then(registered, added(1, { isDefault: true }));
    when([], ask.purchase(null)).then(registered);
  });

  it('brings a known customer a new card, and nothing else', () => {
    const known = given(Customer, [registered]);
    known.when(ask.purchase(1, { firstName: 'Augusta' })).then(added(1, { isDefault: true }));
    when([registered, added(1, { isDefault: true })], ask.purchase(2)).then(added(2));
  });

  it('does not bring back a card that was removed since, when it is looked at again', () => {
    const past = [registered, added(1, { isDefault: true }), removed(1)];
    when(past, ask.purchase(1)).thenNothing();
    when(past, ask.purchase(2)).then(added(2, { isDefault: true }));
    when(past, ask.purchase(1, { at: LATER })).then({
      ...added(1, { isDefault: true }),
      at: LATER,
    } as Customer.Event);
    when(past, ask.purchase(1, { orderedAt: at, at: LATER })).thenNothing();
  });

  it('may pay with what is kept or never was, and a subscription with what was not withdrawn', () => {
    const kept = [registered, added(1, { isDefault: true })];
    const withdrawn = [...kept, removed(1)];
    const evicted = [...kept, removed(1, { evicted: true })];
    const many = Array.from({ length: Customer.MAX_REMOVED_CARDS }, (_, index) => index + 2);
    const forgotten = [...withdrawn, ...many.flatMap((n) => [added(n), removed(n)])];
    const cases: [string, readonly Customer.Event[], boolean, boolean][] = [
      ['never kept', [registered], true, false],
      ['kept', kept, true, false],
      ['removed', withdrawn, false, true],
      ['removed and kept again', [...withdrawn, added(1)], true, true],
      ['evicted', evicted, false, false],
      ['removed too long ago to be remembered', forgotten, false, true],
      ['of a person who is leaving', [...kept, erasureRequested], false, false],
    ];
    const before = '2025-12-31T00:00:00.000Z';
    for (const [what, past, mayPay, isWithdrawn] of cases) {
      const { state } = given(Customer, past);
      if (state === null) throw new Error('no customer');
      expect(Customer.mayPayWith(state, cardOf(1)), what).toBe(mayPay);
      expect(Customer.hasWithdrawn(state, cardOf(1), before), what).toBe(isWithdrawn);
      expect(Customer.hasWithdrawn(state, cardOf(1), LATER), what).toBe(false);
    }
  });

  it('remembers the cards that were removed last', () => {
    const many = Array.from({ length: Customer.MAX_REMOVED_CARDS + 1 }, (_, index) => index + 1);
    const past = [registered, ...many.flatMap((n) => [added(n, { isDefault: true }), removed(n)])];
    const { state } = given(Customer, past);
    expect(state?.removedCards).toEqual(
      many.slice(1).map((n) => ({ fingerprint: `fingerprint-${n}`, evicted: false, at })),
    );
    when(past, ask.purchase(1)).then(added(1, { isDefault: true }));
    when(past, ask.purchase(2)).thenNothing();
  });

  it('is no news with a card that is known', () => {
    const past = [registered, added(1, { isDefault: true })];
    when(past, ask.purchase(1, { paymentMethodId: methodId(9) })).thenNothing();
    when(past, ask.purchase(null)).thenNothing();
  });

  it('renews a card that has a later expiry, and keeps its place and its id', () => {
    const past = [registered, added(1, { isDefault: true }), added(2)];
    const renewed = { card: cardOf(2, 2035), paymentMethodId: methodId(9) };
    when(past, ask.purchase(2, renewed)).then(added(2, { card: cardOf(2, 2035) }));
    when(past, ask.purchase(1, { card: cardOf(1, 2035), paymentMethodId: methodId(9) })).then(
      added(1, { card: cardOf(1, 2035), isDefault: true }),
    );
    when(past, ask.purchase(2, { card: cardOf(2, 2029) })).thenNothing();
    const { state } = given(Customer, [...past, added(1, { card: cardOf(1, 2035) })]);
    expect(state?.paymentMethods).toEqual([
      { paymentMethodId: methodId(1), card: cardOf(1, 2035) },
      { paymentMethodId: methodId(2), card: cardOf(2) },
    ]);
    expect(state?.defaultPaymentMethodId).toBe(methodId(1));
  });

  it.each([
    ['the next month of another year', { expMonth: 1, expYear: 2031 }, true],
    ['the month before', { expMonth: 11, expYear: 2030 }, false],
  ])('compares expiries by year and month: %s', (_, expiry, isLater) => {
    const card = { ...cardOf(1), ...expiry };
    const next = when([registered, added(1, { isDefault: true })], ask.purchase(1, { card }));
    if (isLater) next.then(added(1, { card, isDefault: true }));
    else next.thenNothing();
  });

  it('makes room by the oldest card that is not the default', () => {
    when(full.slice(0, -1), ask.purchase(99)).then(added(99));
    when(full, ask.purchase(99)).then(removed(2, { evicted: true }), added(99));
    const lastIsDefault = [...full, added(20, { isDefault: true })];
    when(lastIsDefault, ask.purchase(99)).then(removed(1, { evicted: true }), added(99));
  });

  it('never takes the id of another card', () =>
    when(
      [registered, added(1, { isDefault: true })],
      ask.purchase(2, { paymentMethodId: methodId(1) }),
    ).thenNothing());

  it('notes another email, so that erasure finds its claim', () => {
    when([registered], ask.purchase(1, { email: 'ada@example.org' })).then(
      reserved('ada@example.org'),
      added(1, { isDefault: true }),
    );
    when([registered], ask.purchase(null, { email: 'ADA@Example.com' })).thenNothing();
    when(manyEmails, ask.purchase(null, { email: 'one@more.com' })).thenNothing();
  });

  it.each([
    ['who asked to be erased', [registered, erasureRequested]],
    ['who is erased', [registered, erasureRequested, erased]],
  ])('records no personal data %s', (_, past) =>
    when(past, ask.purchase(1, { email: 'new@example.com' })).thenNothing(),
  );
});

describe('replacing', () => {
  it('replaces all fields when the version is current', () => {
    const changes = { firstName: 'Augusta Ada', addresses: [], phone: '' };
    when([registered], ask.replace(1, { ...changes, at: LATER })).then(replaced(changes));
    expect(given(Customer, [registered, replaced(changes)]).state).toMatchObject({
      ...contact,
      ...changes,
      rowVersion: 2,
      createdAt: at,
      updatedAt: LATER,
    });
  });

  it('is no news when nothing is different', () =>
    when([registered], ask.replace(1)).thenNothing());

  it('keeps the payment methods', () => {
    const { state } = given(Customer, [registered, added(1, { isDefault: true }), replaced()]);
    expect(state?.paymentMethods).toHaveLength(1);
    expect(state?.defaultPaymentMethodId).toBe(methodId(1));
  });

  it('remembers every email, for erasure releases them all', () => {
    const { state } = given(Customer, [
      registered,
      reserved('Ada@Example.org'),
      replaced({ email: 'Ada@Example.org' }),
    ]);
    expect(state?.email).toBe('Ada@Example.org');
    expect(state?.emails).toEqual(['ada@example.com', 'ada@example.org']);
  });
});

describe('reserving an email', () => {
  it('is noted once, and changes nothing that is seen', () => {
    when([registered], ask.reserve('ada@example.org')).then(reserved('ada@example.org'));
    const { state } = given(Customer, [registered, reserved('Ada@Example.org')]);
    expect(state).toMatchObject({
      email: 'ada@example.com',
      rowVersion: 1,
      updatedAt: at,
      emails: ['ada@example.com', 'ada@example.org'],
      reservedEmails: ['ada@example.org'],
    });
    when([registered, reserved('ada@example.org')], ask.reserve('ADA@example.org')).thenNothing();
  });

  it('ends with the next replacement; an earlier email is reserved again', () => {
    const moved = [registered, reserved('ada@example.org'), replaced({ email: 'ada@example.org' })];
    expect(given(Customer, moved).state?.reservedEmails).toEqual([]);
    when(moved, ask.reserve('ada@example.com', 2)).then(reserved('ada@example.com'));
  });

  it('of one that the customer had is possible however many there are', () =>
    when(manyEmails, ask.reserve('ada@example.com')).then(reserved('ada@example.com')));
});

describe('payment methods', () => {
  it('the first is the default, and another when asked', () => {
    when([registered], ask.add(1)).then(added(1, { isDefault: true }));
    const one = [registered, added(1, { isDefault: true })];
    when(one, ask.add(2)).then(added(2));
    when(one, ask.add(2, { makeDefault: true })).then(added(2, { isDefault: true }));
  });

  it('one that is known becomes the default, or is no news', () => {
    const two = [registered, added(1, { isDefault: true }), added(2)];
    const again = { paymentMethodId: methodId(9) };
    when(two, ask.add(2, again)).thenNothing();
    when(two, ask.add(2, { ...again, makeDefault: true })).then(added(2, { isDefault: true }));
    when(two, ask.add(1, { ...again, makeDefault: true })).thenNothing();
    when(two, ask.add(1, { ...again, card: cardOf(1, 2035) })).then(
      added(1, { card: cardOf(1, 2035), isDefault: true }),
    );
    when(two, ask.add(2, { ...again, card: cardOf(2, 2020), makeDefault: true })).then(
      added(2, { isDefault: true }),
    );
  });

  it('after the default is removed, the one added last takes its place', () => {
    const three = [registered, added(1, { isDefault: true }), added(2), added(3)];
    when(three, ask.remove(1)).then(removed(1));
    expect(given(Customer, [...three, removed(1)]).state?.defaultPaymentMethodId).toBe(methodId(3));
    expect(given(Customer, [...three, removed(2)]).state?.defaultPaymentMethodId).toBe(methodId(1));
    const two = [registered, added(1, { isDefault: true }), added(2), removed(1)];
    expect(given(Customer, two).state).toMatchObject({
      defaultPaymentMethodId: methodId(2),
      removedCards: [{ fingerprint: 'fingerprint-1', at }],
    });
    const none = given(Customer, [registered, added(1, { isDefault: true }), removed(1)]).state;
    expect(none).toMatchObject({ paymentMethods: [], defaultPaymentMethodId: null, rowVersion: 3 });
  });
});

describe('erasure', () => {
  it('is asked for once, and recorded once', () => {
    when([registered], ask.erase()).then(erasureRequested);
    when([registered, erasureRequested], ask.erase()).thenNothing();
    when([registered, erasureRequested], ask.recordErasure()).then(erased);
    const gone = [registered, erasureRequested, erased];
    when(gone, ask.erase()).thenNothing();
    when(gone, ask.recordErasure()).thenNothing();
  });

  it('leaves nothing of the person', () => {
    const { state } = given(Customer, [
      registered,
      reserved('ada@example.org'),
      added(1, { isDefault: true }),
      erasureRequested,
      erased,
    ]);
    expect(state).toStrictEqual({
      ...who,
      email: '',
      firstName: '',
      lastName: '',
      phone: '',
      addresses: [],
      paymentMethods: [],
      defaultPaymentMethodId: null,
      removedCards: [],
      rowVersion: 4,
      emails: [],
      reservedEmails: [],
      createdAt: at,
      updatedAt: at,
      erasureRequestedAt: at,
      erasedAt: at,
    });
  });

  it('has the same state when the events are erased', () => {
    const blank = { email: '', firstName: '', lastName: '', phone: '', addresses: [] };
    const past = [registered, reserved('b@example.org'), added(1, { isDefault: true }), replaced()];
    const bare = [
      { ...registered, ...blank },
      reserved(''),
      added(1, { isDefault: true, card: null }),
      { ...replaced(), ...blank },
    ] as Customer.Event[];
    const end = [erasureRequested, erased];
    expect(given(Customer, [...bare, ...end]).state).toEqual(
      given(Customer, [...past, ...end]).state,
    );
    expect(given(Customer, bare).state?.paymentMethods).toEqual([]);
  });
});

describe('refusals', () => {
  const leaving = [registered, erasureRequested];
  const gone = [...leaving, erased];
  const tooMany = { type: 'TooManyEmails', max: Customer.MAX_EMAILS } as const;
  const stale = { type: 'StaleRowVersion', rowVersion: 7, current: 1 } as const;

  /** In the documented order: each row breaks the rules below it as well. */
  it.each<[string, Customer.Event[], Customer.Command, Customer.Rejection]>([
    ['an id that is registered', [registered], ask.register(), { type: 'CustomerExists' }],
    ['an id that is erased', gone, ask.register(), { type: 'CustomerExists' }],
    ['an email, unknown', [], ask.reserve('x@example.com', 7), { type: 'CustomerUnknown' }],
    ['data, unknown', [], ask.replace(7), { type: 'CustomerUnknown' }],
    ['a card, unknown', [], ask.add(1), { type: 'CustomerUnknown' }],
    ['no card, unknown', [], ask.remove(1), { type: 'CustomerUnknown' }],
    ['an erasure, unknown', [], ask.erase(), { type: 'CustomerUnknown' }],
    ['a recorded erasure, unknown', [], ask.recordErasure(), { type: 'CustomerUnknown' }],
    ['an unrequested end', [registered], ask.recordErasure(), { type: 'ErasureNotRequested' }],
    ['an email while leaving', leaving, ask.reserve('x@e.com', 7), { type: 'CustomerErased' }],
    ['an email when gone', gone, ask.reserve('x@e.com', 7), { type: 'CustomerErased' }],
    ['data while leaving', leaving, ask.replace(7), { type: 'CustomerErased' }],
    ['data when gone', gone, ask.replace(7), { type: 'CustomerErased' }],
    ['a card while leaving', leaving, ask.add(1), { type: 'CustomerErased' }],
    ['a card when gone', gone, ask.add(1), { type: 'CustomerErased' }],
    ['a removal while leaving', leaving, ask.remove(1), { type: 'CustomerErased' }],
    ['a removal when gone', gone, ask.remove(1), { type: 'CustomerErased' }],
    ['an email, stale', manyEmails, ask.reserve('one@more.com', 7), stale],
    ['an email too many', manyEmails, ask.reserve('one@more.com'), tooMany],
    ['data, stale', manyEmails, ask.replace(7, { email: 'one@more.com' }), stale],
    ['data with an email too many', manyEmails, ask.replace(1, { email: 'one@more.com' }), tooMany],
    [
      'another card under a known id',
      full,
      ask.add(99, { paymentMethodId: methodId(1) }),
      { type: 'PaymentMethodExists', paymentMethodId: methodId(1) },
    ],
    [
      'a card too many',
      full,
      ask.add(99, { makeDefault: true }),
      { type: 'TooManyPaymentMethods', max: 20 },
    ],
    [
      'no such card',
      full,
      ask.remove(99),
      { type: 'PaymentMethodUnknown', paymentMethodId: methodId(99) },
    ],
  ])('%s', (_, past, command, rejection) => when(past, command).thenRejected(rejection));
});

it('is one stream by environment and id', () => {
  expect(Customer.streamOf(named)).toBe('customer_account-7-live-601');
  expect(Customer.streamOf({ ...named, sandbox: true })).toBe('customer_account-7-test-601');
});

it('cannot begin in the middle', () => {
  expect(() => Customer.evolve(null, erased)).toThrow('CustomerErased without a customer');
  expect(() =>
    Customer.decide(given(Customer, [registered]).state, { type: 'Unheard' } as never),
  ).toThrow(/unhandled case: .*Unheard/);
  expect(() =>
    Customer.evolve(given(Customer, [registered]).state, { type: 'Unheard' } as never),
  ).toThrow(/unhandled case: .*Unheard/);
});

describe('whatever is asked, in whichever order', () => {
  const someEmail = fc.constantFrom('a@example.com', 'A@example.com', 'b@example.com');
  const command = fc.oneof(
    someEmail.map((email) => ask.register({ email })),
    fc
      .tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 2028, max: 2032 }), someEmail)
      .map(([n, year, email]) => ask.purchase(n, { card: cardOf(n, year), email })),
    fc.tuple(someEmail, fc.nat(8)).map(([email, version]) => ask.reserve(email, version)),
    fc.tuple(someEmail, fc.nat(8)).map(([email, version]) => ask.replace(version, { email })),
    fc
      .tuple(fc.integer({ min: 1, max: 30 }), fc.boolean())
      .map(([n, makeDefault]) => ask.add(n, { makeDefault })),
    fc.integer({ min: 1, max: 30 }).map(ask.remove),
    fc.constantFrom(ask.remove(31), ask.remove(32), ask.erase(), ask.recordErasure()),
  );

  it('the bounds hold, there is one default, cards are unique, and versions only grow', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60, size: 'max' }), (commands) => {
        let state: Customer.State = null;
        for (const next of commands) {
          const decided = Customer.decide(state, next);
          if (decided._tag === 'Left') continue;
          const before: Customer.State = state;
          for (const event of decided.right) {
            state = Customer.evolve(state, event);
            expectSound(state);
          }
          const again = Customer.decide(state, next);
          if (next.type === 'RecordPurchase' && again._tag === 'Right') {
            expect(again.right).toEqual([]);
          }
          expect(state?.rowVersion ?? 0).toBeGreaterThanOrEqual(before?.rowVersion ?? 0);
          if (before?.erasedAt != null) expect(state).toEqual(before);
        }
      }),
    );
  });

  it('of two replacements of one version only one succeeds', () => {
    fc.assert(
      fc.property(arbitraries.instant(), fc.boolean(), (instant, first) => {
        const changes = [{ firstName: 'A' }, { firstName: 'B' }];
        const [one, two] = first ? changes : changes.reverse();
        const winner = Customer.decide(
          given(Customer, [registered]).state,
          ask.replace(1, { ...one, at: instant }),
        );
        if (winner._tag === 'Left') throw new Error('the first is not refused');
        when([registered, ...winner.right], ask.replace(1, { ...two, at: instant })).thenRejected({
          type: 'StaleRowVersion',
          rowVersion: 1,
          current: 2,
        });
      }),
    );
  });
});

function expectSound(state: Customer.State): void {
  if (state === null) throw new Error('an event left no customer');
  const { paymentMethods, defaultPaymentMethodId, emails, email, reservedEmails } = state;
  expect(paymentMethods.length).toBeLessThanOrEqual(Customer.MAX_PAYMENT_METHODS);
  const ids = paymentMethods.map(({ paymentMethodId }) => paymentMethodId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(paymentMethods.map(({ card }) => card.fingerprint)).size).toBe(ids.length);
  if (ids.length === 0) expect(defaultPaymentMethodId).toBeNull();
  else expect(ids).toContain(defaultPaymentMethodId);
  if (state.erasedAt === null) expect(emails).toContain(email.toLowerCase());
  for (const each of reservedEmails) expect(emails).toContain(each);
}
