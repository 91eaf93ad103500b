/** Gives memory that a start needed back to the system. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects all garbage of this thread, once. V8 keeps the heap of a start for as long as an idle
 * process does not fill it again, twice of what is in use; only a collection of last resort gives it,
 * and the space of young objects, back at once. Blocks the thread meanwhile: some tenths of a second for the heap of a host.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  // The flag counts for contexts that are made after it. Another thread may have taken it back meanwhile.
  const collect: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
}
