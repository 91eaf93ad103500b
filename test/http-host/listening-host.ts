/** A real server on a free port with a few endpoints, and the sockets to talk to it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { TenantId } from '@counterfoil/core';
import { createLogger, type KeyRecord, keyDigest, makeKey } from '@counterfoil/engine';
import { openKeptAnswers } from '@counterfoil/engine/storage';
import {
  type Endpoint,
  endpoint,
  type HttpLimits,
  HttpServer,
  healthEndpoints,
  Idempotency,
  Metrics,
  metricsEndpoint,
  RateLimits,
  Readiness,
  refuse,
} from '@counterfoil/http-host/http';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export const API_KEY = makeKey('api', 'live');

const RECORD: KeyRecord = {
  keyId: 'key-1',
  tenantId: 1 as TenantId,
  kind: 'api',
  environment: 'live',
  scopes: new Set(['things:read', 'things:write']),
  rateLimitPerMinute: 1_000_000,
  requireKnownUsers: false,
};

export const HEADERS = {
  Authorization: API_KEY,
  ClientId: '1',
  UserEmail: 'agent@example.com',
} as const;

export const JSON_HEADERS = { ...HEADERS, 'Content-Type': 'application/json' } as const;

const Thing = z.object({
  parentCompanyId: z.int().optional(),
  userEmail: z.string().max(254, { abort: true }).check(z.email()).optional(),
  amount: z.number().positive(),
  tags: z.array(z.string()).max(1_000).optional(),
  more: z.unknown().optional(),
});

/** What a test steers and looks at. */
export interface Bench {
  url: string;
  port: number;
  server: HttpServer;
  readonly readiness: Readiness;
  readonly keys: Map<string, KeyRecord>;
  readonly logs: string[];
  /** How often an endpoint that does something has done it. */
  effects: number;
  /** What the money endpoint does once it is called. */
  onMoney: () => Promise<void>;
}

export interface BenchOptions {
  readonly limits?: Partial<HttpLimits>;
  readonly endpoints?: readonly Endpoint[];
  readonly failuresPerMinute?: number;
  readonly now?: () => number;
  /** Default: `onTestFinished`; `afterAll` for a server of a whole file. */
  readonly onEnd?: (end: () => Promise<void>) => void;
}

/** Starts a server for one test, and ends it with the test. */
export async function startBench(options: BenchOptions = {}): Promise<Bench> {
  const logs: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logs.push(String(chunk));
      done();
    },
  });
  const logger = createLogger({ level: 'info', destination });
  const keys = new Map([[keyDigest(API_KEY), RECORD]]);
  const readiness = new Readiness(() => {});
  readiness.started();
  const metrics = new Metrics();
  const bench = {
    logs,
    keys,
    readiness,
    effects: 0,
    onMoney: async () => {},
  } as Partial<Bench> as Bench;
  const { failuresPerMinute, now, limits } = options;
  bench.server = new HttpServer({
    endpoints: [
      ...sampleEndpoints(bench),
      ...healthEndpoints(readiness),
      metricsEndpoint(metrics),
      ...(options.endpoints ?? []),
    ],
    keys: { find: async (digest) => keys.get(digest) },
    rateLimits: new RateLimits(failuresPerMinute === undefined ? {} : { failuresPerMinute }),
    idempotency: new Idempotency({
      secret: Buffer.alloc(32, 1),
      store: openKeptAnswers(':memory:'),
      onStoreFailure: (error) => logger.error({ err: error }, 'answer not kept'),
      ...(now !== undefined && { now }),
    }),
    readiness,
    metrics,
    logger,
    ...(limits !== undefined && { limits }),
  });
  bench.url = await bench.server.listen({ port: 0, host: '127.0.0.1' });
  bench.port = Number(new URL(bench.url).port);
  (options.onEnd ?? onTestFinished)(async () => {
    await bench.server.close();
  });
  return bench;
}

const responses = { 200: { description: 'Done', schema: z.unknown() } };

/** Endpoints of each kind; `bench` counts what they do. */
export function sampleEndpoints(bench: Pick<Bench, 'effects' | 'onMoney'>): Endpoint[] {
  const read = { kind: 'api-key', scope: 'things:read', requiresUserEmail: false } as const;
  const write = { kind: 'api-key', scope: 'things:write', requiresUserEmail: true } as const;
  const shared = { tag: 'Things', summary: 'A thing', description: 'For tests.', responses };
  return [
    endpoint({
      ...shared,
      operationId: 'getThing',
      method: 'GET',
      path: '/things/{id}',
      access: read,
      params: z.object({
        id: z.string().max(20, { abort: true }).regex(/^\d+$/, 'must be a number'),
      }),
      query: z.object({ limit: z.coerce.number().int().max(100).default(10) }),
      rejections: ['not_found'],
      idempotency: 'none',
      handle: async (context, { params, query }) => {
        if (params.id === '404') throw refuse('not_found');
        if (params.id === '500') throw new Error('the secret plan');
        return { status: 200, body: { ...params, ...query, traceparent: context.traceparent } };
      },
    }),
    endpoint({
      ...shared,
      operationId: 'postThing',
      method: 'POST',
      path: '/things',
      access: write,
      body: Thing,
      rejections: [],
      idempotency: 'none',
      handle: async (_context, { body }) => ({ status: 200, body }),
    }),
    endpoint({
      ...shared,
      operationId: 'moveMoney',
      method: 'POST',
      path: '/things/{id}/money',
      access: write,
      params: z.object({ id: z.string() }),
      body: Thing,
      rejections: ['refund_exceeds_refundable', 'gateway_error'],
      idempotency: 'money',
      handle: async (_context, { body }) => {
        bench.effects += 1;
        const effect = bench.effects;
        await bench.onMoney();
        if (body.amount === 400) throw refuse('refund_exceeds_refundable');
        if (body.amount === 502) throw refuse('gateway_error');
        return { status: 201, body: { effect }, headers: { Location: `/things/${effect}` } };
      },
    }),
    endpoint({
      ...shared,
      operationId: 'deleteThings',
      method: 'DELETE',
      path: '/things',
      access: { kind: 'public' },
      rejections: [],
      idempotency: 'none',
      handle: async () => ({ status: 204, body: undefined }),
    }),
  ];
}

/** Sends bytes as they are and answers everything that comes back until the server closes. */
export async function converse(port: number, ...parts: (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const received = receive(socket);
  for (const part of parts) socket.write(part);
  return received;
}

/** All that arrives on a socket until it is closed. */
export async function receive(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    text += chunk;
  });
  // What was received before a reset is what counts.
  socket.on('error', () => {});
  await once(socket, 'close');
  return text;
}

/** The head of a request as text, with the headers of a caller who is let in. */
export function head(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { Host: 'localhost', ...HEADERS, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export interface ErrorBody {
  readonly success: false;
  readonly message: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { in: string; pointer: string; detail: string }[];
}
