/** Credentials that a gateway refuses: the account rests, and nobody is declined. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantId } from '@counterfoil/core';
import { type Logger, openLedger, silentLogger } from '@counterfoil/engine';
import { examine } from '@counterfoil/engine/doctor';
import {
  type AccountContext,
  CredentialsRefused,
  openSandboxGateway,
  type PaymentGateway,
} from '@counterfoil/engine/gateways';
import { readConfig } from '@counterfoil/http-host/config';
import { expect, it, onTestFinished } from 'vitest';
import { CARD, codeOf, OPERATOR, order, SHOP_ACCOUNT, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const MINUTE_MS = 60_000;

/** A sandbox that refuses keys, by call. Its accounts know each other's tokens. */
function refusingGateway() {
  const sandbox = openSandboxGateway({ path: ':memory:' });
  const refused = new Map<string, 'any' | keyof PaymentGateway>();
  const calls: string[] = [];
  const gateway = new Proxy(sandbox, {
    get(target, name) {
      const member = name === 'checkCredentials' ? () => undefined : Reflect.get(target, name);
      if (typeof member !== 'function' || name === 'close') return member;
      return async (...given: readonly unknown[]) => {
        const context = given.find(isContext);
        const { apiKey = '' } = context?.account.credentials ?? {};
        if (apiKey === 'unreachable') throw new Error('no connection');
        calls.push(`${String(name)} ${apiKey}`);
        const call = refused.get(apiKey);
        if (call === 'any' || call === name) throw new CredentialsRefused('no such key');
        return Reflect.apply(member, target, given);
      };
    },
  });
  return { gateway: gateway as PaymentGateway, refused, calls };
}

function isContext(given: unknown): given is AccountContext {
  return typeof given === 'object' && given !== null && 'account' in given;
}

const accountWith = (apiKey: string) => {
  const gatewayCredentials = { apiKey, username: '', password: '', emailAddress: '' };
  const currencies = [{ currency: 'GBP', gatewayCredentials }];
  return { ...SHOP_ACCOUNT, mid: apiKey, currencies, allowRetriesFromOtherMids: true };
};

/** Accounts 1, 2 and so on, each with a key. */
function shopWith(...keys: readonly string[]) {
  return shopIn('memory:', keys);
}

async function shopIn(storage: string, keys: readonly string[]) {
  const { gateway, refused, calls } = refusingGateway();
  let nowMs = Date.now();
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (_, text) => void warnings.push(text) };
  const clock = { now: () => new Date(nowMs).toISOString() };
  const ledger = await openLedger({ storage, gateways: [gateway], clock, logger });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  const define = (id: number, key: string) =>
    ledger.merchantAccounts.define(TENANT, id, accountWith(key), OPERATOR);
  for (const [index, key] of keys.entries()) await define(index + 1, key);
  const pass = (minutes: number) => {
    nowMs += minutes * MINUTE_MS;
  };
  const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
  return { ledger, gateway, shop, refused, calls, warnings, define, pass };
}

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error.refusal,
  );

it('another account takes the payment, and the refused one is not called while it rests', async () => {
  const { shop, refused, calls, warnings } = await shopWith('one', 'two');
  refused.set('one', 'any');
  for (let time = 0; time < 3; time += 1) {
    const { payment } = await shop.payments.submit(order());
    expect(payment.status).toBe('Captured');
    expect(payment.attempts.map(({ route }) => [route.mid, route.skipped])).toEqual([
      ['two', [{ merchantAccountId: 1, reason: 'credentials-refused' }]],
    ]);
  }
  expect(calls.filter((each) => each.endsWith(' one'))).toEqual(['tokenize one']);
  expect(warnings.filter((text) => text.includes('credentials'))).toHaveLength(1);
});

it('where no other account takes it the payment is refused with that reason, and nothing is recorded', async () => {
  const { shop, refused } = await shopWith('one');
  const { token } = await shop.payments.submit(order());
  refused.set('one', 'any');
  for (const paid of [order(), order({ card: undefined, token })]) {
    const keyed = { ...paid, idempotencyKey: 'order-1' };
    expect(await refusalOf(shop.payments.submit(keyed))).toEqual({
      type: 'NoMerchantAccount',
      skipped: [{ merchantAccountId: 1, reason: 'credentials-refused' }],
    });
    const id = shop.payments.idOf('order-1');
    expect(await codeOf(shop.payments.get(id))).toBe('TransactionUnknown');
  }
});

