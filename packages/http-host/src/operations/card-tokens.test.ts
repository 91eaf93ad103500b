/** A token opens for the tenant and environment that it was issued to, and for nobody else. */
import type { TenantId } from '@counterfoil/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CardTokens } from './card-tokens.ts';

const tokens = new CardTokens(Buffer.alloc(32, 7));
const owner = { tenantId: 1 as TenantId, sandbox: false };

it('opens for its owner, whatever the gateway calls the card', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (token) => {
      expect(tokens.open(owner, tokens.issue(owner, token))).toBe(token);
    }),
  );
});

it.each([
  ['another tenant', { tenantId: 2 as TenantId, sandbox: false }],
  ['the sandbox', { tenantId: 1 as TenantId, sandbox: true }],
])('does not open for %s', (_, other) => {
  expect(tokens.open(other, tokens.issue(owner, 'tok_1'))).toBeUndefined();
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
