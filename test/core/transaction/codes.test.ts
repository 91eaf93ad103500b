/** The small closed lists of the contract, number by number and name by name: stored, searched and shown. */
import { Transaction } from '@counterfoil/core';
import { expect, it } from 'vitest';

/** As the contract writes a list: each number, and the name it stands for. */
const LISTS = [
  [
    'refund sources',
    Transaction.REFUND_SOURCE,
    '0 None, 1 CustomerService, 2 Admin, 3 CardApi, 4 AlertProvider, 5 CDRN, 6 RDR, 7 System, ' +
      '8 Gateway',
  ],
  [
    'alert types',
    Transaction.ALERT_TYPE,
    '0 None, 1 ConfirmedFraud, 2 CustomerDispute, 3 EarlyFraudWarning, 4 AutoResolved, ' +
      '5 OrderInquiry, 6 Cancellation',
  ],
  [
    'alert sources',
    Transaction.ALERT_SOURCE,
    '0 None, 1 AlertProvider, 2 CDRN, 3 RDR, 4 OrderInquiry, 5 Acquirer, 6 Manual',
  ],
  [
    'black listing',
    Transaction.BLACK_LISTING,
    '1 email, 2 cardFingerprint, 4 bin, 8 extendedBin, 16 ip, 32 customer',
  ],
  [
    'application kinds',
    Transaction.APPLICATION_KIND,
    '1 Checkout, 2 Ecommerce, 3 Rebill, 4 RebillRetry, 5 Manual, 10 Refund, 11 Void, ' +
      '20 Chargeback, 30 Alert',
  ],
] as const;

it.each(LISTS)('numbers the %s', (_, list, contract) => {
  const numbered = Object.entries(list).map(([name, id]) => `${id} ${name}`);
  expect(numbered.join(', ')).toBe(contract);
});

const { RefundRequested, AlertReceived } = Transaction.events;

it.each([
  ['refund sources', RefundRequested.schema.shape.source.options, Transaction.REFUND_SOURCE],
  ['alert types', AlertReceived.schema.shape.alertType.options, Transaction.ALERT_TYPE],
  ['alert sources', AlertReceived.schema.shape.source.options, Transaction.ALERT_SOURCE],
])('stores the %s that have a number, but for none at all', (_, stored, list) => {
  expect(['None', ...stored]).toEqual(Object.keys(list));
});

it('names the application kinds', () => {
  const named = Object.entries(Transaction.APPLICATION_KIND_NAME);
  expect(named.map(([id, name]) => `${id} ${name}`).join(', ')).toBe(
    '1 Checkout, 2 Ecommerce, 3 Rebill, 4 Rebill retry, 5 Manual, 10 Refund, 11 Void, ' +
      '20 Chargeback, 30 Alert',
  );
  expect(Transaction.FIRST_OWN_APPLICATION_ID).toBe(100);
});

it('names the card networks by their brand, from the unknown one on', () => {
  expect(Transaction.CARD_BRAND.join(', ')).toBe(
    'Unknown, NetworkA, NetworkB, NetworkC, NetworkD, NetworkE, NetworkF',
  );
});
