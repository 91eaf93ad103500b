/** The import of the demo: once for its data, by one host at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { holderFor, Lease, Refused, SHARED_LEASE_TTL_MS } from '@counterfoil/engine';
import { hostDatabaseUrlOf } from '@counterfoil/engine/storage';
import type { Host } from '@counterfoil/http-host';
import {
  authorizeDemoDomain,
  DEMO_TENANT_ID,
  hasDemoDomain,
  importDemoSales,
  onboardDemoTenant,
  planSales,
} from './demo-tenant.ts';
import { renderReport } from './online-retail/report.ts';
import { withProgressBar } from './progress-bar.ts';

/** Each of a few seconds; read models that take longer are not being built. */
const MAX_WAITS = 60;
/** How often a host checks whether another one has finished the import. */
const LOOK_PAUSE_MS = 200;

/** Prints what it has imported; nothing where an earlier start has done all of it. */
export async function importOnce(host: Host): Promise<void> {
  await onboardDemoTenant(host);
  await readModelsCaughtUp(host);
  if (await hasDemoDomain(host)) return;
  const { news, report } = await withProgressBar(
    'Importing a month of real sales',
    async (onProgress) =>
      importDemoSales(host, onProgress, await planSales(process.env['DEMO_SALES'])),
  );
  // Last: where it is, the import is complete.
  await authorizeDemoDomain(host);
  if (news) console.log(`\n${renderReport(report)}`);
}

/**
 * Of hosts that start on one database together, the first imports; the others find the import
 * complete. After a crash the next one continues it.
 */
export async function oneAtATime<Result>(host: Host, work: () => Promise<Result>): Promise<Result> {
  const { config, leases } = host;
  if (hostDatabaseUrlOf(config) === undefined) return work();
  const wanted = { name: 'demo', holder: holderFor(config), ttlMs: SHARED_LEASE_TTL_MS };
  for (let looks = 1; ; looks += 1) {
    const lease = await Lease.take(leases, wanted);
    if (lease !== undefined) return work().finally(() => lease.release());
    if (looks === 1) console.log('Waiting for another host that imports the sales…');
    await sleep(LOOK_PAUSE_MS);
  }
}

/** Rebuilding lost read models may take longer than a request would wait. */
export async function readModelsCaughtUp(host: Host): Promise<void> {
  for (let waited = 1; ; waited += 1) {
    try {
      return await host.readSide.caughtUp(DEMO_TENANT_ID);
    } catch (error) {
      const isBehind = error instanceof Refused && error.code === 'ReadModelsBehind';
      if (!isBehind || waited === MAX_WAITS) throw error;
      if (waited === 1) console.log('Waiting for the read models to catch up with the log…');
    }
  }
}
