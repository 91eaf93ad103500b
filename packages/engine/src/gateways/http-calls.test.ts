/** Calls of the server of a gateway: each is sent once, and answered whole or not at all. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { HttpCalls } from './http-calls.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const call = (origin: string, timeoutMs = 5_000, calls = new HttpCalls()) =>
  calls.call({
    ...{ origin, path: '/v1/charges?expand=all', method: 'POST', timeoutMs },
    headers: { 'Idempotency-Key': 'key-1', 'Content-Length': 11 },
    body: 'amount=1999',
  });

it('say what was asked, and answer with status, headers and text', async () => {
  const origin = await serve(async (request, response) => {
    const said = [request.method, request.url, request.headers['idempotency-key']];
    response.writeHead(402, { 'Request-Id': 'req_1' });
    response.end(`${said.join()} ${await text(request)}`);
  });
  expect(await call(origin)).toMatchObject({
    status: 402,
    headers: { 'request-id': 'req_1' },
    text: 'POST,/v1/charges?expand=all,key-1 amount=1999',
  });
});

it('follow no redirect', async () => {
  const origin = await serve((_, response) => response.writeHead(307, { location: '/' }).end());
  expect(await call(origin)).toMatchObject({ status: 307 });
});

it.each([
  ['before the answer', () => undefined],
  ['within it', (write: (part: string) => void) => write('half')],
] as const)('are sent once, though the connection is cut %s', async (_, begin) => {
  let requests = 0;
  const calls = new HttpCalls();
  const origin = await serve((request, response) => {
    requests += 1;
    if (requests === 1) {
      response.end('whole');
      return;
    }
    begin((part) => response.write(part));
    setImmediate(() => request.socket.destroy());
  });
  await call(origin, 5_000, calls);
  await expect(call(origin, 5_000, calls)).rejects.toThrow();
  expect(requests).toBe(2);
});

it('end where no answer comes in time', async () => {
  const origin = await serve(() => undefined);
  await expect(call(origin, 50)).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
});
