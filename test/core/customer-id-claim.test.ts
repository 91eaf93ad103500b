/** Claims of ids that callers choose: each belongs to the first email that claims it. */
import { CustomerIdClaim, type TenantId } from '@counterfoil/core';
import { given } from '@counterfoil/core/testing';
import { expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(CustomerIdClaim);

const at = '2026-01-01T00:00:00.000Z';
const who = { sandbox: false, customerId: 4_711, at };
const claim = (emailKey: string, insteadOf?: string): CustomerIdClaim.Command => ({
  type: 'ClaimCustomerId',
  tenantId: 7 as TenantId,
  ...who,
  emailKey,
  ...(insteadOf !== undefined && { insteadOf }),
});
const claimed = (emailKey: string): CustomerIdClaim.Event => ({
  type: 'CustomerIdClaimed',
  ...who,
  emailKey,
});

it('belongs to the first email only', () => {
  when([], claim('one')).then(claimed('one'));
  const known = given(CustomerIdClaim, [claimed('one')]);
  known.when(claim('one')).thenNothing();
  known.when(claim('two')).thenNothing();
  expect(known.state).toEqual({ emailKey: 'one' });
});

it('passes on from an email that came to another customer, if it is still that one’s', () => {
  when([claimed('one')], claim('two', 'one')).then(claimed('two'));
  when([claimed('one'), claimed('three')], claim('two', 'one')).thenNothing();
});

it('is another in the sandbox', () => {
  const stream = (sandbox: boolean) => CustomerIdClaim.streamOf({ ...claim('one'), sandbox });
  expect([stream(false), stream(true)]).toEqual([
    'customer_id-7-live-4711',
    'customer_id-7-test-4711',
  ]);
});
