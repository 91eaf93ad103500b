/** A bundled program: opens a ledger in the folder of its argument and takes a payment. */
import { openLedger } from '@counterfoil/engine';

const ledger = await openLedger({ storage: process.argv[2] ?? './data' });
const tenantId = 7;
const operator = { actor: 'operator' };
const at = new Date().toISOString();
await ledger.tenants.onboard(tenantId, { name: 'Shop' }, operator);
await ledger.tenants.define(
  { type: 'DefineCompany', tenantId, companyId: 1, name: 'Shop Ltd', at },
  operator,
);
const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
const currencies = [{ currency: 'GBP', gatewayCredentials }];
const account = { mid: '7001', title: 'Shop', companyId: 1, gatewayId: 1, descriptor: 'SHOP' };
await ledger.merchantAccounts.openOnce(
  tenantId,
  1,
  { ...account, defaultCurrency: 'GBP', currencies },
  operator,
);

const shop = ledger.as({ tenantId, actor: 'shop' });
const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };
const order = { amount: '19.99', currency: 'GBP', email: 'ann@shop.example', card };
const { status } = await shop.payments.submit({ ...order, idempotencyKey: 'order-1' });
const { count } = await shop.transactions.search();
console.log(`${status}, ${count} found`);
await ledger.close();
