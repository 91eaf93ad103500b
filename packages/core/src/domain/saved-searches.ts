/**
 * The searches of transactions that a user has saved: one stream a user, so that each name is there once.
 * They hold no personal data: a saved search would outlive the erasure of the person it names.
 */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { isSameName } from '../kernel/names.ts';

export const MAX_SEARCHES = 50;
export const MAX_NAME_LENGTH = 60;
/** Of one filter. */
export const MAX_VALUES = 40;
/** Of a search in the last days. */
export const MAX_DAYS = 366;

const searchId = z.guid();
/** `yyyy-mm-dd` */
const day = z.string().max(10).nullable();
const ids = z.array(z.int().positive()).max(MAX_VALUES);

/** The filters that name no person, nor a payment of one. Null and an empty list: no filter. */
const Search = z.strictObject({
  /** The last so many days, today among them; instead of both dates. */
  days: z.int().min(1).max(MAX_DAYS).nullable(),
  dateFrom: day,
  dateTo: day,
  /** In major units. */
  amounts: z.array(z.number()).max(MAX_VALUES),
  currency: z.string().max(3).nullable(),
  bin: z.string().max(8).nullable(),
  descriptorContains: z.string().max(100).nullable(),
  merchantAccountIds: ids,
  companyIds: ids,
  applicationIds: ids,
  productIds: ids,
  campaignIds: ids,
  affiliateIds: ids,
});
export type Search = z.output<typeof Search>;

export const NO_FILTERS: Search = {
  days: null,
  dateFrom: null,
  dateTo: null,
  amounts: [],
  currency: null,
  bin: null,
  descriptorContains: null,
  merchantAccountIds: [],
  companyIds: [],
  applicationIds: [],
  productIds: [],
  campaignIds: [],
  affiliateIds: [],
};

export const events = {
  SearchSaved: event({
    searchId,
    name: z.string().max(MAX_NAME_LENGTH),
    search: Search,
    at: Instant,
  }),
  SavedSearchRemoved: event({ searchId, at: Instant }),
};
export type Event = EventsOf<typeof events>;

export type Command = {
  readonly tenantId: TenantId;
  readonly ownerId: string;
  readonly searchId: string;
  readonly at: string;
} & (
  | { readonly type: 'SaveSearch'; readonly name: string; readonly search: Search }
  | { readonly type: 'RemoveSavedSearch' }
);

export type Rejection =
  | { readonly type: 'SavedSearchUnknown' }
  | { readonly type: 'SavedSearchExists'; readonly searchId: string }
  | { readonly type: 'TooManySavedSearches'; readonly max: number };

export interface SavedSearch {
  readonly searchId: string;
  readonly name: string;
  readonly search: Search;
  readonly createdAt: string;
}

/** By id. */
export type State = ReadonlyMap<string, SavedSearch>;
export const initial: State = new Map();

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'SearchSaved': {
      const { type: _, at: createdAt, ...saved } = event;
      return new Map(state).set(saved.searchId, { ...saved, createdAt });
    }
    case 'SavedSearchRemoved':
      return new Map([...state].filter(([id]) => id !== event.searchId));
    default:
      return never(event);
  }
}

type Decision = Either<Rejection, readonly Event[]>;

export function decide(state: State, command: Command): Decision {
  switch (command.type) {
    case 'SaveSearch':
      return save(state, command);
    case 'RemoveSavedSearch': {
      const { searchId: id, at } = command;
      if (!state.has(id)) return left({ type: 'SavedSearchUnknown' });
      return right([{ type: 'SavedSearchRemoved', searchId: id, at }]);
    }
    default:
      return never(command);
  }
}

/** Checked in this order: SavedSearchExists, TooManySavedSearches. */
function save(state: State, command: Extract<Command, { type: 'SaveSearch' }>): Decision {
  const { tenantId: _, ownerId: __, type: ___, ...saved } = command;
  const known = [...state.values()].find(({ name }) => isSameName(name, saved.name));
  if (known !== undefined) return left({ type: 'SavedSearchExists', searchId: known.searchId });
  if (state.size >= MAX_SEARCHES) return left({ type: 'TooManySavedSearches', max: MAX_SEARCHES });
  return right([{ type: 'SearchSaved', ...saved }]);
}

export function streamOf({
  tenantId,
  ownerId,
}: {
  readonly tenantId: TenantId;
  readonly ownerId: string;
}): StreamName {
  return streamName('saved_searches', tenantId, ownerId);
}
