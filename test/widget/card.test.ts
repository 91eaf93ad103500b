/** What the card form knows of cards: the same as the engine, which has the last word. */
import { cardBrands, checkCard, SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import {
  cvvFault,
  digitsOf,
  expiryFault,
  expiryOf,
  grouped,
  networkOf,
  numberFault,
  passesLuhn,
  shownExpiry,
} from '@counterfoil/widget/card';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const NOW = new Date('2026-03-15T12:00:00.000Z');
const brandOf = cardBrands();
const digits = fc.stringMatching(/^\d{8,19}$/);

describe('a card number', () => {
  it('is of the network that the engine finds', () => {
    fc.assert(
      fc.property(digits, (number) => {
        const network = networkOf(number);
        const brandId = network === undefined ? 0 : 'ABCDEF'.indexOf(network.slice(-1)) + 1;
        expect(brandId).toBe(brandOf(number));
      }),
    );
  });

  it.each(SANDBOX_CARDS.map(({ number }) => number))('%s is right', (number) => {
    expect(numberFault(number)).toBeUndefined();
  });

  it('with a digit changed is wrong, as the engine says', () => {
    const changed = fc.tuple(
      fc.constantFrom(...SANDBOX_CARDS),
      fc.nat(12),
      fc.integer({ min: 1, max: 9 }),
    );
    fc.assert(
      fc.property(changed, ([{ number }, place, by]) => {
        const digit = (Number(number[place]) + by) % 10;
        const other = number.slice(0, place) + digit + number.slice(place + 1);
        expect(passesLuhn(other)).toBe(false);
        expect(numberFault(other)).toBeDefined();
        const card = { number: other, expMonth: 12, expYear: 2040, cvv: '123', holder: '' };
        expect(checkCard(card, NOW).valid).toBe(false);
      }),
    );
  });

  it.each([
    ['', 'missing'],
    ['4242', 'incomplete'],
    ['4242424242424241', 'wrong'],
    ['42424242424242420', 'wrong'],
    ['378282246310005', undefined],
  ])('%j: %s', (number, fault) => {
    expect(numberFault(number)).toBe(fault);
  });

  it.each([
    ['4242424242424242', '4242 4242 4242 4242'],
    ['378282246310005', '3782 822463 10005'],
    ['42424', '4242 4'],
  ])('%s is shown as %s', (number, shown) => {
    expect(grouped(number)).toBe(shown);
    expect(digitsOf(shown)).toBe(number);
  });
});

describe('an expiry date', () => {
  it.each([
    ['12 / 30', 12, 2030],
    ['12/2030', 12, 2030],
    ['0330', 3, 2030],
    ['3/30', 3, 2030],
    ['12-30', 12, 2030],
  ])('%s is read', (text, expMonth, expYear) => {
    expect(expiryOf(text)).toEqual({ expMonth, expYear });
  });

  it.each([
    ['', 'missing'],
    ['12', 'incomplete'],
    ['13 / 30', 'wrong'],
    ['00 / 30', 'wrong'],
    ['02 / 26', 'past'],
    ['03 / 26', undefined],
  ])('%j: %s', (text, fault) => {
    expect(expiryFault(text, NOW)).toBe(fault);
  });

  it.each([
    ['1', '1'],
    ['12', '12 / '],
    ['5', '05 / '],
    ['123', '12 / 3'],
    ['12/2034', '12 / 2034'],
  ])('%s is shown as %j while it is typed', (typed, shown) => {
    expect(shownExpiry(typed, false)).toBe(shown);
  });
});

describe('a security code', () => {
  it.each([
    ['', '4242', 'missing'],
    ['12', '4242', 'incomplete'],
    ['123', '4242', undefined],
    ['1234', '4242', 'wrong'],
    ['123', '3782', 'incomplete'],
    ['1234', '3782', undefined],
    ['123', '', undefined],
    ['12x', '4242', 'wrong'],
  ])('%j of a card %s…: %s', (cvv, number, fault) => {
    expect(cvvFault(cvv, number)).toBe(fault);
  });
});
