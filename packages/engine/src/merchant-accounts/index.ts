/** The face of the slice, for the other slices. */
export { CredentialVault, MASK } from './credential-vault.ts';
export type { MerchantAccountParts } from './slice.ts';
