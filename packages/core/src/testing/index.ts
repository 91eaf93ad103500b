/** The face of `@counterfoil/core/testing`: what helps to test an application or an adapter. */
export * as arbitraries from './arbitraries.ts';
export * from './event-store-contract.ts';
export { type Decided, type Given, given } from './given.ts';
export {
  expectBalanced,
  expectMoneyOutRule,
  type MoneyOfPayment,
  moneyOf,
} from './invariants.ts';
export {
  commandFor,
  commandOf,
  type Move,
  move,
  type PaymentHistory,
  paymentHistory,
  type Step,
} from './payment-history.ts';
export {
  cadence,
  plan,
  playSubscription,
  type SubscriptionHistory,
  type SubscriptionMove,
  type SubscriptionPlace,
  type SubscriptionStep,
  startSubscription,
  subscriptionCommandOf,
  subscriptionHistory,
  subscriptionMove,
} from './subscription-history.ts';
