/** A restore that was interrupted, or is under way: until it ends, its log has this name. */
import { existsSync } from 'node:fs';
import type { DataFiles } from './stores.ts';

const RESTORING = '.restoring';

/** The name of a file until it is whole. */
export function restoringName(path: string): string {
  return `${path}${RESTORING}`;
}

export const UNFINISHED_ADVICE =
  'Unless the restore is still under way, empty the folder and restore again.';

/** What is wrong; undefined where no restore into the folder is unfinished. */
export function unfinishedRestoreOf(files: DataFiles): string | undefined {
  const left = Object.values(files).map(restoringName).find(existsSync);
  if (left === undefined) return undefined;
  return `a restore was interrupted, or is under way: ${left} is there, and not all of the backup`;
}
