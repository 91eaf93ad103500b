/** A token opens only for the customer that it was issued to. */
import { createHmac } from 'node:crypto';
import type { TenantId } from '@counterfoil/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CardTokens } from './card-tokens.ts';

const SECRET = Buffer.alloc(32, 7);
const tokens = new CardTokens(SECRET);
const owner = { tenantId: 1 as TenantId, sandbox: false, customerId: 601 };

it('opens for its owner, whatever the gateway calls the card', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (token) => {
      expect(tokens.open(owner, tokens.issue(owner, token))).toEqual({
        gatewayToken: token,
        namesCustomer: true,
      });
    }),
  );
});

it.each([
  ['another tenant', { ...owner, tenantId: 2 as TenantId }],
  ['the sandbox', { ...owner, sandbox: true }],
  ['another customer', { ...owner, customerId: 602 }],
])('does not open for %s', (_, other) => {
  expect(tokens.open(other, tokens.issue(owner, 'tok_1'))).toBeUndefined();
});

it('opens as it was issued before tokens named their customer, for any of the tenant', () => {
  const content = JSON.stringify([owner.tenantId, owner.sandbox, 'tok_1']);
  const mark = createHmac('sha256', SECRET).update(content).digest().subarray(0, 16);
  const older = `tok_1.${mark.toString('base64url')}`;
  const opened = { gatewayToken: 'tok_1', namesCustomer: false };
  expect(tokens.open(owner, older)).toEqual(opened);
  expect(tokens.open({ ...owner, tenantId: 2 as TenantId }, older)).toBeUndefined();
});

it.each(['', '.', 'tok_1', 'tok_1.', 'tok_1.AAAA', `tok_2.${'A'.repeat(22)}`])(
  'is not made up: %j',
  (token) => {
    expect(tokens.open(owner, token)).toBeUndefined();
  },
);

it('is another under another secret', () => {
  const others = new CardTokens(Buffer.alloc(32, 8));
  expect(others.open(owner, tokens.issue(owner, 'tok_1'))).toBeUndefined();
});
