/** Amounts, and names of accounts and events in plain words. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shownAccount, shownAction, shownAmount, shownEvent } from './shown.ts';

it.each([
  ['0', 'GBP', '0.00'],
  [1234.5, 'GBP', '1,234.50'],
  ['-1234567.89', 'EUR', '\u22121,234,567.89'],
  ['1000', 'JPY', '1,000'],
])('shows %s %s as %s', (amount, currency, text) => {
  expect(shownAmount(amount, currency)).toBe(text);
});

it('groups the digits of every amount as English does', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n }), (whole) => {
      expect(shownAmount(String(whole), 'JPY')).toBe(whole.toLocaleString('en'));
    }),
  );
});

it.each([
  ['acquirer-receivable', 'Acquirer receivable'],
  ['fees:bank-auth', 'Fees: bank authorization'],
  ['fees:bank-avs', 'Fees: bank AVS'],
  ['sales', 'Sales'],
])('calls the account %s %s', (account, name) => {
  expect(shownAccount(account)).toBe(name);
});

it.each([
  ['PaymentCaptured', 'Payment captured'],
  ['Refunded', 'Refunded'],
])('calls the event %s %s', (type, words) => {
  expect(shownEvent(type)).toBe(words);
});

it.each([
  ['payments.refund', 'Payments: refund'],
  ['signIns.signIn', 'Sign-ins: sign in'],
])('calls the action %s %s', (action, words) => {
  expect(shownAction(action)).toBe(words);
});
