/** The face of the slice, for the other slices. */
export type { BlackLists } from './black-list.ts';
export { payerOf, REBILL_KINDS } from './payer.ts';
export type { BlackListParts } from './slice.ts';
export type { PayerValues } from './values.ts';
