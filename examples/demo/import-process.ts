/** Imports the sales of the demo, and ends; with the process that it is for, too. */
import { runHost } from '@counterfoil/http-host';
import { importOnce, readModelsCaughtUp } from './import-once.ts';

process.once('disconnect', () => process.exit());
process.channel?.unref();

await runHost(process.env, {
  async begin(host) {
    await importOnce(host);
    await readModelsCaughtUp(host);
    await host.close();
  },
  // The host tries again, and says so.
  onFailure: () => undefined,
});
