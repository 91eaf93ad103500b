/** The address of Stripe's script: Stripe's own, whatever the address of the API, but for test servers. */
import { expect, it } from 'vitest';
import { stripe } from './stripe-gateway.ts';

function scriptAt(members: object, { sandbox = false, production = true } = {}) {
  const apiKey = JSON.stringify({ key: 'rk_live_0123456789', ...members });
  const credentials = { apiKey, username: '', password: '', emailAddress: '' };
  const account = { merchantAccountId: 1, mid: '1', credentials };
  return stripe({ production }).cardScriptOf?.({ account, sandbox });
}

const publishableKey = 'pk_live_0123456789';

it.each([
  [{ publishableKey }, 'https://js.stripe.com/v3/'],
  [{ publishableKey, apiBase: 'https://proxy.example' }, 'https://js.stripe.com/v3/'],
  [{ publishableKey, apiBase: 'http://127.0.0.1:1' }, undefined],
  [{ publishableKey: 'pk_test_0123456789' }, undefined],
  [{ publishableKey: 'sk_live_0123456789' }, undefined],
  [{}, undefined],
])('%o: %s', (members, src) => {
  expect(scriptAt(members)?.src).toBe(src);
});

it('is that of a test server on this machine outside production', () => {
  const members = { publishableKey, apiBase: 'http://127.0.0.1:1' };
  expect(scriptAt(members, { production: false })?.src).toBe('http://127.0.0.1:1/v3/');
});

it('has no key but the publishable one', () => {
  expect(JSON.stringify(scriptAt({ publishableKey }))).not.toContain('rk_live');
});
