/** The face of the slice, for the other slices. */
export type { Sender, SenderDomains } from './sender-domains.ts';
export type { SenderDomainParts } from './slice.ts';
