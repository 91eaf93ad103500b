/** The saved searches of one user of a tenant: of the actor, who sees no others. */
import { SavedSearches as Aggregate, emailIdentity } from '@counterfoil/core';
import type { Acting } from '../acting.ts';
import type { CommandRunner } from '../command-runner.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { Listing, type Page, pageOf } from '../pages.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import { personFiltersOf, SavedSearchId, SavedSearchInput } from './saved-search-input.ts';

const FILTERS = Object.keys(Aggregate.NO_FILTERS) as (keyof Aggregate.Search)[];

/** Filters that are absent are not part of it. */
type Kept = { readonly [Name in keyof Aggregate.Search]?: NonNullable<Aggregate.Search[Name]> };

export interface SavedSearchView {
  readonly id: string;
  readonly name: string;
  readonly search: Kept;
  readonly createdAt: string;
}

export class TenantSavedSearches {
  readonly #commands: CommandRunner;
  readonly #acting: Acting;

  constructor(commands: CommandRunner, acting: Acting) {
    this.#commands = commands;
    this.#acting = acting;
  }

  async list(listing: Listing = {}): Promise<Page<SavedSearchView>> {
    return pageOf([...(await this.#state()).values()].map(viewOf), listing);
  }

  /** Refuses with `SavedSearchUnknown`. */
  async get(searchId: string): Promise<SavedSearchView> {
    const found = (await this.#state()).get(searchId);
    if (found === undefined) throw refused({ type: 'SavedSearchUnknown' });
    return viewOf(found);
  }

  /** Refuses with `SearchOfOnePerson`, `SavedSearchExists` and `TooManySavedSearches`. */
  async create({ name, search }: SavedSearchInput): Promise<SavedSearchView> {
    const filters = personFiltersOf(search);
    if (filters.length > 0) throw refused({ type: 'SearchOfOnePerson', filters });
    const searchId = uuidV7();
    const kept = { ...Aggregate.NO_FILTERS, ...definedOf(search, FILTERS) } as Aggregate.Search;
    await this.#execute({ type: 'SaveSearch', searchId, name, search: kept });
    return this.get(searchId);
  }

  async remove(searchId: string): Promise<SavedSearchView> {
    const removed = await this.get(searchId);
    await this.#execute({ type: 'RemoveSavedSearch', searchId });
    return removed;
  }

  #state(): Promise<Aggregate.State> {
    return this.#commands.stateOf(Aggregate, Aggregate.streamOf(this.#owner()));
  }

  /** A user is known by the email, in capital letters or not. */
  #owner() {
    const { tenantId, caller } = this.#acting;
    const ownerId = deterministicUuid(['owner of saved searches', emailIdentity(caller.actor)]);
    return { tenantId, ownerId };
  }

  async #execute(command: WithoutOwner<Aggregate.Command>): Promise<void> {
    const whole = { ...command, ...this.#owner(), at: this.#commands.clock.now() };
    await this.#commands.execute(Aggregate, whole, { commandId: uuidV7() }, this.#acting.caller);
  }
}

type WithoutOwner<Command> = Command extends unknown
  ? Omit<Command, 'tenantId' | 'ownerId' | 'at'>
  : never;

function viewOf({ searchId: id, name, search, createdAt }: Aggregate.SavedSearch): SavedSearchView {
  const given = Object.entries(search).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== null,
  );
  return { id, name, search: Object.fromEntries(given), createdAt };
}

export const SAVED_SEARCH_INPUTS: CallInputs<TenantSavedSearches> = {
  list: [Listing.optional()],
  get: [SavedSearchId],
  create: [SavedSearchInput],
  remove: [SavedSearchId],
};

export const SAVED_SEARCH_CALLS: RecordedCalls<TenantSavedSearches> = {
  create: made,
  remove: named,
};
