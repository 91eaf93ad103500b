/** The face of `@counterfoil/core/testing`: what helps to test an application or an adapter. */
export * from './event-store-contract.ts';
