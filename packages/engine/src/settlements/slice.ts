/** Settlement files of acquirers, and payouts of gateways. */
import type { GatewayEventParts } from '../gateway-events/index.ts';
import { boundedSettlements } from '../gateways/bounded-settlements.ts';
import type { GatewayParts } from '../gateways/slice.ts';
import type { PaymentParts } from '../payments/index.ts';
import { type Base, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import { PayoutWork } from './payout-work.ts';
import { Payouts } from './payouts.ts';
import { Settlements } from './settlements.ts';
import { SETTLEMENT_CALLS, SETTLEMENT_INPUTS, TenantSettlements } from './tenant-settlements.ts';

export const SETTLEMENTS = slice({
  scopes: {
    'settlements:read': 'Read imports of settlement files and payouts, and what is unmatched',
    'settlements:write': 'Import settlement files, and settle payouts',
  },
  make(parts: Base & TenantParts & GatewayParts & PaymentParts & GatewayEventParts) {
    const { commands, references, stores, readSide, gateways, settings, logger } = parts;
    const { readModels } = stores;
    const settlements = new Settlements({ commands, references, readModels, readSide });
    const bounds = { timeoutMs: settings.gatewayTimeoutMs, logger };
    const payoutSources = new Map(
      gateways.gateways.flatMap((each) => {
        const source = boundedSettlements(each, bounds);
        return source === undefined ? [] : [[each.gatewayId, source] as const];
      }),
    );
    const { takenEvents: taken } = parts;
    const payouts = new Payouts({ ...parts, settlements, taken, payoutSources });
    return { settlements, payouts, hasPayouts: payoutSources.size > 0 };
  },
  tenant: ({ settlements, payouts }) => ({
    settlements: tenantPart(
      SETTLEMENT_INPUTS,
      (acting) => new TenantSettlements(settlements, payouts, acting),
      SETTLEMENT_CALLS,
    ),
  }),
  works: ({ payouts, hasPayouts, stores, clock, logger }) =>
    hasPayouts ? [new PayoutWork({ payouts, store: stores.readModels, clock, logger })] : [],
});
