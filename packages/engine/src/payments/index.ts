/** Exports for the other slices. */
export type { Cards, Instrument } from './cards.ts';
export {
  areRefused,
  type CardEntry,
  expectNoneRests,
  type GatewayAccounts,
  type ReadPlace,
} from './gateway-accounts.ts';
export type { GatewayReactor } from './gateway-reactor.ts';
export type { MonthlyCaps, Room } from './monthly-caps.ts';
export { addressOf, orderOf, sessionOf, withoutSecrets } from './order.ts';
export {
  AddressInput,
  AmountText,
  instrument,
  Keyed,
  PaymentSubmission,
  planMembers,
  SessionInput,
  TypedCard,
} from './payment-input.ts';
export type { Payments } from './payments.ts';
export type { PolicyReactor } from './policies.ts';
export { routeTo } from './routes.ts';
export type { PaymentParts } from './slice.ts';
export { instrumentOf, planOf } from './tenant-payments.ts';
