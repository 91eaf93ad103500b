/** Starts the files first that take longest, so that at the end of a run no worker waits for one of them. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first. What else there is follows in the order of Vitest. */
export const LONGEST: readonly string[] = [
  'test/docs/readme.test.ts',
  'test/examples/cluster.test.ts',
  'test/fuzz/interface.test.ts',
  'test/clients/generated-clients.test.ts',
  'test/e2e/several-hosts-deaths.test.ts',
  'test/e2e/console.test.ts',
  'test/simulation/gateway-crash.test.ts',
  'test/simulation/crash.test.ts',
  'test/e2e/demo.test.ts',
  'test/examples/shop.test.ts',
  'test/simulation/storage-faults.test.ts',
  'test/e2e/several-hosts-contract.test.ts',
  'test/http-host/cli-shared.test.ts',
  'test/http-host/doctor-shared.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one.moduleId) - placeOf(other.moduleId));
  }
}

export function placeOf(file: string): number {
  const place = LONGEST.findIndex((path) => file.endsWith(`/${path}`));
  return place === -1 ? LONGEST.length : place;
}
