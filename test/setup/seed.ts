/** The seed of the property tests of a run. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['packages/*/src/**/*.ts', 'test/**/*.ts'];

/**
 * Made of the sources: a commit passes or fails, however often it is tested, and every change of the
 * code is tested with other values.
 */
export function seedOf(root: string): string {
  const hash = createHash('sha256');
  const exclude = (path: string) => path.endsWith('node_modules');
  for (const path of globSync(SOURCES, { cwd: root, exclude }).toSorted()) {
    hash.update(path).update(readFileSync(join(root, path)));
  }
  return String(hash.digest().readUInt32BE() >>> 1);
}
