/** The searches of transactions that users have saved for themselves. */
import { type Base, slice, tenantPart } from '../slice.ts';
import {
  SAVED_SEARCH_CALLS,
  SAVED_SEARCH_INPUTS,
  TenantSavedSearches,
} from './tenant-saved-searches.ts';

export const SAVED_SEARCHES = slice({
  make: (_: Base) => ({}),
  tenant: ({ commands }) => ({
    savedSearches: tenantPart(
      SAVED_SEARCH_INPUTS,
      (acting) => new TenantSavedSearches(commands, acting),
      SAVED_SEARCH_CALLS,
    ),
  }),
});
