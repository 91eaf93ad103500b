/** Exports of `@counterfoil/engine/testing`: helpers to test an application or an adapter. */
export {
  arbitraries,
  commandFor,
  expectBalanced,
  expectMoneyOutRule,
  given,
  moneyOf,
  type PaymentHistory,
  paymentHistory,
  type SubscriptionHistory,
  subscriptionHistory,
} from '@counterfoil/core/testing';
export { expectEqualToRebuilt } from '@counterfoil/projections/testing';
export {
  type GatewayBehaviours,
  type GatewayContract,
  gatewayContract,
  type MovedMoney,
  type Trigger,
} from './gateway-contract.ts';
export {
  expectMoneyInOrder,
  expectReadModelsEqualToRebuilt,
  expectSound,
  expectTenantsApart,
} from './invariants.ts';
export {
  type LivedPayment,
  type PlayOptions,
  playLife,
  type ShopLife,
  type ShopMove,
  sandboxCard,
  shopLife,
  shopMove,
} from './lives.ts';
