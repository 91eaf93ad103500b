/** Disables core dumps: one of this process could contain card numbers and the master key. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Sets the core file limit to 0 where the platform allows it (Linux with util-linux); warns on
 * standard error otherwise.
 */
export function turnOffCoreDumps(): void {
  if (process.platform !== 'linux' || coreLimits() === '0 0') return;
  spawnSync('prlimit', ['--pid', String(process.pid), '--core=0:0']);
  if (coreLimits() === '0 0') return;
  console.error(
    'Core dumps could not be turned off, and could hold card numbers: start under `ulimit -c 0`',
  );
}

/** The soft and the hard limit, as in `0 unlimited`; undefined where they cannot be read. */
function coreLimits(): string | undefined {
  try {
    const line = /^Max core file size +(\d+|unlimited) +(\d+|unlimited) /m.exec(
      readFileSync('/proc/self/limits', 'utf8'),
    );
    return line === null ? undefined : `${line[1]} ${line[2]}`;
  } catch {
    return undefined;
  }
}
