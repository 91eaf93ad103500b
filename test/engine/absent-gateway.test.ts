/** Merchant accounts whose gateway the ledger was not opened with: named, passed over, and waited for. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantId } from '@counterfoil/core';
import { type Ledger, openLedger, type Refused, silentLogger } from '@counterfoil/engine';
import { examine, type Finding } from '@counterfoil/engine/doctor';
import { openSandboxGateway } from '@counterfoil/engine/gateways';
import { readConfig } from '@counterfoil/http-host/config';
import { expect, it, onTestFinished } from 'vitest';

const OPERATOR = { actor: 'operator' };
const TENANT = TenantId.parse(7);
const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };
const [GONE, OTHER] = [5, 6];
const [AT_GONE, AT_OTHER] = [1, 2];
const DAY_MS = 86_400_000;

/** A ledger in one folder, opened with these gateways at a time. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'counterfoil-absent-'));
  readonly warned = Promise.withResolvers<object>();
  nowMs = Date.parse('2026-01-31T12:00:00.000Z');
  ledger!: Ledger;

  async open(...gatewayIds: readonly number[]): Promise<void> {
    const warn = (facts: object, text: string) => {
      if (text.endsWith('absent')) this.warned.resolve(facts);
    };
    this.ledger = await openLedger({
      storage: this.folder,
      gateways: gatewayIds.map((gatewayId) =>
        openSandboxGateway({ path: join(this.folder, `gateway-${gatewayId}.db`), gatewayId }),
      ),
      logger: { ...silentLogger, warn },
      clock: { now: () => this.now },
    });
  }

  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  get shop() {
    return this.ledger.as({ tenantId: TENANT, actor: 'shop' });
  }

  async payments(): Promise<number> {
    return (await this.shop.transactions.search({ dateFrom: '2026-01-01' })).count;
  }

  async onboard(): Promise<void> {
    const { tenants, merchantAccounts } = this.ledger;
    await tenants.onboard(TENANT, { name: 'Tenant' }, OPERATOR);
    const company = { tenantId: TENANT, companyId: 1, name: 'Acme', at: this.now };
    await tenants.define({ type: 'DefineCompany', ...company }, OPERATOR);
    const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
    for (const [id, gatewayId] of [
      [AT_GONE, GONE],
      [AT_OTHER, OTHER],
    ] as const) {
      const settings = {
        mid: `700${id}`,
        title: `Account ${id}`,
        companyId: 1,
        gatewayId,
        descriptor: 'ACME',
        defaultCurrency: 'GBP',
        currencies: [{ currency: 'GBP', gatewayCredentials }],
      };
      await merchantAccounts.openOnce(TENANT, id, settings, OPERATOR);
    }
  }

  async findings(): Promise<readonly Finding[]> {
    const { checks } = await examine(readConfig({ DATA_DIR: this.folder }), {
      quick: true,
      gatewayIds: [OTHER],
      scratch: tmpdir(),
      now: () => this.nowMs,
      onProgress() {},
      onChecked() {},
    });
    return checks.flatMap(({ findings }) => findings);
  }
}

const order = { amount: '19.99', currency: 'GBP', email: 'ann@shop.example', card: CARD };
const onGone = { ...order, merchantAccountId: AT_GONE };

function refusalOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'accepted',
    (error: Refused) => error.refusal,
  );
}

it('is named, passed over, refused before anything is recorded, and waited for', async () => {
  const bench = new Bench();
  onTestFinished(async () => {
    await bench.ledger.close();
    rmSync(bench.folder, { recursive: true });
  });
  await bench.open(GONE, OTHER);
  await bench.onboard();
  const plans = [{ name: 'Tea club', rebillAmount: '9.99', frequencyDays: 30 }];
  const { id, token } = await bench.shop.payments.submit({ ...onGone, plans });
  await bench.shop.payments.submit({ ...order, merchantAccountId: AT_OTHER, plans });
  const held = await bench.shop.payments.submit({ ...onGone, capture: false });
  const asked = { idempotencyKey: 'refund-1', amount: '1.00' };
  const back = await bench.shop.payments.refund(id, asked);
  await bench.ledger.close();

  await bench.open(OTHER);
  const account = { tenantId: TENANT, merchantAccountId: AT_GONE, gatewayId: GONE };
  expect(await bench.warned.promise).toMatchObject(account);
  expect((await bench.findings()).filter(({ check }) => check === 'gateways')).toMatchObject([
    {
      severity: 'warning',
      message: 'merchant account 1 of tenant 7 names gateway 5, which is absent',
    },
  ]);
  const { shop } = bench;
  const skipped = [{ merchantAccountId: AT_GONE, reason: 'gateway-absent' }];
  const elsewhere = (await shop.payments.submit(order)).payment.attempts[0]?.route;
  expect(elsewhere).toMatchObject({ merchantAccountId: AT_OTHER, skipped });
  const { customerId } = await shop.customers.register({ email: 'bo@shop.example' });
  const kept = await shop.customers.addPaymentMethod(customerId, { card: CARD });
  expect(kept.token).toMatch(/^tok_/);
  const before = await bench.payments();

  const none = { type: 'NoMerchantAccount', skipped };
  expect(await refusalOf(shop.payments.submit(onGone))).toEqual(none);
  const { card: _, ...withoutCard } = onGone;
  const byToken = { ...withoutCard, token: token ?? '' };
  expect(await refusalOf(shop.payments.submit(byToken))).toEqual(none);
  const unknown = { type: 'GatewayUnknown', gatewayId: GONE };
  expect(await refusalOf(shop.payments.refund(id))).toEqual(unknown);
  expect(await refusalOf(shop.payments.capture(held.id))).toEqual(unknown);
  expect(await refusalOf(shop.payments.void(held.id))).toEqual(unknown);
  const { payment } = await shop.payments.get(held.id);
  expect(payment).toMatchObject({ pendingCapture: null, pendingVoid: null });
  expect((await shop.payments.get(id)).payment.refunds).toHaveLength(1);
  // What was done before needs no gateway.
  expect(await shop.payments.refund(id, asked)).toMatchObject({ id: back.id });
  expect(await bench.payments()).toBe(before);

  bench.nowMs += 30 * DAY_MS;
  await bench.ledger.runDue();
  await bench.ledger.runDue();
  expect(await bench.payments()).toBe(before + 1);
  await bench.ledger.close();
  await bench.open(GONE, OTHER);
  await bench.ledger.runDue();
  expect(await bench.payments()).toBe(before + 2);
}, 30_000);
