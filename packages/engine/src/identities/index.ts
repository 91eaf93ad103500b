/** The face of the slice, for the other slices. */
export type { Identities, NamedCustomer } from './identities.ts';
export type { SessionKeys } from './session-keys.ts';
export type { IdentityParts } from './slice.ts';
