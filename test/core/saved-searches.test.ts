/** Saved searches: a name once for each user, and so many at most. */
import { SavedSearches, type TenantId } from '@counterfoil/core';
import { describe, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(SavedSearches);
const at = '2026-01-10T12:00:00.000Z';
const id = (number: number) => `0192f000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const search = { ...SavedSearches.NO_FILTERS, days: 7 };
const common = { tenantId: 7 as TenantId, ownerId: id(0), at };

const saved = (number: number, name: string): SavedSearches.Event => ({
  type: 'SearchSaved',
  searchId: id(number),
  name,
  search,
  at,
});
const save = (number: number, name: string): SavedSearches.Command => ({
  type: 'SaveSearch',
  ...common,
  searchId: id(number),
  name,
  search,
});
const remove = (number: number): SavedSearches.Command => ({
  type: 'RemoveSavedSearch',
  ...common,
  searchId: id(number),
});

describe('a saved search', () => {
  it('has a name that no other of the user has', () => {
    when([saved(1, 'Last week')], save(2, 'Last month')).then(saved(2, 'Last month'));
  });

  it.each([
    ['Last week', 'LAST week'],
    ['Bücher', 'Bu\u0308cher'],
  ])('named %s is not saved again as %s', (one, other) => {
    when([saved(1, one)], save(2, other)).thenRejected({
      type: 'SavedSearchExists',
      searchId: id(1),
    });
  });

  it('leaves its name when it is removed', () => {
    const removed = { type: 'SavedSearchRemoved', searchId: id(1), at } as const;
    when([saved(1, 'Last week')], remove(1)).then(removed);
    when([saved(1, 'Last week'), removed], save(2, 'Last week')).then(saved(2, 'Last week'));
    when([saved(1, 'Last week'), removed], remove(1)).thenRejected({ type: 'SavedSearchUnknown' });
  });

  it('is one of 50 at most', () => {
    const all = Array.from({ length: 50 }, (_, index) => saved(index + 1, `Search ${index}`));
    const limit = { type: 'TooManySavedSearches', max: 50 } as const;
    when(all, save(99, 'One more')).thenRejected(limit);
    when(all.slice(1), save(99, 'One more')).then(saved(99, 'One more'));
  });
});
