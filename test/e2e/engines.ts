/** The engines of the journeys, which run on each of them. */
import { randomUUID } from 'node:crypto';
import { createDatabase } from '../setup/databases.ts';

export const ENGINES = ['memory', 'postgres', 'eventstoredb'] as const;
export type Engine = (typeof ENGINES)[number];

/** E2E_ENGINE names it; memory when absent. */
export function engineOfRun(): Engine {
  const named = process.env['E2E_ENGINE'] ?? 'memory';
  const engine = ENGINES.find((each) => each === named);
  if (engine === undefined) throw new Error(`E2E_ENGINE must be one of ${ENGINES.join(', ')}`);
  return engine;
}

export interface Stores {
  readonly env: Readonly<Record<string, string>>;
  readonly release: () => Promise<void>;
}

/** An empty log and empty read models on an engine. */
export async function newStores(engine: Engine): Promise<Stores> {
  switch (engine) {
    case 'memory':
      return {
        env: { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:' },
        release: async () => undefined,
      };
    case 'postgres': {
      const { url, drop } = await createDatabase();
      return { env: { EVENT_STORE_URL: url, READ_MODEL_URL: url }, release: drop };
    }
    case 'eventstoredb': {
      const { url, drop } = await createDatabase();
      const server = await eventStoreDb();
      return {
        env: {
          EVENT_STORE_URL: server.url,
          EVENT_STORE_PREFIX: `test_${randomUUID().replaceAll('-', '')}.`,
          READ_MODEL_URL: url,
        },
        async release() {
          await server.close();
          await drop();
        },
      };
    }
  }
}

/** The server of ESDB_URL, with a prefix per host; otherwise one server per host. */
async function eventStoreDb(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const real = process.env['ESDB_URL'];
  if (real !== undefined) return { url: real, close: async () => undefined };
  // Most runs have no use for it.
  const { startProtocolServer } = await import('../eventstoredb-server/server.ts');
  return startProtocolServer();
}
