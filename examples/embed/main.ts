/**
 * An embedded ledger without a server: `npx -y pnpm@12 example:embed`. Pounds go to a custom
 * gateway. Data is kept in `data/embed` (or DATA_DIR); a second run changes nothing.
 */
import { TenantId, toDecimal } from '@counterfoil/core';
import { openLedger } from '@counterfoil/engine';
import { sandbox } from '@counterfoil/engine/gateways';
import { onboard } from '../onboard.ts';
import { MemoryGateway } from '../own-host/memory-gateway.ts';
import { salesPerDay } from './sales-per-day.ts';

const tenantId = TenantId.parse(7);
const email = 'ann@shop.example';
const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };

const ledger = await openLedger({
  storage: process.env['DATA_DIR'] ?? './data/embed',
  gateways: [sandbox(), new MemoryGateway(2)],
  projections: [salesPerDay],
});
await onboard(ledger, tenantId, [
  { gatewayId: 1, currency: 'USD' },
  { gatewayId: 2, currency: 'GBP' },
]);

const shop = ledger.as({ tenantId, actor: 'shop' });
// The keys identify the payment and the refund permanently.
const order = { idempotencyKey: 'order-1001', amount: '19.99', currency: 'GBP', email, card };
const paid = await shop.payments.submit(order);
await shop.payments.refund(paid.id, { idempotencyKey: 'order-1001-r1', amount: '5.00' });
// Reads include these writes.
const found = await shop.transactions.search({ emails: [email] });
const days = await shop.view(salesPerDay).list({ prefix: 'GBP/' });
const { balanced } = await shop.books.trialBalance();
await ledger.close();

console.log(`${paid.status}: ${found.count} transactions, balanced: ${balanced}`);
for (const { key, row } of days) {
  console.log(`${key}: ${row.sales} sale, ${toDecimal(row.takenMinor, 'GBP')} taken`);
}
