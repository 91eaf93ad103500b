/** The face of `@counterfoil/engine/testing`: what helps to test an application or an adapter. */
export {
  type GatewayBehaviours,
  type GatewayContract,
  gatewayContract,
  type MovedMoney,
  type Trigger,
} from './gateway-contract.ts';
