/** The subscriptions read model: one state each, found by id, by customer and in one list, and the rebills to be made. */
import { emailIdentity, Subscription } from '@counterfoil/core';
import { listedByCustomer } from '../erasing.ts';
import type { DerivedDocument, Projection, Recorded, States } from '../projection.ts';
import type { Build, Condition, ReadModelStore } from '../read-model-store.ts';
import { hash64 } from '../stores/hash64.ts';
import {
  CUSTOMER_SUBSCRIPTIONS,
  DUE_REBILLS,
  EMAIL_SUBSCRIPTIONS,
  keyOf,
  liveModel,
  PENDING_REBILLS,
  SUBSCRIBERS,
  SUBSCRIPTION_LIST,
  SUBSCRIPTIONS,
} from './live-model.ts';
import { newestFirst } from './newest-first.ts';
import { packed } from './packed.ts';
import { rebillWorkOf } from './rebill-work.ts';
import { partitionOf } from './search-record.ts';

/** Raised when the documents mean something else though their shapes are the same. */
const MEANING = 2;

const storedSubscription = packed(Subscription.Subscription);

/** `active`: billed; `frozen`: not billed until it is unfrozen; `ended`: unsubscribed, frozen before or not. */
export const SUBSCRIPTION_STATUS = ['active', 'frozen', 'ended'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUS)[number];

export function subscriptionStatusOf(subscription: Subscription.Subscription): SubscriptionStatus {
  if (!Subscription.isActive(subscription)) return 'ended';
  return Subscription.isFrozen(subscription) ? 'frozen' : 'active';
}

export const subscriptions: Projection<Subscription.Subscription> = {
  name: SUBSCRIPTIONS,
  version: `${MEANING}-${storedSubscription.shape}`,
  categories: new Set(['subscription']),
  stateCollection: SUBSCRIBERS,
  collections: [
    { name: SUBSCRIBERS, kind: 'keyed' },
    {
      name: SUBSCRIPTION_LIST,
      kind: 'walked',
      // Both conditions of a list together are one field: however they are combined, one index answers.
      fields: { status: 'integer', accountAndStatus: 'text' },
    },
    { name: CUSTOMER_SUBSCRIPTIONS, kind: 'keyed' },
    { name: EMAIL_SUBSCRIPTIONS, kind: 'keyed' },
    { name: DUE_REBILLS, kind: 'keyed' },
    { name: PENDING_REBILLS, kind: 'keyed' },
  ],

  needs(record) {
    return record.revision === 0 ? [] : [subscriptionKeyOf(record)];
  },

  apply(record, states: States<Subscription.Subscription>) {
    const key = subscriptionKeyOf(record);
    const before = states.get(key) ?? null;
    const after = Subscription.evolve(before, record.event as Subscription.Event);
    if (after === null) throw new Error('no subscription came of the event');
    return { states: [[key, after]] };
  },

  encode: storedSubscription.encode,
  decode: storedSubscription.decode,

  derive(key, subscription) {
    const tenantId = Number(key.slice(0, key.indexOf('/')));
    return [
      listed(key, tenantId, subscription),
      ofCustomer(tenantId, subscription),
      ...ofEmail(tenantId, subscription),
      ...rebillWorkOf(tenantId, subscription),
    ];
  },

  erasing: {
    find: listedByCustomer({
      collection: CUSTOMER_SUBSCRIPTIONS,
      prefixOf: customerPrefix,
      stateKeyOf: ({ body }, { tenantId }) => keyOf(tenantId, body),
    }),
    erase: (subscription) => ({
      ...subscription,
      ...Subscription.events.SubscriptionStarted.erased,
      formerCards: [],
    }),
  },
};

/** `subscription-<tenant>-<id>` → `<tenant>/<id>`. */
function subscriptionKeyOf({ stream, tenantId }: Recorded): string {
  return keyOf(tenantId, stream.slice(`subscription-${tenantId}-`.length));
}

function listed(
  key: string,
  tenantId: number,
  subscription: Subscription.Subscription,
): DerivedDocument {
  const { sandbox, subscriptionId: sort, merchantAccountId } = subscription;
  const status = subscriptionStatusOf(subscription);
  // The body holds what the fields do, so that a comparison with a rebuilt model covers them.
  const body = accountAndStatus(merchantAccountId, status);
  const fields = { status: SUBSCRIPTION_STATUS.indexOf(status), accountAndStatus: body };
  const place = { partition: partitionOf(tenantId, sandbox), sort, fields };
  return { collection: SUBSCRIPTION_LIST, key, body, place };
}

function accountAndStatus(merchantAccountId: number, status: SubscriptionStatus): string {
  return `${merchantAccountId}/${status}`;
}

function ofCustomer(
  tenantId: number,
  { sandbox, customerId, subscriptionId }: Subscription.Subscription,
): DerivedDocument {
  return {
    collection: CUSTOMER_SUBSCRIPTIONS,
    key: `${customerPrefix({ tenantId, sandbox, customerId })}${newestFirst(subscriptionId)}`,
    body: String(subscriptionId),
  };
}

