/** The clock over HTTP, from a host that hangs up, is busy with the move, or has no clock. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { HostClient, HostRefused } from './host-client.ts';
import { HostClock } from './host-clock.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const THERE = '2026-03-02T12:00:00.000Z';
const DAY_MS = 86_400_000;
const LIMIT_MS = 30_000;
const MOVED = { success: true, now: THERE, steps: 3, unfinished: [] };

type Answering = (response: ServerResponse, request: IncomingMessage) => void;

function answers(status: number, body: unknown): Answering {
  return (response) => response.writeHead(status).end(JSON.stringify(body));
}

const hangsUp: Answering = (_, request) => request.destroy();

/** Responds to moves one after the other, and reports the target in between. */
async function host(...moves: readonly Answering[]): Promise<{ url: string; keys: string[] }> {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const movingTo = keys.length === 0 ? null : THERE;
      return answers(200, { success: true, now: NOW, aheadSeconds: 0, movingTo })(
        response,
        request,
      );
    }
    const answer = moves[keys.length] ?? hangsUp;
    keys.push(String(request.headers['idempotency-key']));
    answer(response, request);
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

function clockAt(url: string): HostClock {
  const { hostname, port } = new URL(url);
  return new HostClock(new HostClient({ name: url, options: { hostname, port } }), 1);
}

const UNDER_WAY = { success: false, code: 'idempotency_in_flight', message: 'under way' };

it('asks again for the same move until it has its answer', { timeout: LIMIT_MS }, async () => {
  const { url, keys } = await host(hangsUp, answers(409, UNDER_WAY), answers(200, MOVED));
  const progress: number[][] = [];
  const moved = await clockAt(url).move({ byMs: DAY_MS }, (...step) => progress.push(step));
  expect(moved).toEqual({ now: THERE, steps: 3, unfinished: [] });
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(progress).toEqual([
    [0, DAY_MS],
    [0, DAY_MS],
  ]);
});

it('gives up on a host that does not answer any more', { timeout: LIMIT_MS }, async () => {
  const { url, keys } = await host();
  await expect(clockAt(url).move({ byMs: DAY_MS }, () => undefined)).rejects.toThrow(
    /does not answer any more/,
  );
  expect(new Set(keys).size).toBe(1);
});

it.each([
  [503, { code: 'overloaded', message: 'The host is stopping' }, 'The host is stopping'],
  [
    400,
    { code: 'invalid_request', message: 'wrong', errors: [{ pointer: '/now', detail: 'past' }] },
    'wrong. past',
  ],
  [404, { code: 'route_not_found', message: 'nothing here' }, 'The host has no test clock'],
  [200, { hello: 'world' }, 'answers 200, and not as a host'],
  [500, 'oops', 'answers 500, and not as a host'],
])('says what the answer %i %j says', async (status, body, message) => {
  const { url, keys } = await host(answers(status, body));
  const moving = clockAt(url).move({ byMs: DAY_MS }, () => undefined);
  await expect(moving).rejects.toThrow(HostRefused);
  await expect(moving).rejects.toThrow(message);
  expect(keys).toHaveLength(1);
});
