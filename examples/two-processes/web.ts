/** A process that only handles requests, with the Fastify app: `node examples/two-processes/web.ts`. */
import { buildApp } from '../embed-fastify/app.ts';
import { openShared } from './ledger.ts';

const app = buildApp(await openShared({ background: false }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => app.close());
const address = await app.listen({ port: Number(process.env['PORT'] ?? '3000') });
console.log(`The shop listens on ${address}\n`);
