/** Settlement files of acquirers. */
import { type Base, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import { Settlements } from './settlements.ts';
import { SETTLEMENT_CALLS, SETTLEMENT_INPUTS, TenantSettlements } from './tenant-settlements.ts';

export const SETTLEMENTS = slice({
  scopes: {
    'settlements:read': 'Read imports of settlement files, and what is unmatched',
    'settlements:write': 'Import settlement files',
  },
  make({ commands, references, stores, readSide }: Base & TenantParts) {
    const { readModels } = stores;
    return { settlements: new Settlements({ commands, references, readModels, readSide }) };
  },
  tenant: ({ settlements }) => ({
    settlements: tenantPart(
      SETTLEMENT_INPUTS,
      (acting) => new TenantSettlements(settlements, acting),
      SETTLEMENT_CALLS,
    ),
  }),
});
