import { defineConfig } from 'vitest/config';

const SEED_LIMIT = 2 ** 31;

// One seed for all workers of a run, so that a single number replays every property in it.
const seed = process.env['FC_SEED'] ?? String(Math.floor(Math.random() * SEED_LIMIT));

/** Journeys on the engine of a server wait for a network and its disk at every step. */
const patient =
  process.env['E2E_ENGINE'] === undefined ? {} : { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // Too heavy for every run: `pnpm test:all`.
    exclude:
      process.env['TEST_ALL'] === undefined
        ? ['test/clients/**', '**/node_modules/**']
        : ['**/node_modules/**'],
    include: ['test/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Processes, not threads: the SQLite adapters start worker threads of their own.
    ...patient,
    pool: 'forks',
    maxWorkers: 2,
    env: { FC_SEED: seed },
    globalSetup: ['test/setup/announce-seed.ts', 'test/setup/postgres.ts'],
    setupFiles: ['test/setup/fast-check.ts'],
  },
});
