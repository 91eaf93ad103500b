/** Prints the error of a failed process. */
import { ConfigError, Refused } from '@counterfoil/engine';
import { z } from 'zod';
import { wireRefusalOf } from '../api/refusals.ts';

const EXPECTED = new Set([
  'ClockRefused',
  'EventStoreError',
  'HostDatabaseError',
  'HostsRunning',
  'NothingToExamine',
  'ReadModelError',
  'StorageError',
]);

/** Prints an expected error as a sentence, any other with its stack. */
export function printFailure(error: unknown, console: Console): void {
  const isExpected =
    error instanceof ConfigError ||
    (error instanceof Error &&
      (EXPECTED.has(error.name) ||
        // System errors name the port or path.
        'syscall' in error));
  const refusal = error instanceof Refused ? wireRefusalOf(error) : undefined;
  if (error instanceof z.ZodError) console.error(z.prettifyError(error));
  else if (refusal !== undefined) console.error(refusal.message);
  else console.error(isExpected ? (error as Error).message : error);
}
