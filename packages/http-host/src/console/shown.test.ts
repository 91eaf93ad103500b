/** Names of accounts and events in plain words. */
import { expect, it } from 'vitest';
import { shownAccount, shownAction, shownEvent } from './shown.ts';

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
