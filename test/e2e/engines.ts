/** The engines that the hosts of a run stand on: the same journeys on each of them. */
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
      // Most runs have no use for it.
      const { startProtocolServer } = await import('../eventstoredb-server/server.ts');
      const server = await startProtocolServer();
      return {
        env: { EVENT_STORE_URL: server.url, READ_MODEL_URL: url },
        async release() {
          await server.close();
          await drop();
        },
      };
    }
  }
}
