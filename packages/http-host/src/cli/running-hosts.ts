/** Refuses what is to be done while no host runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { holderFor, LEADERSHIP, SHARED_LEASE_TTL_MS } from '@counterfoil/engine';
import { openReadModels } from '@counterfoil/engine/storage';
import type { Config } from '../config.ts';

/** A graceful shutdown releases its lease; that of a killed host has to expire. */
const LOOKS = 30;
const LOOK_PAUSE_MS = SHARED_LEASE_TTL_MS / 20;

/** Hosts run on these stores, and the command requires that none does. */
export class HostsRunning extends Error {
  override readonly name = 'HostsRunning';
}

/** On shared stores. */
export async function refuseBesideHosts(config: Config): Promise<void> {
  const leases = await openReadModels(config.readModelUrl, { shards: config.projectionShards });
  try {
    const holder = holderFor(config);
    for (let look = 0; look < LOOKS; look += 1) {
      const wanted = { name: LEADERSHIP, holder, nowMs: Date.now(), ttlMs: SHARED_LEASE_TTL_MS };
      if ((await leases.acquireLease(wanted)) !== undefined) {
        await leases.releaseLease(LEADERSHIP, holder);
        return;
      }
      await sleep(LOOK_PAUSE_MS);
    }
  } finally {
    await leases.close();
  }
  throw new HostsRunning(
    'hosts are running on these stores: ask one of them with --url, or stop them',
  );
}
