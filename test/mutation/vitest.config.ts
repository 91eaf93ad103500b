/** The tests of the core alone, for mutation testing: on this checkout's sources, wherever it was copied to. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = new URL('../..', import.meta.url);
const core = (path: string) => fileURLToPath(new URL(`packages/core/src/${path}`, root));

export default defineConfig({
  root: fileURLToPath(root),
  // Not through node_modules, whose links lead to the unmutated sources.
  resolve: {
    alias: [
      { find: /^@counterfoil\/core$/, replacement: core('index.ts') },
      { find: /^@counterfoil\/core\/testing$/, replacement: core('testing/index.ts') },
    ],
  },
  test: {
    include: ['test/core/**/*.test.ts'],
    // One import of everything for all files of a run: half the time goes there otherwise.
    isolate: false,
    // The same properties for every mutant, and few enough of them that thousands of mutants end.
    env: { FC_SEED: '1', FC_RUNS: process.env['FC_RUNS'] ?? '10' },
    setupFiles: ['test/setup/fast-check.ts'],
  },
});
