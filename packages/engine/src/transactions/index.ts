/** The face of the slice, for the other slices. */
export { type Search, SearchFilters, SearchInput } from './search-input.ts';
export type { TransactionParts } from './slice.ts';
export { queryOf } from './tenant-transactions.ts';
export type { Transactions } from './transactions.ts';
