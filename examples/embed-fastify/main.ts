/**
 * Opens the ledger, puts the app over it and listens: `npx -y pnpm@12 example:fastify`. It keeps its
 * data in `data/embed-fastify` (or DATA_DIR), and ends in order at SIGTERM or SIGINT.
 */
import { join } from 'node:path';
import { createLogger, openEngine } from '@counterfoil/engine';
import { buildApp } from './app.ts';
import { onboardShop } from './shop.ts';

const { DATA_DIR: dataDir = './data/embed-fastify', PORT = '3000' } = process.env;

const ledger = await openEngine(
  {
    dataDir,
    eventStoreUrl: `sqlite:${join(dataDir, 'events.db')}`,
    readModelUrl: `sqlite:${join(dataDir, 'read-models.db')}`,
    runProjections: true,
    testClock: false,
    production: false,
    // Made on first use in `secrets.json` of the folder: for examples only.
    masterKey: undefined,
    gatewayTimeoutMs: 10_000,
    gatewayMaxInFlight: 100,
    mail: undefined,
  },
  { logger: createLogger({ level: 'error' }) },
);
const app = buildApp(ledger);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => app.close());
await onboardShop(ledger);
await ledger.started();
console.log(`The shop listens on ${await app.listen({ port: Number(PORT) })}\n`);
