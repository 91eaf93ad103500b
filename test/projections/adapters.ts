/** The adapters of the read models that a suite of a projection is run on in this project. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMemoryReadModelStore,
  openSqliteReadModelStore,
  type ReadModelStore,
} from '@counterfoil/projections';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import { afterAll } from 'vitest';
import { createDatabase } from '../setup/databases.ts';
import { casesOfProject } from '../setup/stores.ts';

type Adapter = readonly [string, () => Promise<ReadModelStore>];

/** Each by its name, with what opens an empty one, in a folder that is gone when the calling test file ends. */
export function adaptersInFolder(): {
  readonly adapters: readonly Adapter[];
  readonly folder: string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-read-models-'));
  let database: ReturnType<typeof createDatabase> | undefined;
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await (await database)?.drop();
  });
  let made = 0;
  const adapters = casesOfProject<Adapter>({
    embedded: [
      ['memory', async () => createMemoryReadModelStore()],
      [
        'sqlite',
        async () => {
          made += 1;
          return openSqliteReadModelStore({ path: join(folder, `${made}.db`) });
        },
      ],
    ],
    postgres: [
      [
        'postgres',
        async () => {
          made += 1;
          database ??= createDatabase();
          const { url } = await database;
          return openPostgresReadModelStore({ url, schema: `read_models_${made}` });
        },
      ],
    ],
  });
  return { adapters, folder };
}
