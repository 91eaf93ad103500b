/** The slices of a ledger for one caller of one tenant. */
import { TenantId } from '@counterfoil/core';
import type { OwnProjection, View } from '@counterfoil/projections';
import type { Acting } from './acting.ts';
import { booksOf, type TenantBooks } from './books/tenant-books.ts';
import type { Calls } from './calls.ts';
import type { Caller } from './command-runner.ts';
import { TenantCustomers } from './customers/tenant-customers.ts';
import type { Engine } from './open-engine.ts';
import { TenantPayments } from './payments/tenant-payments.ts';
import { TenantSubscriptions } from './subscriptions/tenant-subscriptions.ts';
import { type TenantTransactions, transactionsOf } from './transactions/tenant-transactions.ts';

/** Who acts, and for which tenant. */
export interface Actor extends Caller {
  readonly tenantId: number;
  /** `test` makes and sees sandbox data only. Default: `live`. */
  readonly environment?: 'live' | 'test';
}

export interface TenantLedger {
  readonly payments: TenantPayments;
  readonly subscriptions: TenantSubscriptions;
  readonly customers: TenantCustomers;
  readonly transactions: TenantTransactions;
  readonly books: TenantBooks;
  /** The rows of a projection that the ledger was opened with; they show one's own writes. */
  view<Row>(projection: OwnProjection<Row>): View<Row>;
}

/** Throws a ZodError for what is no tenant id. */
export function ledgerOf(engine: Engine, calls: Calls, actor: Actor): TenantLedger {
  const { environment = 'live', tenantId: id, ...caller } = actor;
  const tenantId = TenantId.parse(id);
  const acting: Acting = { tenantId, environment, caller, now: () => engine.clock.now() };
  const owner = { tenantId, sandbox: environment === 'test' };
  return {
    payments: calls.counted(new TenantPayments(engine, acting), ['idOf']),
    subscriptions: calls.counted(new TenantSubscriptions(engine.subscriptions, acting)),
    customers: calls.counted(new TenantCustomers(engine, acting)),
    transactions: calls.counted(transactionsOf(engine.transactions, acting)),
    books: calls.counted(booksOf(engine.books, acting)),
    view: (projection) => calls.counted(engine.ownProjections.view(projection, owner)),
  };
}
