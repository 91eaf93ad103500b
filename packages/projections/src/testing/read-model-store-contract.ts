/** The contract of the read-model store as a suite: every adapter passes it, or is not released. */
import { afterEach, describe } from 'vitest';
import { describeBuilds } from './read-model-store/builds.ts';
import { Harness, type ReadModelStoreContract } from './read-model-store/harness.ts';
import { describeQueries } from './read-model-store/queries.ts';
import { describeShards } from './read-model-store/shards.ts';
import { describeWrites } from './read-model-store/writes.ts';

export type { ReadModelStoreContract } from './read-model-store/harness.ts';

/** Long enough for the properties on a slow disk. */
const CASE_TIMEOUT_MS = 60_000;

/** Declares the cases of the contract for one adapter. Call it at the top of a vitest file. */
export function readModelStoreContract(contract: ReadModelStoreContract): void {
  describe(`read-model store contract: ${contract.name}`, { timeout: CASE_TIMEOUT_MS }, () => {
    const harness = new Harness(contract);
    afterEach(() => harness.cleanUp());
    describeWrites(harness);
    describeQueries(harness);
    describeBuilds(harness);
    describeShards(harness);
  });
}
