/** The black list: what of a payer blocks a payment. */
import { BlackListView } from '@counterfoil/projections';
import { deriveKey } from '../derive-key.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import type { TransactionParts } from '../transactions/index.ts';
import { BlackLists } from './black-list.ts';
import { listDisputed } from './follow-disputes.ts';
import { BLACK_LIST_CALLS, BLACK_LIST_INPUTS, TenantBlackList } from './tenant-black-list.ts';
import { listedIds } from './values.ts';

export type BlackListParts = PartsOf<typeof BLACK_LIST>;

export const BLACK_LIST = slice({
  scopes: {
    'blacklist:read': 'Read the black list',
    'blacklist:write': 'Put values on the black list, and take them off',
  },
  make({ commands, stores }: Base & TenantParts & TransactionParts) {
    const idOf = listedIds(deriveKey(stores.masterKey, 'black list'));
    return {
      blackLists: new BlackLists(commands, idOf),
      blackListView: new BlackListView(stores.readModels),
    };
  },
  tenant: (parts) => ({
    blackList: tenantPart(
      BLACK_LIST_INPUTS,
      (acting) => new TenantBlackList(parts, acting),
      BLACK_LIST_CALLS,
    ),
  }),
  followers: ({ blackLists, references, commands }, following) => [
    listDisputed({ blackLists, references, commands, ...following }),
  ],
});
