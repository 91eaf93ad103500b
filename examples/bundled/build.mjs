/** Bundles the program twice: with external packages, and self-contained. */
import { cpSync } from 'node:fs';
import { mailTemplatesFolder, optionalPackages, workerEntries } from '@counterfoil/engine/bundling';
import { build } from 'esbuild';

const shared = { bundle: true, platform: 'node', target: 'node24', format: 'esm' };

await build({ ...shared, entryPoints: ['app.mjs'], outdir: 'external', packages: 'external' });

await build({
  ...shared,
  // The worker threads become separate files beside the bundle.
  entryPoints: { app: 'app.mjs', ...workerEntries },
  outdir: 'inside',
  external: [...optionalPackages],
  // CommonJS packages require Node's modules.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
// Where the mail code looks for its templates.
cpSync(mailTemplatesFolder, 'inside/templates', { recursive: true });
