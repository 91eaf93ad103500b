/**
 * What each part of a request costs: `npx -y pnpm@12 exec node bench/experiments/request-ladder.ts`. The same
 * bytes, a detail, are answered by a bare `node:http`, by Fastify with and without its look-up in SQLite, and
 * by endpoints of one host that do more and more of what a detail needs. Measured is the processor time of the
 * main thread of each server for a request, in rounds that take turns; it depends little on what else runs.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Access, endpoint } from '../../packages/http-host/src/http/endpoint.ts';
import { runHost } from '../../packages/http-host/src/index.ts';
import { spreadOf } from '../harness/rounds.ts';
import { HostUnderLoad, LOG_LEVEL } from '../load/host.ts';
import { makeHostData } from '../load/host-data.ts';
import type { ListedRequests } from '../load/job.ts';
import { Load } from '../load/load.ts';
import { detailPath, jobOf } from '../load/paths.ts';
import { liveRecords, writeDetails } from '../load/peer-data.ts';
import { ServerProcess } from '../load/server-process.ts';
import { mainThreadUs } from '../load/thread-time.ts';
import { spread } from '../report/numbers.ts';

const SELF = fileURLToPath(import.meta.url);
const peer = (name: string) => fileURLToPath(new URL(`../peers/${name}.ts`, import.meta.url));
const PAYMENTS = 20_000;
const SEED = 1;
const ROUNDS = 7;
const DURATION_MS = 2_000;

const Claims = z.object({
  parentCompanyId: z.int().positive(),
  userEmail: z.string().max(320),
  id: z.string().max(36),
  getSearchData: z.boolean().default(false),
  getAddressData: z.boolean().default(false),
});
const KEY = { kind: 'api-key', scope: 'transactions:read', requiresUserEmail: true } as const;

/** In the order of what they do. */
const STEPS: Readonly<Record<string, { access: Access; body: z.ZodType; action?: string }>> = {
  'our server': { access: { kind: 'public' }, body: z.looseObject({}) },
  'and the key, its limit and its user': { access: KEY, body: z.looseObject({}) },
  'and the body by its schema': { access: KEY, body: Claims },
  'and the record of activity': { access: KEY, body: Claims, action: 'ladder.answer' },
};

const pathOf = (step: string) => `/ladder/${Object.keys(STEPS).indexOf(step)}`;

/** A host with these endpoints beside its own; `text` is what they answer. */
async function serve(text: string): Promise<void> {
  const body: unknown = JSON.parse(text);
  const endpoints = Object.entries(STEPS).map(([step, own]) =>
    endpoint({
      ...own,
      operationId: step,
      method: 'POST',
      path: pathOf(step),
      tag: 'Ladder',
      summary: step,
      description: step,
      responses: { 200: { description: 'The same every time', schema: z.looseObject({}) } },
      rejections: [],
      idempotency: 'none',
      handle: async () => ({ status: 200, body }),
    }),
  );
  await runHost(process.env, {
    endpoints: () => endpoints,
    begin: async (host) => console.log(`listens on ${await host.listen()}`),
  });
}

interface Server {
  readonly pid: number;
  readonly port: number;
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ladder-'));
  const load = new Load();
  const servers: ServerProcess[] = [];
  const start = async (args: readonly string[], env = {}) => {
    const server = await ServerProcess.start({ args, env });
    servers.push(server);
    return server;
  };
  try {
    const say = (what: string) => console.error(what);
    const data = await makeHostData({
      folder: join(folder, 'data'),
      payments: PAYMENTS,
      seed: SEED,
      say,
    });
    const built = await HostUnderLoad.start(data);
    const { ids } = await liveRecords(data.folder);
    const detail = detailPath(ids, SEED);
    const bodies = (detail.requests as ListedRequests).bodies;
    const { status, headers: sent, text } = await built.post(detail.path, bodies[0] ?? '');
    await built.stop();
    const answer = join(folder, 'answer.json');
    const headers = [...sent].filter(([name]) => name !== 'connection' && name !== 'date').flat();
    writeFileSync(answer, JSON.stringify({ status, headers, body: text }));
    writeFileSync(`${answer}.text`, text);
    const database = join(folder, 'fastify.db');
    await writeDetails(data.folder, database, ids);

    const raw = await start([peer('raw-http'), answer]);
    const constant = await start([SELF, 'fastify', `${answer}.text`]);
    const fastify = await start([peer('fastify-sqlite'), database, data.apiKey]);
    const host = await start([SELF, 'host', `${answer}.text`], {
      ...{ DATA_DIR: data.folder, MASTER_KEY: data.masterKey, NODE_ENV: 'production' },
      ...{ PORT: '0', LOG_LEVEL },
    });
    const same = { ...detail, requests: { ...detail.requests, markers: bodies.map(() => '') } };
    const rungs: Record<string, [Server, Parameters<typeof jobOf>[0]]> = {
      'bare node:http': [raw, same],
      'Fastify, a constant': [constant, same],
      'Fastify and SQLite': [fastify, detail],
      ...Object.fromEntries(
        Object.keys(STEPS).map((step) => [step, [host, { ...same, path: pathOf(step) }]] as const),
      ),
      'the detail itself': [host, detail],
    };
    const costs = new Map(Object.keys(rungs).map((name) => [name, [] as number[]]));
    // Round 0 warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [name, [server, path]] of Object.entries(rungs)) {
        const job = jobOf(path, built, { port: server.port, durationMs: DURATION_MS });
        const before = mainThreadUs(server.pid);
        const { sent: requests } = await load.run(job);
        const us = (mainThreadUs(server.pid) - before) / requests;
        if (round > 0) costs.get(name)?.push(us);
      }
    }
    report(costs);
  } finally {
    await load.close();
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function report(costs: ReadonlyMap<string, readonly number[]>): void {
  const beside = costs.get('Fastify and SQLite') ?? [];
  for (const [name, values] of costs) {
    const ratio = spreadOf(beside.map((each, index) => each / (values[index] ?? 1)));
    console.log(
      `${name}: ${spread(values, 0)} µs; Fastify and SQLite take ${ratio.median.toFixed(2)} of it`,
    );
  }
}

/** Fastify with the schema of a detail, and nothing behind it. */
async function serveConstant(text: string): Promise<void> {
  const { default: Fastify } = await import('fastify');
  const server = Fastify();
  const flag = { type: 'boolean', default: false };
  const shortText = { type: 'string', maxLength: 320 };
  const properties = {
    parentCompanyId: { type: 'integer' },
    userEmail: shortText,
    id: shortText,
    getSearchData: flag,
    getAddressData: flag,
  };
  const body = { type: 'object', required: ['parentCompanyId', 'userEmail', 'id'], properties };
  const answer: unknown = JSON.parse(text);
  server.post('/customerapi/detail', { schema: { body } }, (_request, reply) => reply.send(answer));
  console.log(`listens on ${await server.listen({ port: 0, host: '127.0.0.1' })}`);
  process.on('SIGTERM', () => process.exit());
}

const [, , role, file = ''] = process.argv;
if (role === 'host') await serve(readFileSync(file, 'utf8'));
else if (role === 'fastify') await serveConstant(readFileSync(file, 'utf8'));
else await measure();
