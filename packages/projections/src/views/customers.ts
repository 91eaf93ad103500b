/** The customers read model: who is registered, the newest first. It has ids and times, and no personal data. */
import type { Customer } from '@counterfoil/core';
import type { Projection, Recorded } from '../projection.ts';
import type { ReadModelStore } from '../read-model-store.ts';
import { CUSTOMER_LIST, CUSTOMERS, liveModel } from './live-model.ts';
import { newestFirst } from './newest-first.ts';
import { partitionOf } from './search-record.ts';

/** Raised when the documents change their shape or meaning. */
const VERSION = '1';

/** A customer's place in the list. */
export interface RegisteredCustomer {
  /** When, in milliseconds. */
  readonly registeredMs: number;
  readonly customerId: number;
}

type Registered = Extract<Customer.Event, { type: 'CustomerRegistered' }>;
const TYPE: Registered['type'] = 'CustomerRegistered';

export const customers: Projection<RegisteredCustomer> = {
  name: CUSTOMERS,
  version: VERSION,
  categories: new Set(['customer_account']),
  types: new Set([TYPE]),
  stateCollection: CUSTOMER_LIST,
  collections: [{ name: CUSTOMER_LIST, kind: 'keyed' }],

  // A customer is registered once.
  needs: () => [],

  apply({ tenantId, event }: Recorded) {
    const { sandbox, customerId, at } = event as Registered;
    const registered = { registeredMs: Date.parse(at), customerId };
    return { states: [[keyOf(prefixOf({ tenantId, sandbox }), registered), registered]] };
  },

  encode: ({ registeredMs, customerId }) => JSON.stringify([registeredMs, customerId]),

  decode(body) {
    const [registeredMs, customerId] = JSON.parse(body) as readonly [number, number];
    return { registeredMs, customerId };
  },
};

interface Owner {
  readonly tenantId: number;
  readonly sandbox: boolean;
}

function prefixOf({ tenantId, sandbox }: Owner): string {
  return `${partitionOf(tenantId, sandbox)}/`;
}

function keyOf(prefix: string, { registeredMs, customerId }: RegisteredCustomer): string {
  return `${prefix}${newestFirst(registeredMs)}/${newestFirst(customerId)}`;
}

export interface CustomerListQuery extends Owner {
  readonly limit: number;
  /** The last customer of the page before. */
  readonly after?: RegisteredCustomer;
}

/** Queries over the customers. */
export class CustomerListView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** A page of all customers, the newest first; it is the last when it is not full. */
  async list({
    limit,
    after,
    ...owner
  }: CustomerListQuery): Promise<readonly RegisteredCustomer[]> {
    const model = await liveModel(this.#store, CUSTOMERS);
    const prefix = prefixOf(owner);
    const found = await model.list(CUSTOMER_LIST, {
      prefix,
      limit,
      ...(after !== undefined && { after: keyOf(prefix, after) }),
    });
    return found.map(({ body }) => customers.decode(body));
  }
}
