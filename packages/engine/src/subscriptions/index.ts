/** The face of the slice, for the other slices. */
export type { AuthenticationLinks } from './authentication-links.ts';
export type { SubscriptionParts } from './slice.ts';
