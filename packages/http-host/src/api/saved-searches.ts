/** Admin: the searches of transactions that a user has saved. */
import { SavedSearches } from '@counterfoil/core';
import { checkSavedFilters, name } from '@counterfoil/engine/input';
import { z } from 'zod';
import type { Endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { Collection } from './collections.ts';
import { searchFilters } from './search-request.ts';
import { apiSlice, rows } from './slice.ts';
import { type FaceServices, text, Uuid } from './wire.ts';

const title = name(SavedSearches.MAX_NAME_LENGTH).meta({
  description: 'Each once, in capital letters or not',
  example: 'Captured last week',
});
const days = z.int().min(1).max(SavedSearches.MAX_DAYS).optional().meta({
  description: 'The last so many days, today among them; instead of `dateFrom` and `dateTo`',
});

const { sandbox: _, ...filters } = searchFilters;

const Search = z
  .object({ ...filters, descriptorContains: text(100).trim().optional(), days })
  .superRefine(checkSavedFilters)
  .meta({
    id: 'SavedSearchFilters',
    description:
      'Filters of `POST /api/transactions/search`, at most 40 values each. One that names a person, or a payment of one, is refused: email, name, last four digits, or an id of an order, a transaction, the gateway or a subscription',
  });

const SavedSearch = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'The id of the item' }),
    name: title,
    search: Search,
    createdAt: At,
  })
  .meta({ id: 'SavedSearch' });

const SavedSearchInput = z.object({ name: title, search: Search }).meta({ id: 'SavedSearchInput' });

function savedSearchEndpoints(services: FaceServices): Endpoint[] {
  const scope = 'transactions:read';
  const searches = new Collection(
    services,
    {
      path: '/api/admin/savedsearches',
      one: 'SavedSearch',
      many: 'SavedSearches',
      words: { one: 'a saved search', many: 'saved searches' },
      scopes: { read: scope, write: scope },
      item: SavedSearch,
      id: Uuid,
    },
    (ledger, id: string) => ledger.savedSearches.get(id),
  );
  return [
    searches.list(
      'The searches of transactions that the user of `UserEmail` has saved, by their ids, which is the order of time.',
      (ledger, listing) => ledger.savedSearches.list(listing),
    ),
    searches.create({
      action: 'savedSearches.create',
      description:
        'For the user of `UserEmail`, who has at most 50. A search for one person is not saved: it would outlive the person’s erasure.',
      body: SavedSearchInput,
      rejections: ['duplicate', 'limit_reached'],
      make: (ledger, body) => ledger.savedSearches.create(body),
    }),
    searches.read('A saved search of the user by its id.'),
    searches.remove(
      {
        action: 'savedSearches.remove',
        summary: 'Remove a saved search',
        description: 'The answer has it as it was.',
      },
      (ledger, id: string) => ledger.savedSearches.remove(id),
    ),
  ];
}

const REFUSALS = rows({
  SavedSearchUnknown: { code: 'not_found' },
  SavedSearchExists: {
    code: 'duplicate',
    text: 'A saved search of yours has this name: take another, or remove that one first',
  },
  TooManySavedSearches: {
    code: 'limit_reached',
    text: ({ max }) => `A user has at most ${max} saved searches`,
  },
  SearchOfOnePerson: {
    code: 'invalid_request',
    errors: ({ filters }) =>
      filters.map((each) => ({
        pointer: `/search/${each}`,
        detail:
          'must not be in a saved search: a search for one person would outlive the person’s erasure. Keep the address of the page instead',
      })),
  },
});

export const SAVED_SEARCHES = apiSlice(savedSearchEndpoints, REFUSALS);
