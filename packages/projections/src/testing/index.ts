/** The face of `@counterfoil/projections/testing`: the store's contract suite, an invariant, and made-up payments. */
export { type CommitToAll, commitToAll, fenceAll } from './read-model-store/harness.ts';
export {
  type ReadModelStoreContract,
  readModelStoreContract,
} from './read-model-store-contract.ts';
export { expectEqualToRebuilt, type Replayed } from './rebuilt.ts';
export { syntheticEventStore } from './synthetic-event-store.ts';
export {
  type SyntheticOptions,
  type SyntheticPayment,
  syntheticEvents,
  syntheticPayment,
} from './synthetic-payments.ts';
