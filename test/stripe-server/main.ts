/** The protocol server as a process of its own: prints its address and keys, and serves. */
import { parseArgs } from 'node:util';
import { startStripeServer } from './index.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
if (!/^\d+$/.test(values.port)) {
  throw new RangeError(`--port takes a whole number, not ${values.port}`);
}
const { url, account, secretKey, restrictedKey, publishableKey } = await startStripeServer({
  port: Number(values.port),
});
const printed = { url, account, secretKey, restrictedKey, publishableKey };
process.stdout.write(`${JSON.stringify(printed)}\n`);
