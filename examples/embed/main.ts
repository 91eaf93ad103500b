/** The ledger inside another program, without a server: a shop takes a payment and gives part of it back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantId } from '@counterfoil/core';
import { openLedger, Refused } from '@counterfoil/engine';
import { sandbox } from '@counterfoil/engine/gateways';

const storage = mkdtempSync(join(tmpdir(), 'counterfoil-embed-'));
const ledger = await openLedger({ storage, gateways: [sandbox()] });

// Once for each tenant: who it is, its company, and the account at a gateway that takes its money.
const operator = { actor: 'operator' };
const tenantId = TenantId.parse(7);
const at = new Date().toISOString();
await ledger.tenants.onboard(tenantId, { name: 'My shop' }, operator);
await ledger.tenants.define(
  { type: 'DefineCompany', tenantId, companyId: 1, name: 'My shop Ltd', at },
  operator,
);
const credentials = { apiKey: 'secret', username: '', password: '', emailAddress: '' };
await ledger.tenants.openMerchantAccount(
  tenantId,
  1,
  {
    mid: '7001',
    title: 'Main',
    companyId: 1,
    gatewayId: 1,
    descriptor: 'MY SHOP',
    defaultCurrency: 'GBP',
    currencies: [{ currency: 'GBP', gatewayCredentials: credentials }],
  },
  operator,
);

const shop = ledger.as({ tenantId, actor: 'shop' });
const email = 'ann@shop.example';
const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };

// The key names the payment for ever: asked again after a crash, it is the same payment.
const order = { idempotencyKey: 'order-1001', amount: '100.00', currency: 'GBP', email, card };
const paid = await shop.payments.submit(order);
const again = await shop.payments.submit(order);
console.log(`${paid.status} ${paid.amount} ${paid.currency}, once: ${paid.id === again.id}`);

// Two refunds of 60 race on a capture of 100: the money-out rule lets one of them through.
const outcomes = await Promise.all(
  ['r1', 'r2'].map((idempotencyKey) =>
    shop.payments.refund(paid.id, { idempotencyKey, amount: '60.00' }).then(
      ({ status }) => status,
      (error) => (error instanceof Refused ? error.code : Promise.reject(error)),
    ),
  ),
);
console.log(outcomes.sort().join(', '));

const found = await shop.transactions.search({ emails: [email] }); // has seen these writes
const { balanced } = await shop.books.trialBalance();
console.log(`${found.count} transactions, balanced: ${balanced}`);
await ledger.close();
rmSync(storage, { recursive: true });
