/** What the engine tells a gateway of each account, and what a gateway may refuse before anything is recorded. */
import { TenantId } from '@counterfoil/core';
import { type Ledger, openLedger, silentLogger } from '@counterfoil/engine';
import {
  type AccountContext,
  type ChargeRequest,
  openSandboxGateway,
  type PaymentGateway,
  type PlannedCharge,
} from '@counterfoil/engine/gateways';
import { expect, it, onTestFinished } from 'vitest';
import { codeOf, OPERATOR, order, SHOP_ACCOUNT, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);

/** A sandbox that asks for what a gateway with credentials for each account asks for. */
function strictGateway() {
  const sandbox = openSandboxGateway({ path: ':memory:' });
  const seen = { contexts: [] as AccountContext[], charges: [] as ChargeRequest[] };
  const made = new Map<string, string>();
  const keyOf = ({ account }: AccountContext) => account.credentials.apiKey;
  const gateway: PaymentGateway = {
    gatewayId: 1,
    name: 'Strict',
    refusalOf({ amountsMinor, hasCardNumber, ...context }: PlannedCharge) {
      if (keyOf(context) === '') return 'credentials-unusable';
      if (hasCardNumber && context.account.mid === 'tokens') return 'card-number-not-taken';
      return amountsMinor.some((each) => each % 10n !== 0n) ? 'amount-not-taken' : undefined;
    },
    tokenScope: keyOf,
    async tokenize(card, fingerprint, context) {
      seen.contexts.push(context);
      const kept = await sandbox.tokenize(card, fingerprint);
      made.set(kept.token, keyOf(context));
      return kept;
    },
    findToken: async (token, context) =>
      made.get(token) === keyOf(context) ? sandbox.findToken(token) : undefined,
    async charge(request) {
      seen.charges.push(request);
      return sandbox.charge(request);
    },
    confirm: (request) => sandbox.confirm(request),
    capture: (request) => sandbox.capture(request),
    void: (request) => sandbox.void(request),
    refund: (request) => sandbox.refund(request),
    findCharge: (request) => sandbox.findCharge(request),
    findFollowUp: (operation, request) => sandbox.findFollowUp(operation, request),
    noticesOf: async () => [],
    close: () => sandbox.close(),
  };
  return { gateway, seen };
}

const account = (mid: string, apiKey: string, more: object = {}) => {
  const gatewayCredentials = { apiKey, username: '', password: '', emailAddress: '' };
  const currencies = [{ currency: 'GBP', gatewayCredentials }];
  return { ...SHOP_ACCOUNT, mid, currencies, allowRetriesFromOtherMids: true, ...more };
};

async function opened(accounts: readonly (typeof SHOP_ACCOUNT)[]) {
  const { gateway, seen } = strictGateway();
  const gatewayReturnUrl = 'https://pay.shop.example/back';
  const ledger = await openLedger({
    storage: 'memory:',
    gateways: [gateway],
    gatewayReturnUrl,
    logger: silentLogger,
  });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  for (const [index, each] of accounts.entries()) {
    await ledger.merchantAccounts.openOnce(TENANT, index + 2, each, OPERATOR);
  }
  return { seen, shop: shopOf(ledger) };
}

const shopOf = (ledger: Ledger) => ledger.as({ tenantId: TENANT, actor: 'shop' });

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error.refusal,
  );

it('passes over accounts whose gateway takes no such charge, each with its reason', async () => {
  const { shop, seen } = await opened([account('tokens', 'a'), account('all', 'a')]);
  const paid = await shop.payments.submit(order({ amount: '20.00' }));
  expect(paid.payment.attempts[0]?.route.skipped).toEqual([
    { merchantAccountId: 1, reason: 'credentials-unusable' },
    { merchantAccountId: 2, reason: 'card-number-not-taken' },
  ]);
  expect(seen.contexts).toMatchObject([{ account: { mid: 'all' }, sandbox: false }]);

  const refusal = await refusalOf(shop.payments.submit(order({ amount: '20.01' })));
  expect(refusal.skipped).toContainEqual({ merchantAccountId: 3, reason: 'amount-not-taken' });
  const plans = [{ name: 'Club', rebillAmount: '9.99', frequencyDays: 30 }];
  const planned = shop.payments.submit(order({ amount: '20.00', plans }));
  expect(await codeOf(planned)).toBe('NoMerchantAccount');
  expect(seen.charges).toHaveLength(1);
});

it('tells a charge our ids, the customer, and where browsers return to', async () => {
  const { shop, seen } = await opened([account('all', 'a')]);
  const plans = [{ name: 'Club', rebillAmount: '9.90', frequencyDays: 30 }];
  const first = await shop.payments.submit(order({ amount: '20.00', plans }));
  await shop.payments.submit(order({ amount: '30.00' }));
  const customer = `7/live/${first.customerId}`;
  expect(seen.charges).toMatchObject([
    { paymentId: first.id, transactionId: first.id, customer, subscribes: true, firstSentAgoMs: 0 },
    { customer, subscribes: false, returnUrl: 'https://pay.shop.example/back' },
  ]);
});

it('tries another account only where it knows the token', async () => {
  const { shop } = await opened([account('one', 'a'), account('two', 'b'), account('three', 'a')]);
  const card = { number: '4000000000000002', expMonth: 12, expYear: 2040, cvv: '123' };
  const { payment } = await shop.payments.submit(order({ amount: '20.00', card }));
  expect(payment.attempts.map(({ route }) => route.mid)).toEqual(['one', 'three']);
  expect(payment.attempts[1]?.route.skipped).toContainEqual({
    merchantAccountId: 3,
    reason: 'other-gateway',
  });
  const paid = await shop.payments.submit(order({ amount: '20.00', merchantAccountId: 3 }));
  const again = order({ amount: '30.00', card: undefined, token: paid.token });
  const { attempts } = (await shop.payments.submit(again)).payment;
  expect(attempts.map(({ route }) => route.mid)).toEqual(['two']);
});

it('refuses a capture or refund that the gateway cannot move, and records nothing', async () => {
  const { shop } = await opened([account('all', 'a')]);
  const held = await shop.payments.submit(order({ amount: '20.00', capture: false }));
  expect(await codeOf(shop.payments.capture(held.id, { amount: '10.01' }))).toBe('AmountNotTaken');
  const captured = await shop.payments.capture(held.id, { amount: '10.00' });
  expect(captured.status).toBe('Captured');
  expect(await codeOf(shop.payments.refund(held.id, { amount: '1.01' }))).toBe('AmountNotTaken');
  expect((await shop.payments.get(held.id)).payment.refunds).toEqual([]);
  expect((await shop.payments.refund(held.id, { amount: '1.00' })).status).toBe('Refunded');
});
