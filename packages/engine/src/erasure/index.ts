/** The face of the slice, for the other slices. */
export type { Erasure } from './erasure.ts';
export type { ErasureParts } from './slice.ts';
