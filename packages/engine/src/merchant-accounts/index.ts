/** The face of the slice, for the other slices. */
export { type CredentialVault, MASK } from './credential-vault.ts';
export type { MerchantAccountParts } from './slice.ts';
