/** `http-detail`: everything about one payment, over HTTP. */
import { join } from 'node:path';
import type { Prepared, Setting, Stage } from '../harness/stage.ts';
import { makeHostData } from '../load/host-data.ts';
import type { ListedRequests } from '../load/job.ts';
import { detailPath } from '../load/paths.ts';
import { liveRecords, writeDetails } from '../load/peer-data.ts';
import { HttpServers, httpFacts } from './http-servers.ts';

const PAYMENTS = 20_000;
const COMPARED = 20;

export const httpDetail: Stage = {
  name: 'http-detail',
  rows: [
    {
      id: 'http-detail',
      what: 'POST /customerapi/detail, 64 connections',
      unit: 'requests/s',
      better: 'higher',
      reach: { 'raw-http': 0.5, 'fastify-sqlite': 1.2 },
      durability: 'reads only',
    },
  ],
  prepare,
};

async function prepare(setting: Setting): Promise<Prepared> {
  const { folder, seed, say } = setting;
  const data = await makeHostData({ folder: join(folder, 'data'), payments: PAYMENTS, seed, say });
  const servers = await HttpServers.start(setting, data);
  try {
    const { ids } = await liveRecords(data.folder);
    const database = join(folder, 'fastify.db');
    await writeDetails(data.folder, database, ids);
    const fastify = await servers.fastify(database);
    const path = detailPath(ids, seed);
    const bodies = (path.requests as ListedRequests).bodies;
    await servers.compare(fastify, path.path, bodies.slice(0, COMPARED));
    const raw = await servers.rawHttp(path.path, bodies[0] ?? '');
    return {
      sides: {
        'http-detail': {
          own: servers.measure(servers.host, () => path),
          peers: {
            'raw-http': servers.measure(raw.server, () => ({ ...path, answer: raw.answer })),
            'fastify-sqlite': servers.measure(fastify, () => path),
          },
        },
      },
      facts: { ...httpFacts(), payments: String(ids.length) },
      close: () => servers.close(),
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}
