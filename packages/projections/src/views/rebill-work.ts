/** What subscriptions leave to be billed: cycles that become due, and tries whose outcome is not known. */
import type { Subscription } from '@counterfoil/core';
import type { DerivedDocument } from '../projection.ts';
import type { ReadModelStore } from '../read-model-store.ts';
import { DUE_REBILLS, PENDING_REBILLS, SUBSCRIPTIONS } from './live-model.ts';
import { type OpenWorkPage, type OpenWorkQuery, workPage } from './work-list.ts';

/** A charge that is to be made at `rebillAt`, and the try that it will be. */
export interface DueRebill {
  readonly tenantId: number;
  readonly subscriptionId: number;
  readonly sandbox: boolean;
  readonly cycle: number;
  /** The try that comes next: 1 for the first of the cycle. */
  readonly attempt: number;
  readonly rebillAt: string;
}

/** A try that was begun at `begunAt` as the payment `transactionId`. */
export interface PendingRebill {
  readonly tenantId: number;
  readonly subscriptionId: number;
  readonly sandbox: boolean;
  readonly cycle: number;
  readonly attempt: number;
  readonly transactionId: string;
  readonly begunAt: string;
}

/** Keys begin with an instant, so that key order is the order in which the work is due. */
export function rebillWorkOf(
  tenantId: number,
  subscription: Subscription.Subscription,
): readonly DerivedDocument[] {
  const { subscriptionId, sandbox, cycle, attempt, rebillAt, pending } = subscription;
  // An ended or frozen subscription may still have a try whose outcome is on its way.
  if (pending !== null) {
    const { transactionId, begunAt } = pending;
    const open: PendingRebill = {
      tenantId,
      subscriptionId,
      sandbox,
      cycle: pending.cycle,
      attempt: pending.attempt,
      transactionId,
      begunAt,
    };
    return [
      {
        collection: PENDING_REBILLS,
        key: `${begunAt}/${tenantId}/${subscriptionId}`,
        body: JSON.stringify(open),
      },
    ];
  }
  if (rebillAt === null) return [];
  const due: DueRebill = {
    tenantId,
    subscriptionId,
    sandbox,
    cycle,
    attempt: attempt + 1,
    rebillAt,
  };
  return [
    {
      collection: DUE_REBILLS,
      key: `${rebillAt}/${tenantId}/${subscriptionId}`,
      body: JSON.stringify(due),
    },
  ];
}

export interface DueRebillsQuery extends OpenWorkQuery {
  /** The present (ISO 8601, GMT with milliseconds): what is due later is left out. */
  readonly now: string;
}

/** Rebills of all tenants that are due by now, those that have been due longest first. */
export async function dueRebills(
  store: ReadModelStore,
  { now, limit, after }: DueRebillsQuery,
): Promise<OpenWorkPage<DueRebill>> {
  const found = await page<DueRebill>(store, DUE_REBILLS, {
    limit,
    ...(after !== undefined && { after }),
  });
  const work = found.work.filter(({ rebillAt }) => rebillAt <= now);
  return { work, next: work.length < limit ? undefined : found.next };
}

/** Tries of all tenants whose outcome is not known, those that were begun first in front. */
export function pendingRebills(
  store: ReadModelStore,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<PendingRebill>> {
  return page(store, PENDING_REBILLS, query);
}

function page<Work>(
  store: ReadModelStore,
  collection: string,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<Work>> {
  return workPage(store, { projection: SUBSCRIPTIONS, collection }, query);
}
