/** Customers: one email of one environment has one id, whoever asks first. */
import { Customer, type TenantId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { expect, it } from 'vitest';

const identify: Customer.Command = {
  type: 'IdentifyCustomer',
  tenantId: 7 as TenantId,
  sandbox: false,
  emailKey: 'c0ffee',
  email: 'ada@example.com',
  customerId: 601,
  at: '2026-01-01T00:00:00.000Z',
};
const identified: Customer.Event = {
  type: 'CustomerIdentified',
  sandbox: false,
  customerId: 601,
  email: 'ada@example.com',
  at: '2026-01-01T00:00:00.000Z',
};

it('gives a new email the id that was brought', () => {
  given(Customer).when(identify).then(identified);
});

it('answers a known email with the id it has', () => {
  given(Customer, [identified])
    .when({ ...identify, customerId: 602 })
    .thenNothing();
  const { customerId, email, sandbox } = identified;
  expect(given(Customer, [identified]).state).toEqual({ customerId, email, sandbox });
});

it('keeps the email out of the stream’s name, and sandbox apart from live', () => {
  expect(Customer.streamOf(identify)).toBe('customer-7-live-c0ffee');
  expect(Customer.streamOf({ ...identify, sandbox: true })).toBe('customer-7-test-c0ffee');
});
