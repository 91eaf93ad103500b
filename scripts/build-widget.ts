/** Builds what the host serves of the widget: run after a change of packages/widget, and commit what it writes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
export const SERVED = join(root, 'packages/http-host/src/widget');

const ENTRIES = {
  v1: 'index.ts',
  frame: 'frame.ts',
  challenge: 'challenge.ts',
  authenticate: 'authenticate.ts',
  style: 'frame.css',
};

/** The files by their names. The script of pages makes a global `Counterfoil`. */
export async function builtFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const { outputFiles } = await build({
      entryPoints: { [name]: join(root, 'packages/widget/src', entry) },
      outdir: SERVED,
      write: false,
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      charset: 'utf8',
      ...(name === 'v1' && { globalName: 'Counterfoil' }),
    });
    for (const { path, text } of outputFiles) files.set(path.slice(SERVED.length + 1), text);
  }
  return files;
}

if (import.meta.main) {
  mkdirSync(SERVED, { recursive: true });
  for (const [name, text] of await builtFiles()) writeFileSync(join(SERVED, name), text);
}
