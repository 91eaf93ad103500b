/** `payment-memory`: the resident memory of the host while it takes payments. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Prepared, Row, Setting, Stage } from '../harness/stage.ts';
import { makeHostData } from '../load/host-data.ts';
import { paymentPath } from '../load/paths.ts';
import { HttpServers, httpFacts } from './http-servers.ts';

/** Within it, what a start has left behind is collected. */
const REST_MS = 15_000;
const ORDERS_A_MEASUREMENT = 1_000_000;
const MIB = 2 ** 20;

const row: Row = {
  id: 'payment-memory',
  what: 'the largest resident memory of the host under payments, 64 connections',
  unit: 'MiB',
  better: 'lower',
  reach: { 'own-idle': 1.5 },
  durability: 'as of http-payment',
};

export const paymentMemory: Stage = { name: 'payment-memory', rows: [row], prepare };

async function prepare(setting: Setting): Promise<Prepared> {
  const { folder, seed, say } = setting;
  const data = await makeHostData({ folder: join(folder, 'data'), payments: 0, seed, say });
  const servers = await HttpServers.start(setting, data);
  try {
    say('payment-memory: waiting for the host to rest');
    await sleep(REST_MS);
    const idle = (await servers.host.residentBytes()) / MIB;
    let firstOrder = 0;
    const load = servers.measure(servers.host, () => {
      firstOrder += ORDERS_A_MEASUREMENT;
      return paymentPath(firstOrder);
    });
    return {
      sides: {
        [row.id]: {
          own: async () => (await servers.host.largestDuring(load)).bytes / MIB,
          peers: { 'own-idle': async () => idle },
        },
      },
      facts: { ...httpFacts(), idle: `${REST_MS / 1_000} s after the start, before any payment` },
      close: () => servers.close(),
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}
