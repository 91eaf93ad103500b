/** `http-search`: the transactions of a customer, over HTTP, among a million. */
import { join } from 'node:path';
import type { Prepared, Setting, Stage } from '../harness/stage.ts';
import { makeHostData } from '../load/host-data.ts';
import type { ListedRequests } from '../load/job.ts';
import { searchPath } from '../load/paths.ts';
import { writeRecords } from '../load/peer-data.ts';
import { HttpServers, httpFacts } from './http-servers.ts';

const PAYMENTS = 1_000_000;
const QUICK_PAYMENTS = 50_000;
const COMPARED = 20;

export const httpSearch: Stage = {
  name: 'http-search',
  rows: [
    {
      id: 'http-search',
      what: 'POST /api/transactions/search by email, 64 connections',
      unit: 'requests/s',
      better: 'higher',
      reach: { 'fastify-sqlite': 1.2 },
      durability: 'reads only',
    },
  ],
  prepare,
};

async function prepare(setting: Setting): Promise<Prepared> {
  const { folder, quick, seed, say } = setting;
  const payments = quick ? QUICK_PAYMENTS : PAYMENTS;
  const data = await makeHostData({ folder: join(folder, 'data'), payments, seed, say });
  const servers = await HttpServers.start(setting, data);
  try {
    const database = join(folder, 'fastify.db');
    const { rows, emails } = await writeRecords(data.folder, database, say);
    const fastify = await servers.fastify(database);
    const path = searchPath(emails, seed);
    const { bodies } = path.requests as ListedRequests;
    await servers.compare(fastify, path.path, bodies.slice(0, COMPARED));
    return {
      sides: {
        'http-search': {
          own: servers.measure(servers.host, () => path),
          peers: { 'fastify-sqlite': servers.measure(fastify, () => path) },
        },
      },
      facts: { ...httpFacts(), 'live transactions': String(rows), customers: `${emails.length}` },
      close: () => servers.close(),
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}
