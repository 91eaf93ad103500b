/** Says once per run which seed the properties use, so that a failure can be replayed. */
import type { TestProject } from 'vitest/node';

export function setup(project: TestProject): void {
  const seed = project.config.env['FC_SEED'];
  process.stdout.write(`fast-check seed ${seed} (replay with FC_SEED=${seed})\n`);
}
