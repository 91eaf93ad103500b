/** Refuses to look at a folder that holds no ledger: opening its stores would make one. */
import { StorageError } from '@counterfoil/engine';
import { fileOf, isFile } from '@counterfoil/engine/storage';
import type { Config } from '../config.ts';

/** Throws a StorageError. A log on a server is not looked for: opening it says what is wrong. */
export function refuseWithoutLog({ eventStoreUrl }: Pick<Config, 'eventStoreUrl'>): void {
  const path = fileOf(eventStoreUrl);
  if (path === undefined || isFile(path)) return;
  throw new StorageError(`there is no log: ${path} does not exist`);
}
