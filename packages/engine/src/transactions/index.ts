/** The face of the slice, for the other slices. */
export { queryOf, type Search } from './tenant-transactions.ts';
export type { Transactions } from './transactions.ts';
