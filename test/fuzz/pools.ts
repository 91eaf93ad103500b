/** Payments that really exist, for requests that need one, and what else only the host can give out. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { CARDS, Caller, CHECKOUT, card, type Json } from '../e2e/running-host.ts';
import { CLUB } from '../e2e/subscribers.ts';
import type { Documented, Operation } from '../http-host/documented.ts';
import type { Tenancy } from './fuzzed-host.ts';
import {
  collectionOf,
  collectionsOf,
  isAboutCheckout,
  isAboutCustomer,
  isAboutSubscription,
} from './operations.ts';

export interface Pool {
  readonly tenancy: Tenancy;
  /** Ids by what can be done next. */
  readonly captured: readonly string[];
  readonly authorized: readonly string[];
  readonly orders: readonly string[];
  readonly waiting: readonly string[];
  readonly ended: readonly string[];
  readonly refunds: readonly string[];
  /** All of the above but the refunds. */
  readonly payments: readonly string[];
  readonly sessions: readonly string[];
  readonly tokens: readonly string[];
  readonly customers: readonly PooledCustomer[];
  readonly subscriptions: readonly string[];
  /** Of customers and subscriptions: another tenant may have given out the same. */
  readonly numbers: ReadonlySet<string>;
  /** Those who are to be erased, or are. */
  readonly leaving: readonly PooledCustomer[];
  readonly paymentCursors: readonly string[];
  readonly accountCursors: readonly string[];
  /** Ids by the path of their collection: `/api/admin/keys`. */
  readonly items: Readonly<Record<string, readonly string[]>>;
}

/** A customer with some cards. */
export interface PooledCustomer {
  readonly id: string;
  readonly methodIds: readonly string[];
}

/** What of a tenant the path may name. */
export function namedIn(operation: Operation, pool: Pool): readonly string[] {
  const collection = collectionOf(operation);
  if (collection !== undefined) return pool.items[collection] ?? [];
  if (isAboutSubscription(operation)) return pool.subscriptions;
  if (isAboutCheckout(operation)) return pool.sessions;
  return isAboutCustomer(operation) ? pool.customers.map(({ id }) => id) : pool.payments;
}

const OF_A_KIND = 6;

/** Makes payments of every kind; nothing happens to them by itself later. */
export async function makePool(
  url: string,
  tenancy: Tenancy,
  documented: Documented,
): Promise<Pool> {
  const caller = new Caller(url, tenancy.id, tenancy.key);
  const many = (make: () => Promise<Json>) => Promise.all(Array.from({ length: OF_A_KIND }, make));
  const [captured, authorized, orders, waiting, declined, voided] = await Promise.all([
    many(() => caller.paid()),
    many(() => caller.paid({ capture: false })),
    many(() => caller.ordered()),
    many(() => caller.paid({ card: card(CARDS.actionApprove) })),
    many(async () => (await caller.pay({ card: card(CARDS.doNotHonour) })).body),
    many(async () => {
      const { id } = await caller.paid();
      return (await caller.wire.post(`/v1/payments/${id}/void`)).body;
    }),
  ]);
  const refunds = await Promise.all(
    orders
      .slice(0, 2)
      .map(async ({ id }) => (await caller.refund(id, { amount: 0 })).body.refundId),
  );
  const ids = (made: readonly Json[]) => made.map(({ id }) => id as string);
  const kinds = {
    captured: ids(captured),
    authorized: ids(authorized),
    orders: ids(orders),
    waiting: ids(waiting),
    ended: ids([...declined, ...voided]),
  };
  return {
    tenancy,
    ...kinds,
    refunds,
    payments: Object.values(kinds).flat(),
    sessions: ids(await many(() => makeSession(caller))),
    tokens: captured.map(({ card: used }) => used.token),
    customers: await Promise.all(Array.from({ length: OF_A_KIND }, () => makeCustomer(caller))),
    subscriptions: (await makeSubscriptions(caller)).slice(-OF_A_KIND),
    numbers: numbersOf(tenancy.id),
    leaving: await Promise.all(Array.from({ length: OF_A_KIND }, () => makeCustomer(caller))),
    paymentCursors: await cursorsOf(caller, '/v1/payments'),
    accountCursors: await cursorsOf(caller, '/api/ledger/accounts'),
    items: await makeItems(caller, collectionsOf(documented)),
  };
}

