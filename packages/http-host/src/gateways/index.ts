/** The face of the gateways: the port, the cards it takes, and the sandbox that stands behind it. */
export {
  type BinRange,
  BinRanges,
  type CardBrandOf,
  cardBrands,
  DEFAULT_BIN_RANGES,
} from './card-brands.ts';
export { cardFingerprints, type FingerprintOf } from './card-fingerprint.ts';
export {
  type CardFault,
  type CheckedCard,
  cardDigits,
  checkCard,
  isCvv,
  isExpired,
  luhnCheckDigit,
  maskCardNumber,
} from './card-number.ts';
export * from './payment-gateway.ts';
export { type GatewayRegistry, gatewayRegistry, UnknownGateway } from './registry.ts';
export type { SandboxRecord } from './sandbox/books.ts';
export {
  type Behaviour,
  OUTCOMES,
  type Outcome,
  outcomeOf,
  SANDBOX_CARDS,
  type SandboxCard,
} from './sandbox/outcomes.ts';
export {
  CardRefused,
  IdempotencyKeyReused,
  openSandboxGateway,
  type SandboxGateway,
  type SandboxOptions,
} from './sandbox/sandbox-gateway.ts';
