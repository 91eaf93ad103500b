/** The client: its headers and answers with a host, and what it repeats with a server that refuses. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CounterfoilClient, createClient } from '@counterfoil/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  CARDS,
  card,
  openTenant,
  type Running,
  startHost,
  USER_EMAIL,
} from '../e2e/running-host.ts';

const TENANT = 31;

describe('with a host', () => {
  let running: Running;
  let client: CounterfoilClient;

  beforeAll(async () => {
    running = await startHost();
    const { key } = await openTenant(running, TENANT);
    client = createClient({
      baseUrl: running.url,
      apiKey: key,
      clientId: TENANT,
      userEmail: USER_EMAIL,
    });
  });
  afterAll(() => running.close());

  const order = { amount: 20, currency: 'GBP', email: 'ann@shop.example' };

  it('pays, refunds and finds', async () => {
    const { data: paid } = await client.POST('/v1/payments', {
      params: { header: { 'Idempotency-Key': 'order-1' } },
      body: { ...order, card: card() },
    });
    expect(paid?.status).toBe('Captured');
    const { data: refunded } = await client.POST('/customerapi/refund', {
      body: {
        parentCompanyId: TENANT,
        userEmail: USER_EMAIL,
        messageId: paid?.id ?? '',
        amount: 5,
      },
    });
    expect(refunded?.status).toBe('Refunded');
    const { data: found } = await client.POST('/api/transactions/search', {
      body: { emails: [order.email] },
    });
    expect(found?.transactions.map(({ amount }) => amount)).toEqual([5, 20]);
    const path = { id: paid?.id ?? '' };
    const { data: read } = await client.GET('/v1/payments/{id}', { params: { path } });
    expect(read?.refundedAmount).toBe(5);
  });

  it('takes a key of the caller, and makes one for each other request', async () => {
    const body = { ...order, card: card() };
    const params = { header: { 'Idempotency-Key': 'order-2' } };
    const ids = new Set<string | undefined>();
    for (let time = 0; time < 2; time += 1) {
      ids.add((await client.POST('/v1/payments', { params, body })).data?.id);
    }
    expect(ids.size).toBe(1);
    for (let time = 0; time < 2; time += 1) {
      ids.add((await client.POST('/v1/payments', { body })).data?.id);
    }
    expect(ids.size).toBe(3);
  });

  it('gives the refusal, and the payment where a card is declined', async () => {
    const { error, response } = await client.GET('/v1/payments/{id}', {
      params: { path: { id: '00000000-0000-4000-8000-000000000000' } },
    });
    expect([response.status, error?.code]).toEqual([404, 'not_found']);
    const declined = await client.POST('/v1/payments', {
      body: { ...order, card: card(CARDS.doNotHonour) },
    });
    expect(declined.response.status).toBe(402);
    expect(declined.error).toMatchObject({ status: 'Declined' });
  });
});

describe('repetition', () => {
  const conflict = (code: string) => ({ status: 409, body: { success: false, code } });
  const busy = { status: 503, body: { success: false, code: 'overloaded' } };
  const done = { status: 200, body: { id: 'done' } };
  const limited = { status: 429, body: { code: 'rate_limited' }, headers: { 'Retry-After': '0' } };

  it.each([
    ['an answer that is under way', conflict('idempotency_in_flight')],
    ['a race that was lost', conflict('concurrent_update')],
    ['a limit', limited],
    ['overload', busy],
    ['a broken connection', 'break' as const],
  ])('follows %s, under the same key', async (_, refusal) => {
    const server = await startServer([refusal, refusal, done]);
    const { response } = await pay(server);
    expect(response.status).toBe(200);
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^[0-9a-f-]{36}$/)]));
    const bodies = server.received.map(({ text }) => text);
    expect(bodies).toEqual(Array(3).fill(JSON.stringify(PAYMENT)));
  });

  it.each([
    ['another conflict', conflict('stale_row_version')],
    ['a conflict of somebody else', { status: 409, body: 'no JSON' }],
    ['a wrong key', { ...limited, body: { code: 'too_many_failed_authentications' } }],
    ['a refusal', { status: 400, body: { code: 'invalid_request' } }],
    ['a decline', { status: 402, body: { id: 'declined' } }],
    ['a wait beyond the limit', { ...busy, headers: { 'Retry-After': '31' } }],
    [
      'a date beyond the limit',
      { ...busy, headers: { 'Retry-After': 'Fri, 01 Jan 2100 00:00:00 GMT' } },
    ],
  ])('does not follow %s', async (_, refusal) => {
    const server = await startServer([refusal]);
    const { response } = await pay(server);
    expect(response.status).toBe(refusal.status);
    expect(server.received).toHaveLength(1);
  });

  it('ends after the attempts, with the last answer', async () => {
    const server = await startServer([busy, busy, { ...busy, body: { code: 'last' } }]);
    const { error } = await pay(server, { attempts: 3 });
    expect(error).toEqual({ code: 'last' });
    expect(server.received).toHaveLength(3);
  });

  it('throws where the last attempt reaches nothing', async () => {
    const server = await startServer(['break', 'break']);
    await expect(pay(server, { attempts: 2 })).rejects.toThrow('fetch failed');
    expect(server.received).toHaveLength(2);
  });

  it('waits as long as it is asked to', async () => {
    const server = await startServer([{ ...busy, headers: { 'Retry-After': '1' } }, done]);
    await pay(server);
    const [first, second] = server.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(999);
  });

  it('ends with the signal, in the middle of a wait', async () => {
    const server = await startServer([{ ...busy, headers: { 'Retry-After': '20' } }]);
    const controller = new AbortController();
    server.onAnswer = () => controller.abort(new Error('enough'));
    const paid = createClient({ baseUrl: server.url }).POST('/v1/payments', {
      body: PAYMENT,
      signal: controller.signal,
    });
    await expect(paid).rejects.toThrow();
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ['overload', busy, 1],
    ['a broken connection', 'break' as const, 1],
    ['a limit', limited, 2],
    ['a race that was lost', conflict('concurrent_update'), 2],
  ])('of what makes a key twice: after %s', async (_, refusal, sent) => {
    const server = await startServer([refusal, done]);
    const client = createClient({ baseUrl: server.url, retries: QUICK });
    await client.POST('/api/admin/keys', { body: { kind: 'tenant' } }).catch(() => undefined);
    expect(server.received).toHaveLength(sent);
    expect(server.received[0]?.headers['idempotency-key']).toBeUndefined();
  });

  it('of what only reads: always', async () => {
    const server = await startServer([busy, done, 'break', done]);
    const client = createClient({ baseUrl: server.url, retries: QUICK });
    await client.GET('/v1/payments');
    await client.POST('/api/transactions/search', { body: {} });
    expect(server.received).toHaveLength(4);
  });

  it.each([301, 302, 303, 307, 308])(
    'never follows or repeats a redirection: %d',
    async (status) => {
      const other = await startServer([done]);
      const moved = { status, body: {}, headers: { Location: other.url } };
      const server = await startServer([moved, done]);
      await expect(pay(server)).rejects.toThrow(/^the request was redirected: baseUrl must be/);
      expect(server.received).toHaveLength(1);
      expect(other.received).toEqual([]);
    },
  );
});

const PAYMENT = { amount: 20, currency: 'GBP', email: 'ann@shop.example', card: card() };
const QUICK = { delayMs: 1 };

function pay({ url }: Refusing, retries: object = {}) {
  const client = createClient({ baseUrl: url, retries: { ...QUICK, ...retries } });
  return client.POST('/v1/payments', { body: PAYMENT });
}

interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Refusing {
  readonly url: string;
  readonly received: {
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
    readonly at: number;
  }[];
  onAnswer: () => void;
}

/** Answers one after the other; `break` ends the connection. */
async function startServer(answers: readonly (Refusal | 'break')[]): Promise<Refusing> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const next = answers[refusing.received.length] ?? { status: 500, body: {} };
    refusing.received.push({ headers: request.headers, text, at: performance.now() });
    if (next === 'break') response.destroy();
    else send(response, next);
    response.once('finish', () => refusing.onAnswer());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const refusing: Refusing = {
    url: `http://127.0.0.1:${port}`,
    received: [],
    onAnswer: () => undefined,
  };
  return refusing;
}

function send(response: ServerResponse, { status, body, headers }: Refusal): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
