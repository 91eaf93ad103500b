/** The face of the slice, for the other slices. */
export type { SignIns } from './sign-in.ts';
export type { UserParts } from './slice.ts';
