/** The black list as a list: entries of a tenant and environment, newest first. Payments do not read it. */
import { BlackList, Transaction } from '@counterfoil/core';
import type { Projection } from '../projection.ts';
import type { Condition, ReadModelStore } from '../read-model-store.ts';
import {
  BLACK_LIST,
  BLACK_LIST_ENTRIES,
  BLACK_LIST_STATES,
  keyOf,
  liveModel,
} from './live-model.ts';
import { partitionOf } from './search-record.ts';

/** Raised when the documents change their shape or meaning. */
const VERSION = '1';

export const blackList: Projection<BlackList.State> = {
  name: BLACK_LIST,
  version: VERSION,
  categories: new Set(['black_list']),
  types: new Set(Object.keys(BlackList.events)),
  stateCollection: BLACK_LIST_STATES,
  collections: [
    { name: BLACK_LIST_STATES, kind: 'keyed' },
    { name: BLACK_LIST_ENTRIES, kind: 'walked', fields: { kind: 'integer' } },
  ],

  needs: ({ stream }) => [stream],

  apply({ stream, event }, states) {
    const before = states.get(stream) ?? BlackList.initial;
    return { states: [[stream, BlackList.evolve(before, event as BlackList.Event)]] };
  },

  encode: (state) => JSON.stringify(state),
  decode: (body) => JSON.parse(body) as BlackList.State,

  derive(stream, { entry, rowVersion }) {
    if (entry === null) return [];
    const tenantId = Number(stream.split('-')[1]);
    const { sandbox, createdAt, kind } = entry;
    return [
      {
        collection: BLACK_LIST_ENTRIES,
        // What was removed and listed again has another place, and so another key.
        key: keyOf(tenantId, placeOf(entry)),
        body: JSON.stringify({ entry, rowVersion }),
        place: {
          partition: partitionOf(tenantId, sandbox),
          sort: Date.parse(createdAt),
          fields: { kind: Transaction.BLACK_LISTING[kind] },
        },
      },
    ];
  },
};

function placeOf({ createdAt, entryId }: Pick<BlackList.Entry, 'createdAt' | 'entryId'>): string {
  return `${createdAt}/${entryId}`;
}

export interface ListedEntry {
  readonly entry: BlackList.Entry;
  readonly rowVersion: number;
}

export interface BlackListQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  /** All when absent. */
  readonly kind?: BlackList.Kind;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string;
}

export interface BlackListPage {
  readonly entries: readonly ListedEntry[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** Queries over the entries. */
export class BlackListView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** Newest first. */
  async page({ tenantId, sandbox, kind, limit, after }: BlackListQuery): Promise<BlackListPage> {
    const where: Condition[] = [];
    if (kind !== undefined) {
      where.push({ field: 'kind', anyOf: [Transaction.BLACK_LISTING[kind]] });
    }
    const model = await liveModel(this.#store, BLACK_LIST);
    const rows = await model.walk({
      collection: BLACK_LIST_ENTRIES,
      partition: partitionOf(tenantId, sandbox),
      where,
      ...(after !== undefined && { after: anchorOf(tenantId, after) }),
      limit: limit + 1,
    });
    const entries = rows.slice(0, limit).map(({ body }) => JSON.parse(body) as ListedEntry);
    const last = entries.at(-1);
    const isLast = rows.length <= limit || last === undefined;
    return isLast ? { entries } : { entries, next: placeOf(last.entry) };
  }
}

function anchorOf(tenantId: number, place: string) {
  const sort = Date.parse(place.slice(0, place.indexOf('/')));
  // A place that no page has given leads to none.
  return { sort: Number.isNaN(sort) ? 0 : sort, key: keyOf(tenantId, place) };
}
