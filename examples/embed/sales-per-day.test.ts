/** The projection over an in-memory ledger with a set clock. */
import { TenantId } from '@counterfoil/core';
import { openLedger } from '@counterfoil/engine';
import { expect, it } from 'vitest';
import { onboard } from '../onboard.ts';
import { salesPerDay } from './sales-per-day.ts';

it('adds up the sales of each day', async () => {
  let now = '2026-01-31T12:00:00.000Z';
  const clock = { now: () => now };
  const ledger = await openLedger({ storage: 'memory:', projections: [salesPerDay], clock });
  const tenantId = TenantId.parse(7);
  await onboard(ledger, tenantId, [{ gatewayId: 1, currency: 'GBP' }]);
  const shop = ledger.as({ tenantId, actor: 'shop' });
  const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };
  const order = { currency: 'GBP', email: 'ann@shop.example', card };

  const paid = await shop.payments.submit({ ...order, amount: '19.99' });
  await shop.payments.submit({ ...order, amount: '1.01' });
  now = '2026-02-01T12:00:00.000Z';
  await shop.payments.refund(paid.id, { amount: '5.00' });

  expect(await shop.view(salesPerDay).list()).toEqual([
    { key: 'GBP/2026-01-31', row: { sales: 2, takenMinor: 2_100n } },
    { key: 'GBP/2026-02-01', row: { sales: 0, takenMinor: -500n } },
  ]);
  await ledger.close();
});
