/** The mutants of the core that no test can tell from the original, each with the reason why. */
import type { EquivalentMutant } from './survivors.ts';

export const equivalentMutants: readonly EquivalentMutant[] = [];