/** By the email of the order; the person's is known no more once they are erased. */
function ofEmail(
  tenantId: number,
  { sandbox, email, subscriptionId }: Subscription.Subscription,
): DerivedDocument[] {
  if (email === '') return [];
  const key = `${emailPrefix({ tenantId, sandbox, email })}${newestFirst(subscriptionId)}`;
  return [{ collection: EMAIL_SUBSCRIPTIONS, key, body: String(subscriptionId) }];
}

/** Of a tenant and environment. */
interface EmailOfTenant {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly email: string;
}

/** A hash is shorter than most emails; emails with the same hash differ in their subscriptions. */
function emailPrefix({ tenantId, sandbox, email }: EmailOfTenant): string {
  return `${partitionOf(tenantId, sandbox)}/${hash64(emailIdentity(email))}/`;
}

export interface CustomerOfTenant {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly customerId: number;
}

function customerPrefix({ tenantId, sandbox, customerId }: CustomerOfTenant): string {
  return `${partitionOf(tenantId, sandbox)}/${customerId}/`;
}

interface Paging {
  readonly limit: number;
  /** The id of the last subscription of the page before. */
  readonly after?: number;
}

export interface CustomerSubscriptionsQuery extends CustomerOfTenant, Paging {}

export interface EmailSubscriptionsQuery extends EmailOfTenant, Paging {}

export interface SubscriptionListQuery extends Paging {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly status?: SubscriptionStatus;
  readonly merchantAccountId?: number;
}

/** Queries for subscriptions as their events have made them. */
export class SubscriptionView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** Undefined when the tenant has none of that id. */
  async subscription(
    tenantId: number,
    subscriptionId: number,
  ): Promise<Subscription.Subscription | undefined> {
    return (await this.byIds(tenantId, [subscriptionId]))[0];
  }

  /** Those of the ids that are known, in the order of the ids. */
  async byIds(
    tenantId: number,
    subscriptionIds: readonly number[],
  ): Promise<readonly Subscription.Subscription[]> {
    if (subscriptionIds.length === 0) return [];
    const model = await liveModel(this.#store, SUBSCRIPTIONS);
    return statesOf(model, tenantId, subscriptionIds);
  }

  /** A page of all subscriptions, the newest first; it is the last when it is not full. */
  async list(query: SubscriptionListQuery): Promise<readonly Subscription.Subscription[]> {
    const { tenantId, sandbox, limit, after } = query;
    const model = await liveModel(this.#store, SUBSCRIPTIONS);
    const found = await model.walk({
      collection: SUBSCRIPTION_LIST,
      partition: partitionOf(tenantId, sandbox),
      where: conditionsOf(query),
      ...(after !== undefined && { to: after - 1 }),
      limit,
    });
    return statesOf(
      model,
      tenantId,
      found.map(({ sort }) => sort),
    );
  }

  /** A page of a customer's subscriptions, the newest first; it is the last when it is not full. */
  async ofCustomer(
    query: CustomerSubscriptionsQuery,
  ): Promise<readonly Subscription.Subscription[]> {
    return this.#listed(CUSTOMER_SUBSCRIPTIONS, customerPrefix(query), query);
  }

  /** The same for those whose order was placed with an email, whichever customer has it now. */
  async ofEmail(query: EmailSubscriptionsQuery): Promise<readonly Subscription.Subscription[]> {
    return this.#listed(EMAIL_SUBSCRIPTIONS, emailPrefix(query), query);
  }

  async #listed(
    collection: string,
    prefix: string,
    { tenantId, limit, after }: Paging & { readonly tenantId: number },
  ): Promise<readonly Subscription.Subscription[]> {
    const model = await liveModel(this.#store, SUBSCRIPTIONS);
    const found = await model.list(collection, {
      prefix,
      limit,
      ...(after !== undefined && { after: `${prefix}${newestFirst(after)}` }),
    });
    return statesOf(
      model,
      tenantId,
      found.map(({ body }) => Number(body)),
    );
  }
}

function conditionsOf({ status, merchantAccountId }: SubscriptionListQuery): readonly Condition[] {
  if (merchantAccountId !== undefined) {
    const statuses = status === undefined ? SUBSCRIPTION_STATUS : [status];
    const anyOf = statuses.map((each) => accountAndStatus(merchantAccountId, each));
    return [{ field: 'accountAndStatus', anyOf }];
  }
  if (status === undefined) return [];
  return [{ field: 'status', anyOf: [SUBSCRIPTION_STATUS.indexOf(status)] }];
}

async function statesOf(
  model: Build,
  tenantId: number,
  ids: readonly number[],
): Promise<readonly Subscription.Subscription[]> {
  const keys = ids.map((id) => keyOf(tenantId, String(id)));
  const bodies = await model.get(SUBSCRIBERS, keys);
  return bodies.flatMap((body) => (body === undefined ? [] : storedSubscription.decode(body)));
}
