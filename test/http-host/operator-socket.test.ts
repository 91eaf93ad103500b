/** The socket of the operator: what it leads to, and that no address leads there. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compose, type Host } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTenant } from '../e2e/running-host.ts';

vi.setConfig({ testTimeout: 30_000 });

interface Opened {
  readonly host: Host;
  readonly url: string;
  readonly folder: string;
  readonly socket: string;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(folder = newFolder()): Promise<Opened> {
  const host = await compose(readConfig({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' }));
  onTestFinished(() => host.close());
  return { host, url: await host.listen(), folder, socket: join(folder, 'events.db.sock') };
}

async function ask(socketPath: string, path: string, headers = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const asked = request({
    socketPath,
    path,
    headers: { Host: 'localhost', ...headers },
    agent: false,
  });
  asked.on('error', reject).on('response', async (response) => {
    resolve({ status: response.statusCode ?? 0, body: await text(response) });
  });
  asked.end();
  return promise;
}

const OPERATOR_PATHS = [
  ['GET', '/operator/host'],
  ['GET', '/operator/tenants'],
  ['POST', '/operator/tenants'],
  ['POST', '/operator/definitions'],
  ['PUT', '/operator/disputeproviders/acme'],
  ['DELETE', '/operator/disputeproviders/acme'],
  ['GET', '/operator/parked-streams'],
  ['GET', '/operator/read-models'],
  ['GET', '/operator/work'],
  ['POST', '/operator/work'],
  ['DELETE', '/operator/work'],
  ['POST', '/operator/parked-streams/retry'],
] as const;

it('leads the operator alone to administration: no address and no key does', async () => {
  const { host, url, folder, socket } = await open();
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  const { key } = await openTenant({ host, url, close: async () => {} }, 3);
  for (const headers of [{}, { Authorization: key, ClientId: '3', UserEmail: 'a@example.com' }]) {
    for (const [method, path] of OPERATOR_PATHS) {
      const answer = await fetch(url + path, { method, headers });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toMatchObject({ code: 'route_not_found' });
    }
  }
  // What both have needs a key at the address, and none at the socket.
  const keys = '/api/admin/keys';
  expect((await fetch(url + keys, { headers: { ClientId: '3' } })).status).toBe(401);
  expect((await ask(socket, keys, { ClientId: '3' })).status).toBe(200);
  expect((await ask(socket, keys, { ClientId: '4' })).body).toContain('no tenant 4');
  // Nothing but administration.
  expect((await ask(socket, '/v1/payments', { ClientId: '3' })).status).toBe(404);

  // A second host is refused, and the socket stays that of the first.
  await expect(open(folder)).rejects.toThrow(/open for writing/);
  const { status, body } = await ask(socket, '/operator/host');
  expect([status, JSON.parse(body).pid]).toEqual([200, process.pid]);
  await host.close();
  expect(existsSync(socket)).toBe(false);
});

it('is left out where its path is too long for the system, and the host serves all the same', async () => {
  const folder = join(newFolder(), 'x'.repeat(120));
  mkdirSync(folder);
  const { url, socket } = await open(folder);
  expect(existsSync(socket)).toBe(false);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
});
