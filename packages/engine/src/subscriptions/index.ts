/** The face of the slice, for the other slices. */
export type { SubscriptionParts } from './slice.ts';
