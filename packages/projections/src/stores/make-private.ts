/** Creates the file of a database with access for its owner only: read models have personal data. */
import { closeSync, existsSync, openSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/**
 * To be called before SQLite opens it: an empty file is an empty database, and the files beside it get
 * the same mode. An existing file keeps its mode.
 */
export function makePrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
}
