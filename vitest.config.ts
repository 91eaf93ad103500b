import { defineConfig } from 'vitest/config';
import { COMPILED } from './test/setup/child-env.ts';
import { LongestFirst } from './test/setup/longest-first.ts';
import { DISK_FOLDER, RUN_FOLDER } from './test/setup/memory-folder.ts';
import { PATIENCE_MS } from './test/setup/patience-ms.ts';
import { excludedFrom, PROJECTS, type Project, QUICK } from './test/setup/projects.ts';
import { seedOf } from './test/setup/seed.ts';
import { SlowestFiles } from './test/setup/slowest-files.ts';
import { SERVERS_VARIABLE } from './test/setup/stores.ts';

/** After this a test or a hook counts as hanging; no test asserts how long it takes. */
const HANGS_MS = 120_000;

// One seed for all workers of a run, so that a single number replays every property in it.
const seed = process.env['FC_SEED'] ?? seedOf(import.meta.dirname);

export default defineConfig({
  test: {
    // Processes, not threads: the SQLite adapters start worker threads of their own.
    pool: 'forks',
    maxWorkers: 2,
    env: { FC_SEED: seed, NODE_COMPILE_CACHE: COMPILED, TMPDIR: RUN_FOLDER },
    globalSetup: ['test/setup/announce-seed.ts', 'test/setup/memory-folder.ts'],
    setupFiles: ['test/setup/fast-check.ts', 'test/setup/patience.ts'],
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: ['default', new SlowestFiles()],
    projects: PROJECTS.map(configOf),
  },
});

function configOf(project: Project) {
  const { name, include, postgres, onDisk, env } = project;
  return {
    test: {
      name,
      include: [...include],
      exclude: ['**/node_modules/**', ...excludedFrom(project)],
      globalSetup: postgres === true ? ['test/setup/compiled.ts', 'test/setup/postgres.ts'] : [],
      env: {
        ...(postgres === true && { [SERVERS_VARIABLE]: 'yes' }),
        ...(onDisk === true && { TMPDIR: DISK_FOLDER }),
        ...env,
      },
      // A worker imports the modules once: these files leave none of them changed. The clients of
      // EventStoreDB cannot be in one process.
      isolate: !name.startsWith(QUICK),
      testTimeout: HANGS_MS,
      hookTimeout: HANGS_MS,
    },
  };
}