it('a kept card is charged by another account that knows it', async () => {
  const { shop, refused } = await shopWith('one', 'two');
  const { token } = await shop.payments.submit(order());
  refused.set('one', 'any');
  const { payment } = await shop.payments.submit(order({ card: undefined, token }));
  expect(payment.attempts.map(({ route }) => route.mid)).toEqual(['two']);
});

it('is tried again after a minute, and then after longer', async () => {
  const { shop, refused, calls, pass } = await shopWith('one', 'two');
  const pay = async () => (await shop.payments.submit(order())).payment.attempts[0]?.route.mid;
  refused.set('one', 'any');
  expect(await pay()).toBe('two');
  pass(1);
  expect(await pay()).toBe('two');
  refused.delete('one');
  pass(1);
  expect(await pay()).toBe('two');
  expect(calls.filter((each) => each === 'tokenize one')).toHaveLength(2);
  pass(1);
  expect(await pay()).toBe('one');
});

it('is tried at once with other credentials', async () => {
  const { shop, refused, define } = await shopWith('one', 'two');
  refused.set('one', 'any');
  await shop.payments.submit(order());
  await define(1, 'new');
  const { payment } = await shop.payments.submit(order());
  expect(payment.attempts.map(({ route }) => route.mid)).toEqual(['new']);
});

it('a charge that is refused so goes on at another account', async () => {
  const { shop, refused } = await shopWith('one', 'two');
  refused.set('one', 'charge');
  const { payment } = await shop.payments.submit(order());
  expect(payment.status).toBe('Captured');
  expect(payment.attempts.map(({ route, outcome }) => [route.mid, outcome])).toEqual([
    ['one', 'declined'],
    ['two', 'approved'],
  ]);
});

it('a charge without another account stays open, and is sent again under its key', async () => {
  const { shop, refused } = await shopWith('one');
  refused.set('one', 'charge');
  const keyed = order({ idempotencyKey: 'order-1' });
  const id = shop.payments.idOf('order-1');
  expect(await codeOf(shop.payments.submit(keyed))).toBe('CredentialsRefused');
  expect((await shop.payments.get(id)).status).toBe('Processing');
  refused.clear();
  expect((await shop.payments.submit(keyed)).status).toBe('Captured');
});

it('a refund that is refused so stays pending, and is made under its key', async () => {
  const { shop, refused } = await shopWith('one');
  const { id } = await shop.payments.submit(order());
  refused.set('one', 'any');
  const refund = { idempotencyKey: 'refund-1', amount: '5.00' };
  expect(await codeOf(shop.payments.refund(id, refund))).toBe('CredentialsRefused');
  refused.clear();
  expect((await shop.payments.refund(id, refund)).status).toBe('Refunded');
});

it('a card is kept at an account that is not refused', async () => {
  const { shop, refused } = await shopWith('one', 'two');
  refused.set('one', 'any');
  const { customerId } = await shop.customers.register({ email: 'ann@shop.example' });
  const { customer } = await shop.customers.addPaymentMethod(customerId, { card: CARD });
  expect(customer.paymentMethods).toHaveLength(1);
});

it('the doctor names the accounts that their gateway refuses', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-refused-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { ledger, gateway, refused } = await shopIn(folder, ['one', 'two', 'unreachable']);
  refused.set('two', 'any');
  await ledger.close();
  const examined = async (quick: boolean) => {
    const { checks } = await examine(readConfig({ DATA_DIR: folder }), {
      quick,
      gateways: [gateway],
      scratch: tmpdir(),
      now: () => Date.now(),
      onProgress() {},
      onChecked() {},
    });
    return checks.find(({ check }) => check === 'credentials');
  };
  const checked = await examined(false);
  expect(checked?.looked).toBe('6 sets of credentials; 2 could not be asked about');
  expect(checked?.findings.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    'warning: Sandbox refuses the live credentials of merchant account 2 of tenant 7',
    'warning: Sandbox refuses the sandbox credentials of merchant account 2 of tenant 7',
  ]);
  expect((await examined(true))?.skipped).toBe('left out by --quick');
});
