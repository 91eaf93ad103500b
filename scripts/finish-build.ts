/**
 * What tsc leaves undone in a package's dist. Run in the package's folder after `tsc -b`.
 *
 * tsc rewrites the `.ts` of imports, but not of worker entries: `new URL('./x.ts', import.meta.url)`
 * would name a file that a published package has only under src. And it copies no templates.
 */
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';

const WORKER_ENTRY = /(new URL\(\s*['"]\.[^'"]*)\.ts(['"],\s*import\.meta\.url)/g;
/** What is JavaScript already and only copied. */
const LATE_IMPORT = /(import\(['"]\.[^'"]*)\.ts(['"]\))/g;

cpSync('src', 'dist', { recursive: true, filter: (path) => !path.endsWith('.ts') });

for (const file of globSync('dist/**/*.{js,mjs}')) {
  const built = readFileSync(file, 'utf8');
  // `.ts` and `.js` are equally long, so the source map stays true.
  const finished = built.replaceAll(WORKER_ENTRY, '$1.js$2').replaceAll(LATE_IMPORT, '$1.js$2');
  if (finished !== built) writeFileSync(file, finished);
}
