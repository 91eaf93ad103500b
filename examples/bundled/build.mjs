/** Bundles the program in both ways: with the packages left outside, and with everything inside. */
import { cpSync } from 'node:fs';
import { mailTemplatesFolder, optionalPackages, workerEntries } from '@counterfoil/engine/bundling';
import { build } from 'esbuild';

const shared = { bundle: true, platform: 'node', target: 'node24', format: 'esm' };

await build({ ...shared, entryPoints: ['app.mjs'], outdir: 'external', packages: 'external' });

await build({
  ...shared,
  // The threads become files of their own, which the bundle finds beside itself.
  entryPoints: { app: 'app.mjs', ...workerEntries },
  outdir: 'inside',
  external: [...optionalPackages],
  // Packages of CommonJS require the modules of Node.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
// Where mails are sent.
cpSync(mailTemplatesFolder, 'inside/templates', { recursive: true });
