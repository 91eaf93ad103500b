/** The face of the slice, for the other slices. */
export { isPublicAddress } from './addresses.ts';
export { checkedLookup } from './checked-lookup.ts';
export { resolveByDns } from './names.ts';
export type { SignedMessage } from './signatures.ts';
export type { WebhookParts } from './slice.ts';
export type { WebhookEndpoints } from './webhook-endpoints.ts';
export { SigningSecret } from './webhook-input.ts';
