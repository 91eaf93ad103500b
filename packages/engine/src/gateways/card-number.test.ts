/** Valid and invalid card numbers, months and CVVs. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  cardDigits,
  checkCard,
  isCvv,
  isExpired,
  luhnCheckDigit,
  maskCardNumber,
} from './card-number.ts';

const NOW = new Date('2026-02-15T12:00:00.000Z');
const CARD = { number: '4242 4242 4242 4242', expMonth: 2, expYear: 2026, cvv: '123', holder: 'A' };

const digitsOf = (minLength: number, maxLength: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength })
    .map((digits) => digits.join(''));
/** 12 to 19 digits of which the last is right. */
const cardNumber = digitsOf(11, 18).map((body) => body + luhnCheckDigit(body));

describe('a card number', () => {
  test.each([
    ['4242424242424242', '4242424242424242'],
    ['4242 4242 4242 4242', '4242424242424242'],
    ['3782-822463-10005', '378282246310005'],
    ['6304000000000000000', '6304000000000000000'],
    ['630400000001', undefined],
    ['4242424242424241', undefined],
    ['4242424242424224', undefined],
    ['', undefined],
    ['0', undefined],
    ['00000000000', undefined],
    ['000000000000', '000000000000'],
    ['00000000000000000000', undefined],
    [' 4242424242424242', undefined],
    ['4242424242424242 ', undefined],
    ['4242  424242424242', undefined],
    ['4242_4242_4242_4242', undefined],
    ['4242424242424242\n', undefined],
    ['٤242424242424242', undefined],
    ['4242424242424242x', undefined],
  ])('%j is %j', (typed, digits) => {
    expect(cardDigits(typed)).toBe(digits);
  });

  it('is valid with its check digit only', () => {
    fc.assert(
      fc.property(digitsOf(11, 18), (body) => {
        const right = luhnCheckDigit(body);
        const accepted = [...'0123456789'].filter((last) => cardDigits(body + last) !== undefined);
        expect(accepted).toEqual([right]);
      }),
    );
  });

  it('is invalid after a change of a single digit', () => {
    fc.assert(
      fc.property(cardNumber, fc.nat(), fc.integer({ min: 1, max: 9 }), (number, at, by) => {
        const index = at % number.length;
        const slipped = (Number(number[index]) + by) % 10;
        const typed = number.slice(0, index) + slipped + number.slice(index + 1);
        expect(cardDigits(typed)).toBeUndefined();
      }),
    );
  });

  it('reads the same however it is spaced', () => {
    fc.assert(
      fc.property(
        cardNumber,
        fc.array(fc.constantFrom('', ' ', '-'), { minLength: 18, maxLength: 18 }),
        (number, gaps) => {
          const typed = [...number].map((digit, at) => (gaps[at - 1] ?? '') + digit).join('');
          expect(cardDigits(typed)).toBe(number);
        },
      ),
    );
  });

  it('is refused unread when it is very long', () => {
    expect(cardDigits('4'.repeat(1_000_000))).toBeUndefined();
  });
});

describe('the mask', () => {
  it('shows four digits of a card number', () => {
    expect(maskCardNumber('4242 4242 4242 4242')).toBe('****4242');
  });

  it('hides invalid numbers', () => {
    fc.assert(
      fc.property(fc.string(), (typed) => {
        fc.pre(cardDigits(typed) === undefined);
        expect(maskCardNumber(typed)).toBe('****');
      }),
    );
    expect(maskCardNumber('4242424242424241')).toBe('****');
  });
});

describe('the month of a card', () => {
  test.each([
    ['2026-02-28T23:59:59.999Z', false],
    ['2026-03-01T00:00:00.000Z', true],
    ['2026-01-01T00:00:00.000Z', false],
  ])('02/2026 at %s: expired %s', (now, expired) => {
    expect(isExpired({ expMonth: 2, expYear: 2026 }, new Date(now))).toBe(expired);
  });

  it('December ends with the year', () => {
    const card = { expMonth: 12, expYear: 2026 };
    expect(isExpired(card, new Date('2026-12-31T23:59:59.999Z'))).toBe(false);
    expect(isExpired(card, new Date('2027-01-01T00:00:00.000Z'))).toBe(true);
  });

  it('is valid exactly until the month ends', () => {
    const year = fc.integer({ min: 2000, max: 2099 });
    fc.assert(
      fc.property(
        year,
        fc.integer({ min: 1, max: 12 }),
        fc.date({
          min: new Date('2000-01-01'),
          max: new Date('2099-12-31'),
          noInvalidDate: true,
        }),
        (expYear, expMonth, now) => {
          const months = (now.getUTCFullYear() - expYear) * 12 + now.getUTCMonth() + 1 - expMonth;
          expect(isExpired({ expMonth, expYear }, now)).toBe(months > 0);
        },
      ),
    );
  });
});

test.each([
  ['123', true],
  ['1234', true],
  ['12', false],
  ['12345', false],
  ['12a', false],
  ['123\n', false],
  ['', false],
])('cvv %j: %s', (cvv, good) => {
  expect(isCvv(cvv)).toBe(good);
});

describe('checking a card', () => {
  it('normalizes it', () => {
    expect(checkCard({ ...CARD, expYear: 26 }, NOW)).toEqual({
      valid: true,
      card: { ...CARD, number: '4242424242424242' },
    });
  });

  test.each([
    [{ number: '4242424242424241' }, ['number']],
    [{ expMonth: 0 }, ['expMonth']],
    [{ expMonth: 13 }, ['expMonth']],
    [{ expMonth: 1.5 }, ['expMonth']],
    [{ expMonth: 1 }, ['expYear']],
    [{ expYear: 1999 }, ['expYear']],
    [{ expYear: 2077 }, ['expYear']],
    [{ expYear: Number.NaN }, ['expYear']],
    [{ cvv: '12' }, ['cvv']],
    [{ number: '', expMonth: 0, expYear: -1, cvv: '' }, ['number', 'expMonth', 'expYear', 'cvv']],
  ])('%j has its fault in %j', (change, fields) => {
    const checked = checkCard({ ...CARD, ...change }, NOW);
    expect(checked.valid ? [] : checked.faults.map(({ field }) => field)).toEqual(fields);
  });

  it('never repeats what was typed', () => {
    fc.assert(
      fc.property(digitsOf(5, 20), digitsOf(5, 9), (number, cvv) => {
        const said = JSON.stringify(checkCard({ ...CARD, number: `${number}x`, cvv }, NOW));
        expect(said).not.toContain(number);
        expect(said).not.toContain(cvv);
      }),
    );
  });
});
