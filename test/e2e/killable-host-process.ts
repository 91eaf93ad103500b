/** What runs in the process of a killable host: a host on the clock that its parent sets. */
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';

let nowMs = Number(process.env['NOW_MS']);

const host = await compose(readConfig(process.env), {
  clock: { now: () => new Date(nowMs).toISOString() },
});
process.on('message', (message: { readonly nowMs: number }) => {
  nowMs = message.nowMs;
});
process.once('SIGTERM', async () => {
  await host.close();
  process.disconnect();
});
process.send?.({ url: await host.listen() });
