/** The contract of the event store as a suite: every adapter passes it, or is not released. */
import { afterEach, describe } from 'vitest';
import { describeAppends } from './event-store/appends.ts';
import { describeAppendsAsOne } from './event-store/appends-as-one.ts';
import type { EventStoreContract } from './event-store/harness.ts';
import { Harness } from './event-store/harness.ts';
import { describeLifetime } from './event-store/lifetime.ts';
import { describeModel } from './event-store/model.ts';
import { describeReads } from './event-store/reads.ts';
import { describeRefusals } from './event-store/refusals.ts';

export type { EventStoreContract } from './event-store/harness.ts';

/** Long enough for the properties on a store that syncs to a slow disk. */
const CASE_TIMEOUT_MS = 60_000;

/** Declares the cases of the contract for one adapter. Call it at the top of a vitest file. */
export function eventStoreContract(contract: EventStoreContract): void {
  describe(`event store contract: ${contract.name}`, {
    timeout: contract.timeoutMs ?? CASE_TIMEOUT_MS,
  }, () => {
    const harness = new Harness(contract);
    afterEach(() => harness.cleanUp());
    describeAppends(harness);
    describeAppendsAsOne(harness);
    describeReads(harness);
    describeRefusals(harness);
    describeLifetime(harness);
    describeModel(harness);
  });
}
