/** Lists the slowest test files at the end of a run. */
import type { Reporter, TestModule } from 'vitest/node';

const LISTED = 10;

export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ name: nameOf(module), ms: durationMs(module) }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, LISTED);
    const lines = files.map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${name}`);
    process.stdout.write(`\nThe slowest files:\n${lines.join('\n')}\n`);
  }
}

function nameOf({ project, relativeModuleId }: TestModule): string {
  return `${project.name}: ${relativeModuleId}`;
}

/** Includes imports, which dominate in small files. */
function durationMs(module: TestModule): number {
  const { duration, collectDuration } = module.diagnostic();
  return duration + collectDuration;
}
