/** The projection thread of a host on files recovers from a fault, and misses nothing. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Writable } from 'node:stream';
import type { TenantId } from '@counterfoil/core';
import { ProjectionThread } from '@counterfoil/engine';
import { Progress } from '@counterfoil/projections';
import { expect, it, onTestFinished, vi } from 'vitest';
import { compose } from './composition-root.ts';
import { readConfig } from './config.ts';
import { createLogger } from './http/logging.ts';

const TENANT = 1 as TenantId;
const OPERATOR = { actor: 'operator@example.com' };
const POLLING = { timeout: 20_000, interval: 20 };
const LIMIT_MS = 60_000;
/** Shorter than a thread waits for an unavailable database. */
const SHUTDOWN_LIMIT_MS = 20_000;

it(
  'starts again after a fault, and applies what came meanwhile',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-thread-'));
    const logs: string[] = [];
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        logs.push(String(chunk));
        done();
      },
    });
    const logger = createLogger({ level: 'error', destination });
    const host = await compose(readConfig({ DATA_DIR: folder, PORT: '0' }), { logger });
    onTestFinished(async () => {
      await host.close();
      rmSync(folder, { recursive: true });
    });
    const url = await host.listen();
    const readyz = async () => (await fetch(`${url}/readyz`)).status;
    const { tenants, readSide } = host;
    await tenants.onboard(TENANT, { name: 'Tenant' }, OPERATOR);
    await readSide.caughtUp(TENANT);
    await vi.waitUntil(async () => (await readyz()) === 200, POLLING);

    // Every write of this build fails, as with a disk error.
    const database = new DatabaseSync(join(folder, 'read-models.db-reference-1'));
    database.exec(`
      PRAGMA busy_timeout = 5000;
      CREATE TRIGGER fault BEFORE UPDATE ON meta BEGIN SELECT RAISE(FAIL, 'a fault'); END;
    `);
    const at = host.commands.clock.now();
    const company = { companyId: 1, name: 'Company', at };
    await tenants.define({ type: 'DefineCompany', tenantId: TENANT, ...company }, OPERATOR);
    await vi.waitUntil(async () => (await readyz()) === 503, POLLING);
    expect(logs.join('')).toMatch(/the projection thread failed/);
    const figures = await (await fetch(`${url}/metrics`)).text();
    expect(figures).toMatch(/^projection_behind_events\{projection="reference"\} 1$/m);

    database.exec('DROP TRIGGER fault');
    database.close();
    await vi.waitUntil(async () => (await readyz()) === 200, POLLING);
    await readSide.caughtUp(TENANT);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
      /^projection_behind_events\{projection="reference"\} 0$/m,
    );
    const key = await tenants.issueKey(
      TENANT,
      { kind: 'api', environment: 'live', label: '', scopes: ['payments:read'] },
      OPERATOR,
    );
    await readSide.caughtUp(TENANT);
    const headers = { Authorization: key.key, ClientId: '1' };
    expect((await fetch(`${url}/v1/payments`, { headers })).status).toBe(200);
  },
  LIMIT_MS,
);

it(
  'ends with its host while it still waits for its database',
  async () => {
    let calls = 0;
    const server = createServer((socket) => {
      calls += 1;
      socket.destroy();
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const data = {
      log: { eventStoreUrl: 'memory:' },
      readModelUrl: `postgres://nobody@127.0.0.1:${port}/nothing`,
      holder: 'a host',
      keys: undefined,
    } as const;
    const logger = createLogger({ level: 'silent' });
    const thread = new ProjectionThread(data, { progress: new Progress(), logger });
    await vi.waitUntil(() => calls > 0, POLLING);
    await thread.stop(undefined);
    expect(thread.running).toBe(false);
  },
  SHUTDOWN_LIMIT_MS,
);
