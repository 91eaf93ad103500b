/** Strips all sources of the packages and examples of which nothing is kept: `node scripts/strip-all.mjs`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keptOf, stripAndKeep } from './stripped-sources.mjs';

/** The host may run as another user than the one who installs it. */
const UMASK = 0o022;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['packages/*/src/**/*.ts', 'examples/**/*.ts'];
const EXCLUDED = ['**/node_modules/**', '**/*.test.ts', '**/*.d.ts'];

process.umask(UMASK);
for (const name of globSync(SOURCES, { cwd: ROOT, exclude: EXCLUDED })) {
  const path = join(ROOT, name);
  const source = readFileSync(path, 'utf8');
  if (keptOf(path, source) !== undefined) continue;
  try {
    stripAndKeep(path, source);
  } catch (error) {
    // Whoever loads it is told.
    console.error(`${name}: ${error.message}`);
  }
}
