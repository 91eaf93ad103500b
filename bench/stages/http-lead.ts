/** `http-lead`: leads written over HTTP, durable before the answer. */
import { join } from 'node:path';
import type { Prepared, Setting, Stage } from '../harness/stage.ts';
import { makeHostData } from '../load/host-data.ts';
import { LEADS_PATH, leadPath } from '../load/paths.ts';
import { leadBody } from '../load/requests.ts';
import { HttpServers, httpFacts } from './http-servers.ts';

/** A range of leads per measurement: each is new. */
const LEADS_A_MEASUREMENT = 1_000_000;

export const httpLead: Stage = {
  name: 'http-lead',
  rows: [
    {
      id: 'http-lead',
      what: 'POST /api/public/customer-leads, a new lead each, durable before the answer, 64 connections',
      unit: 'requests/s',
      better: 'higher',
      reach: { 'http-sqlite': 0.5 },
      durability:
        'synchronous=FULL: own group commit; http-sqlite a commit a lead; raw-http keeps nothing',
    },
  ],
  prepare,
};

async function prepare(setting: Setting): Promise<Prepared> {
  const { folder, seed, say } = setting;
  const data = await makeHostData({ folder: join(folder, 'data'), payments: 0, seed, say });
  const servers = await HttpServers.start(setting, data);
  try {
    const headers = { Authorization: `Bearer ${data.leadKey}` };
    const raw = await servers.rawHttp(LEADS_PATH, leadBody(1), headers);
    const sqlite = await servers.sqliteLeads(join(folder, 'leads.db'), raw.file);
    let firstLead = 0;
    const next = () => {
      firstLead += LEADS_A_MEASUREMENT;
      return leadPath(firstLead, headers);
    };
    return {
      sides: {
        'http-lead': {
          own: servers.measure(servers.host, next),
          peers: {
            'http-sqlite': servers.measure(sqlite, next),
            'raw-http': servers.measure(raw.server, () => ({ ...next(), answer: raw.answer })),
          },
        },
      },
      facts: httpFacts(),
      close: () => servers.close(),
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}
