/** The policy in random shop simulations with gateway faults: the invariants hold. */
import { TenantId } from '@counterfoil/core';
import { openLedger, silentLogger } from '@counterfoil/engine';
import { expectSound, playLife, shopLife } from '@counterfoil/engine/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { onboard } from '../onboard.ts';
import { goodwill } from './goodwill.ts';

const AGENTS = 3;
it('gives half back once, and the ledger stays sound', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(shopLife(8), async (life) => {
      const ledger = await openLedger({ storage: 'memory:', logger: silentLogger });
      const tenants = [TenantId.parse(1), TenantId.parse(2)];
      for (const each of tenants) await onboard(ledger, each, [{ gatewayId: 1, currency: 'GBP' }]);
      const shops = tenants.map((tenantId) => ledger.as({ tenantId, actor: 'shop' }));

      const given = new Map<string, Set<string>>();
      const made = await playLife(shops, life, {
        async between(payments) {
          for (const { shop, id } of payments) {
            const agents = Array.from({ length: AGENTS }, () => goodwill(shop, id));
            for (const refund of await Promise.all(agents)) {
              if (refund !== undefined) given.set(id, (given.get(id) ?? new Set()).add(refund.id));
            }
          }
        },
      });

      for (const { shop, id } of made) {
        const refunds = given.get(id) ?? new Set();
        expect(refunds.size).toBeLessThanOrEqual(1);
        const { payment } = await shop.payments.get(id);
        const ours = payment.refunds.filter(({ refundId }) => refunds.has(refundId));
        for (const { amountMinor } of ours)
          expect(amountMinor * 2n <= payment.amountMinor).toBe(true);
      }
      await expectSound(ledger);
      await ledger.close();
    }),
    { numRuns: 5 },
  );
});
