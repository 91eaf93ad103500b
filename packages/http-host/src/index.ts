/** The face of `@counterfoil/http-host`: a host to compose and run inside another program. */

export type { Clock } from './clock.ts';
export { type ComposeOptions, compose, type Host } from './composition-root.ts';
export { type Config, ConfigError, loadMasterKey, readConfig } from './config.ts';
export type { CustomerKeys, CustomerVault, KeyState } from './operations/customer-keys.ts';
export { type Caller, Ledger, SYSTEM } from './operations/ledger.ts';
export { openKeysToRead, openPersonalKeys } from './operations/open-personal-keys.ts';
export {
  type FollowUp,
  type PaymentRequest,
  Payments,
  type RefundRequest,
} from './operations/payments.ts';
export { ReadSide } from './operations/read-side.ts';
export { ALL_SCOPES, type IssuedKey, type KeyRequest, Tenants } from './operations/tenants.ts';
export { SharedTurns, type SharedTurnsOptions } from './reactors/shared-turns.ts';
