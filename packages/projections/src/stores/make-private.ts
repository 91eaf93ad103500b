/** Makes the file of a database for its owner alone: read models hold personal data. */
import { closeSync, existsSync, openSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/**
 * Before SQLite opens it, which takes an empty file for an empty database, and gives the files beside
 * it the same mode. One that is there keeps its own.
 */
export function makePrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
}
