/** The adapters of the read models that a suite of a projection is run on, in a folder of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMemoryReadModelStore,
  openSqliteReadModelStore,
  type ReadModelStore,
} from '@counterfoil/projections';
import { afterAll } from 'vitest';

/** Of the test file that imports this; gone when it ends. */
export const folder = mkdtempSync(join(tmpdir(), 'counterfoil-read-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

/** Each by its name, with what opens an empty one. */
export const adapters: readonly [string, () => ReadModelStore][] = [
  ['memory', createMemoryReadModelStore],
  [
    'sqlite',
    () => {
      files += 1;
      return openSqliteReadModelStore({ path: join(folder, `${files}.db`) });
    },
  ],
];
