// The protocol server as a process of its own: prints its connection string, and serves until it ends.
import { parseArgs } from 'node:util';
import { startProtocolServer } from './server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'system-event-every': { type: 'string' },
  },
});
const every = values['system-event-every'];
for (const [name, value] of Object.entries(values)) {
  if (!/^\d+$/.test(value)) throw new RangeError(`--${name} takes a whole number, not ${value}`);
}
const server = await startProtocolServer({
  port: Number(values.port),
  ...(every === undefined ? {} : { systemEventEvery: Number(every) }),
});
process.stdout.write(`${server.url}\n`);
