/** What the domain does not know, and what cannot have been, stops it: nothing is passed over in silence. */
import {
  EmailClaim,
  MerchantAccount,
  MonthlyCap,
  Subscription,
  Tenant,
  type TenantId,
  Transaction,
} from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { describe, expect, it } from 'vitest';
import { answer, ask } from './payment-commands.ts';
import { happened, NOW, past } from './payment-story.ts';
import { past as billed, stateAfter } from './subscription/story.ts';

const payment = given(Transaction, past.processing).state;
const onboarded: Tenant.Event = {
  type: 'TenantOnboarded',
  name: 'Acme',
  settings: Tenant.DEFAULT_SETTINGS,
  at: NOW,
};
const tenant = given(Tenant, [onboarded]).state;
/** From a caller or a version that knows more than these sources do. */
const strange = { type: 'Unheard', tenantId: 7 as TenantId, at: NOW } as never;

describe('an unknown kind', () => {
  it.each([
    ['payment command', () => Transaction.decide(payment, strange)],
    ['payment event', () => Transaction.evolve(payment, strange)],
    [
      'gateway answer',
      () =>
        Transaction.decide(
          payment,
          ask.recordOutcome({ ...answer.failed, result: 'Unheard' } as never),
        ),
    ],
    ['tenant command', () => Tenant.decide(tenant, strange)],
    ['tenant event', () => Tenant.evolve(tenant, strange)],
    ['merchant account command', () => MerchantAccount.decide(null, strange)],
    ['email command', () => EmailClaim.decide(EmailClaim.initial, strange)],
    ['email event', () => EmailClaim.evolve(EmailClaim.initial, strange)],
    ['subscription command', () => Subscription.decide(stateAfter(billed.started), strange)],
    ['subscription event', () => Subscription.evolve(stateAfter(billed.started), strange)],
    ['cap command', () => MonthlyCap.decide(MonthlyCap.initial, strange)],
    ['cap event', () => MonthlyCap.evolve(MonthlyCap.initial, strange)],
  ])('of %s', (_, act) => {
    expect(act).toThrow(/unhandled case: .*Unheard/);
  });
});

describe('a past that cannot have been', () => {
  const keyId = '0192f000-0000-4000-8000-000000000001';
  const settings = Tenant.DEFAULT_SETTINGS;
  const changed = { type: 'MerchantAccountChanged', settings: {}, at: NOW } as never;

  it.each([
    ['PaymentSettled without a payment', () => Transaction.evolve(null, happened.settled())],
    [
      'SettingsChanged without a tenant',
      () => Tenant.evolve(null, { type: 'SettingsChanged', settings, at: NOW }),
    ],
    [`no key ${keyId}`, () => Tenant.evolve(tenant, { type: 'KeyRevoked', keyId, at: NOW })],
    [
      'MerchantAccountChanged without a merchant account',
      () => MerchantAccount.evolve(null, changed),
    ],
  ])('%s', (message, act) => {
    expect(act).toThrow(message);
  });
});
