/** Which files of read models are there to stay, where a rebuild may be at work. */
import { openForReading } from '@counterfoil/event-stores/sqlite';
import { type DataFiles, isFile, readModelFiles } from '../storage/stores.ts';

/**
 * The catalog and the builds that it has as ready. One that is being loaded is written without a log
 * and may be locked, and nobody reads it before its end; what a rebuild left that broke off is removed
 * by the next one. All files where the catalog cannot be asked.
 */
export function settledReadModels(files: DataFiles): readonly string[] {
  const { readModels } = files;
  const found = readModelFiles(files);
  if (!isFile(readModels)) return found;
  try {
    const catalog = openForReading(readModels);
    try {
      const builds = catalog
        .prepare("SELECT projection || '-' || build AS name FROM builds WHERE state = 'ready'")
        .all();
      const ready = new Set(builds.map(({ name }) => `${readModels}-${name}`));
      return found.filter((path) => path === readModels || ready.has(path));
    } finally {
      catalog.close();
    }
  } catch {
    return found;
  }
}
