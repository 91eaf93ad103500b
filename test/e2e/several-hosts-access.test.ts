/** Two hosts on one log: what one host takes from a key or a user, the other refuses with the next request. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { present } from './api.ts';
import { Caller, expectRefusal } from './running-host.ts';
import { SHARED_ENGINES, TwoHosts } from './two-hosts.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const SETTINGS = '/api/admin/settings';
const TURNS = 5;

describe.each(SHARED_ENGINES)('two hosts on %s', (engine) => {
  let both: TwoHosts;
  let tenants = 600;
  beforeAll(async () => {
    // A key is looked for at a host whose read models do not have it yet.
    both = await TwoHosts.start(engine, { env: { FAILED_AUTHENTICATIONS_PER_MINUTE: '10000' } });
  });
  afterAll(() => both?.close());

  async function opened() {
    tenants += 1;
    const [here, there] = await both.openTenant(tenants);
    return { here, there, tenantId: tenants };
  }

  it('refuse a key from the moment that it was revoked at the other', async () => {
    const { here, there, tenantId } = await opened();
    for (let turn = 0; turn < TURNS; turn += 1) {
      const [at, other] = turn % 2 === 0 ? [here, there] : [there, here];
      const { item } = (await at.post('/api/admin/keys', { body: { scopes: ['settings:read'] } }))
        .body;
      const holders = [both.first, both.second].map(
        ({ url }) => new Caller(url, tenantId, item.key),
      );
      for (const holder of holders) {
        await vi.waitUntil(async () => (await holder.get('/api/admin/settings')).status === 200);
      }
      const revoked = await other.delete('/api/admin/keys/{id}', { path: { id: item.id } });
      expect(revoked.status).toBe(200);
      for (const holder of holders) {
        expectRefusal(await holder.get('/api/admin/settings'), 401, 'api_key_revoked');
      }
    }
  });

  it('refuse a key from the moment that it was rotated without an overlap', async () => {
    const { here, there, tenantId } = await opened();
    const { item } = (await here.post('/api/admin/keys', { body: { scopes: ['settings:read'] } }))
      .body;
    const holder = new Caller(both.second.url, tenantId, item.key);
    await vi.waitUntil(async () => (await holder.get('/api/admin/settings')).status === 200);
    await here.post('/api/admin/keys/{id}/rotate', { path: { id: item.id }, body: {} });
    expectRefusal(await holder.get('/api/admin/settings'), 401, 'api_key_expired');
    expect((await there.get('/api/admin/settings')).status).toBe(200);
  });

  it('refuse a user who is disabled, and what a changed role no longer permits', async () => {
    const { here, there } = await opened();
    const change = (at: Caller, path: string, body: object, method = 'PATCH') =>
      at.wire.send(method, path, JSON.stringify(body), { 'Content-Type': 'application/json' });
    const made = await here.post('/api/admin/roles', {
      body: { name: 'Clerk', scopes: ['settings:read'] },
    });
    const role = made.body.item;
    const invite = async (email: string, roleIds: string[]) => {
      const { item } = (
        await here.post('/api/admin/users', { body: { email, name: email, roleIds } })
      ).body;
      await both.first.host.engine.signIns.setPassword(
        present(item.token),
        'correct horse battery',
      );
      return item.id;
    };
    await invite('owner@example.com', ['owner']);
    const clerk = await invite('clerk@example.com', [role.id]);
    expect((await change(here, SETTINGS, { requireKnownUsers: true })).status).toBe(200);

    const as =
      (at: Caller, email: string) =>
      (path: string, options = {}) =>
        at.wire.get(path, { UserEmail: email, ...options });
    const owner =
      (at: Caller) =>
      (path: string, body: object, method = 'PATCH') =>
        at.wire.send(method, path, JSON.stringify(body), {
          'Content-Type': 'application/json',
          UserEmail: 'owner@example.com',
        });
    for (const at of [here, there]) {
      expect((await as(at, 'clerk@example.com')(SETTINGS)).status).toBe(200);
      expectRefusal(await as(at, 'nobody@example.com')(SETTINGS), 403, 'user_unknown');
    }

    const rolePath = `/api/admin/roles/${role.id}`;
    const narrowed = { name: 'Clerk', scopes: ['ledger:read'], rowVersion: 1 };
    expect((await owner(there)(rolePath, narrowed, 'PUT')).status).toBe(200);
    for (const at of [here, there]) {
      expectRefusal(await as(at, 'clerk@example.com')(SETTINGS), 403, 'insufficient_scope');
    }
    const widened = { name: 'Clerk', scopes: ['settings:read'], rowVersion: 2 };
    expect((await owner(here)(rolePath, widened, 'PUT')).status).toBe(200);
    for (const at of [here, there]) {
      expect((await as(at, 'clerk@example.com')(SETTINGS)).status).toBe(200);
    }
    const disabled = await owner(there)(`/api/admin/users/${clerk}`, { status: 'disabled' });
    expect(disabled.status, disabled.text).toBe(200);
    for (const at of [here, there]) {
      expectRefusal(await as(at, 'clerk@example.com')(SETTINGS), 403, 'user_unknown');
    }
  });
});
