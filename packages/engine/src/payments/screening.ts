/** Looks up the payer of a new payment on the black list. */
import type { TenantId, Transaction } from '@counterfoil/core';
import { type BlackLists, payerOf } from '../black-list/index.ts';
import type { Brought, Cards } from './cards.ts';

/** The payer, as far as it is known before the payment is recorded. */
export interface NewPayer {
  readonly tenantId: TenantId;
  readonly order: Pick<Transaction.Order, 'sandbox' | 'email' | 'session'>;
  readonly brought: Brought;
  /** Called only where the tenant has a black list. */
  readonly customerId: () => Promise<number | undefined>;
}

/** The mask of what is on the list; 0 for nearly every payer. */
export function blackListingOf(
  { tenantId, order, brought, customerId }: NewPayer,
  { blackLists, cards }: { readonly blackLists: BlackLists; readonly cards: Cards },
): Promise<number> {
  const { sandbox, email, session } = order;
  const owner = { tenantId, sandbox };
  return blackLists.maskOf(owner, {
    async payer() {
      const card = cards.unkept(owner, brought);
      const known = payerOf({ email, session, card, customerId: await customerId() });
      return { ...known, extendedBin: cards.extendedBinOf(brought) };
    },
  });
}
