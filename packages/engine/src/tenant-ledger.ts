/** The slices of a ledger for one caller of one tenant. */
import { TenantId } from '@counterfoil/core';
import type { OwnProjection, View } from '@counterfoil/projections';
import { z } from 'zod';
import type { Acting } from './acting.ts';
import { booksOf, type TenantBooks } from './books/tenant-books.ts';
import type { Calls } from './calls.ts';
import { CUSTOMER_INPUTS, TenantCustomers } from './customers/tenant-customers.ts';
import { DISPUTE_INPUTS, TenantDisputes } from './disputes/tenant-disputes.ts';
import { checkedCalls, inputOf } from './input/checked-calls.ts';
import { definedOf } from './input/defined.ts';
import { name, text } from './input/texts.ts';
import {
  MERCHANT_ACCOUNT_INPUTS,
  TenantMerchantAccounts,
} from './merchant-accounts/tenant-merchant-accounts.ts';
import type { Engine } from './open-engine.ts';
import { PAYMENT_INPUTS, TenantPayments } from './payments/tenant-payments.ts';
import { SUBSCRIPTION_INPUTS, TenantSubscriptions } from './subscriptions/tenant-subscriptions.ts';
import { type TenantTransactions, transactionsOf } from './transactions/tenant-transactions.ts';

/** Who acts, and for which tenant. */
const Actor = z.strictObject({
  tenantId: TenantId,
  actor: name(255),
  keyId: text(255).optional(),
  requestId: text(255).optional(),
  traceparent: text(255).optional(),
  /** `test` makes and sees sandbox data only. Default: `live`. */
  environment: z.enum(['live', 'test']).optional(),
});
export type Actor = Omit<z.input<typeof Actor>, 'tenantId'> & { readonly tenantId: number };

export interface TenantLedger {
  readonly payments: TenantPayments;
  readonly subscriptions: TenantSubscriptions;
  readonly customers: TenantCustomers;
  readonly transactions: TenantTransactions;
  readonly disputes: TenantDisputes;
  readonly books: TenantBooks;
  readonly merchantAccounts: TenantMerchantAccounts;
  /** The rows of a projection that the ledger was opened with; they show one's own writes. */
  view<Row>(projection: OwnProjection<Row>): View<Row>;
}

/** Throws `InputInvalid`. */
export function ledgerOf(engine: Engine, calls: Calls, given: Actor): TenantLedger {
  const { environment = 'live', tenantId, actor, ...more } = inputOf(Actor, given);
  const caller = { actor, ...definedOf(more) };
  const acting: Acting = { tenantId, environment, caller, now: () => engine.clock.now() };
  const owner = { tenantId, sandbox: environment === 'test' };
  const payments = checkedCalls(new TenantPayments(engine, acting), PAYMENT_INPUTS);
  const customers = checkedCalls(new TenantCustomers(engine, acting), CUSTOMER_INPUTS);
  const subscriptions = checkedCalls(
    new TenantSubscriptions(engine.subscriptions, acting),
    SUBSCRIPTION_INPUTS,
  );
  const disputes = checkedCalls(new TenantDisputes(engine.disputes, acting), DISPUTE_INPUTS);
  const merchantAccounts = checkedCalls(
    new TenantMerchantAccounts(engine, acting),
    MERCHANT_ACCOUNT_INPUTS,
  );
  return {
    payments: calls.counted(payments, ['idOf']),
    subscriptions: calls.counted(subscriptions),
    customers: calls.counted(customers),
    transactions: calls.counted(transactionsOf(engine.transactions, acting)),
    disputes: calls.counted(disputes),
    books: calls.counted(booksOf(engine.books, acting)),
    merchantAccounts: calls.counted(merchantAccounts),
    view: (projection) => calls.counted(engine.ownProjections.view(projection, owner)),
  };
}
