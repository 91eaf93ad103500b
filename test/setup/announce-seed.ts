/** Prints the seed of the property tests once per run, so that a failure can be replayed. */
import type { TestProject } from 'vitest/node';

export function setup(project: TestProject): void {
  const seed = project.config.env['FC_SEED'];
  process.stdout.write(`fast-check seed ${seed} (replay with FC_SEED=${seed})\n`);
}
