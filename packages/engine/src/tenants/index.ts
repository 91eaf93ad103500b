/** The face of the slice, for the other slices. */
export type { KeyRecord } from './key-directory.ts';
export type { References } from './references.ts';
export type { TenantParts } from './slice.ts';
