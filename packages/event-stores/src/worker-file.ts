/** Finds the file of a worker thread, or says what a bundle lacks. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ADVICE =
  'A bundle is made as ES modules, with the files of `workerEntries` of @counterfoil/engine/bundling beside it, or keeps @counterfoil/* external: see docs/embedding.md, Bundling';

/**
 * The path of what `entry` names. `entry` throws where the module has no address, as in a bundle of
 * CommonJS. Throws an Error that says what to do where there is no such file.
 */
export function workerFile(entry: () => URL): string {
  const path = pathOf(entry);
  if (path !== undefined && existsSync(path)) return path;
  throw new Error(`A worker thread has no file: ${path ?? 'its module has no address'}. ${ADVICE}`);
}

function pathOf(entry: () => URL): string | undefined {
  try {
    return fileURLToPath(entry());
  } catch {
    return undefined;
  }
}
