/** The process that runs projections, billing and gateway notices: `node examples/two-processes/worker.ts`. */
import { CURRENCY, SHOP_TENANT } from '../embed-fastify/app.ts';
import { onboard } from '../onboard.ts';
import { openShared } from './ledger.ts';

const ledger = await openShared({ background: true });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ledger.close());
await onboard(ledger, SHOP_TENANT, [{ gatewayId: 1, currency: CURRENCY }]);
console.log('The background work is done here\n');
