/** The face of the slice, for the other slices. */
export type { References } from './references.ts';
export type { TenantParts } from './slice.ts';
