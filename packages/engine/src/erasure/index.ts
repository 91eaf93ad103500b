/** The face of the slice, for the other slices. */
export type { Erasure } from './erasure.ts';
