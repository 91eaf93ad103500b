/**
 * Opens the ledger, builds the app and listens: `npx -y pnpm@12 example:fastify`. Data is kept in
 * `data/embed-fastify` (or DATA_DIR). Shuts down gracefully on SIGTERM or SIGINT.
 */
import { openLedger } from '@counterfoil/engine';
import { onboard } from '../onboard.ts';
import { buildApp, CURRENCY, SHOP_TENANT } from './app.ts';

const { DATA_DIR: storage = './data/embed-fastify', PORT = '3000' } = process.env;

const ledger = await openLedger({ storage });
const app = buildApp(ledger);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => app.close());
await onboard(ledger, SHOP_TENANT, [{ gatewayId: 1, currency: CURRENCY }]);
console.log(`The shop listens on ${await app.listen({ port: Number(PORT) })}\n`);
