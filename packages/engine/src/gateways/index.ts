/** The gateways: the port, its cards, and the sandbox. */
export { type Currency, currencyCodes, currencyOf } from '@counterfoil/core';
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
export { hasDigitsOfCard, holdsCardNumber } from './card-number-in-text.ts';
export type * from './gateway-disputes.ts';
export type * from './gateway-events.ts';
export { type GatewayOption, type OpensBesideLedger, sandbox } from './gateway-option.ts';
export type * from './gateway-settlements.ts';
export { type HttpAnswer, type HttpCall, HttpCalls } from './http-calls.ts';
export * from './payment-gateway.ts';
export { type GatewayRegistry, gatewayRegistry } from './registry.ts';
export type { SandboxRecord } from './sandbox/book-rows.ts';
export { openBooks } from './sandbox/books.ts';
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
  SANDBOX_GATEWAY_ID,
  type SandboxGateway,
  type SandboxOptions,
  type SandboxPlace,
} from './sandbox/sandbox-gateway.ts';
