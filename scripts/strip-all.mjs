/** Strips all sources of the packages and examples of which nothing is kept: `node scripts/strip-all.mjs`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keptOf, stripAndKeep } from './stripped-sources.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['packages/*/src/**/*.ts', 'examples/**/*.ts'];
const EXCLUDED = ['**/node_modules/**', '**/*.test.ts', '**/*.d.ts'];

for (const name of globSync(SOURCES, { cwd: ROOT, exclude: EXCLUDED })) {
  const path = join(ROOT, name);
  const source = readFileSync(path, 'utf8');
  if (keptOf(path, source) === undefined) stripAndKeep(path, source);
}