async function makeSession(caller: Caller): Promise<Json> {
  const pages = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  const order = { amount: 5, currency: 'GBP', email: `${randomUUID()}@example.org`, ...pages };
  return (await caller.wire.post('/v1/checkout-sessions', order)).body;
}

const numbers = new Map<number, Set<string>>();

/** All that this tenant is known to have given out. */
function numbersOf(tenantId: number): Set<string> {
  const known = numbers.get(tenantId) ?? new Set();
  numbers.set(tenantId, known);
  return known;
}

/** So many that tenants with other ids have some of numbers that this one has not. */
async function makeSubscriptions(caller: Caller): Promise<string[]> {
  const made: string[] = [];
  for (let count = 0; count < OF_A_KIND * (caller.tenantId % 10); count += 1) {
    const { customerId, subscriptionId } = await caller.paid({ subscription: CLUB });
    made.push(String(subscriptionId));
    numbersOf(caller.tenantId).add(String(customerId)).add(String(subscriptionId));
  }
  return made;
}

let customers = 0;

async function makeCustomer(caller: Caller): Promise<PooledCustomer> {
  customers += 1;
  const email = `customer-${process.pid}-${customers}@example.org`;
  const { id } = (await caller.wire.post('/customers', { email })).body;
  numbersOf(caller.tenantId).add(String(id));
  const methodIds: string[] = [];
  for (const number of [CARDS.approve, CARDS.networkB, CARDS.networkC]) {
    const added = await caller.wire.post(`/customers/${id}/payment-methods`, {
      card: card(number),
    });
    methodIds.push(added.body.id);
  }
  return { id: String(id), methodIds };
}

async function cursorsOf(caller: Caller, path: string): Promise<string[]> {
  const cursors: string[] = [];
  for (const limit of [1, 2, 3]) {
    const { body } = await caller.wire.get(`${path}?limit=${limit}`);
    if (typeof body.nextCursor === 'string') cursors.push(body.nextCursor);
  }
  return cursors;
}

const SETTLEMENT =
  'reference,kind,arn,amount,currency,settledDate\npayout-1,fee,,1.00,GBP,2026-03-10\n';

/** Of collections that are empty at first, one item; then all that there is. */
async function makeItems(
  caller: Caller,
  collections: readonly string[],
): Promise<Record<string, string[]>> {
  const email = `user-${randomUUID()}@example.org`;
  const account = caller.tenantId * 10 + 1;
  const file = `/api/admin/settlements?merchantAccountId=${account}&name=first`;
  const { id: transactionId } = await caller.paid();
  const report = { reference: randomUUID(), amount: 1, currency: 'GBP', transactionId };
  // The one of a round before is still there.
  await caller.wire.post('/api/admin/savedsearches', {
    name: 'Pounds',
    search: { currency: 'GBP' },
  });
  const made = [
    await caller.wire.post('/api/mitigation/chargebacks?provider=fuzz', report),
    await caller.wire.post('/api/admin/users', { email, name: 'Ada', roleIds: ['viewer'] }),
    await caller.wire.post('/api/admin/blacklist', { kind: 'email', value: email }),
    await caller.wire.post('/api/admin/leadkeys', { applicationId: CHECKOUT }),
    await caller.wire.post('/api/admin/suppressions', { email }),
    await caller.wire.post('/api/admin/senderdomains', { domain: `d${randomUUID()}.example` }),
    await caller.wire.post('/api/admin/webhookendpoints', { url: 'https://hooks.example/' }),
    await caller.wire.send('POST', file, SETTLEMENT, { 'Content-Type': 'text/csv' }),
  ];
  for (const { status, text } of made) expect(status, text).toBeLessThan(202);
  const listed = collections.map(async (path) => {
    const { items } = (await caller.wire.get(path)).body;
    return [path, items.map(({ id, disputeId }: Json) => String(id ?? disputeId))] as const;
  });
  return Object.fromEntries(await Promise.all(listed));
}
