/** Operations in the console: for the operators of the host, and nobody else. */
import type { EventStore, TenantId } from '@counterfoil/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Caller, card, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { hiddenFields, openUser, type ShownPage, Visitor } from './console-visitor.ts';
import { appendUnknown, makeKnown } from './unknown-event.ts';

const TENANT = 58;
const OTHER = 59;
/** An agent of the first tenant, named by the setting of the host as it was not written by the tenant. */
const OPERATOR = 'Operator@example.com';
const OWNER = 'owner@example.com';
const ROOT = '/console/live/operations';
const PARKED = `${ROOT}/parked-streams`;
const POLLING = { timeout: 20_000, interval: 20 };

vi.setConfig({ testTimeout: 60_000 });

let running: Running;
let caller: Caller;
let operator: Visitor;

beforeAll(async () => {
  const env = { CONSOLE_OPERATORS: `${TENANT}:operator@example.com` };
  running = await startHost({ env, onDisk: true });
  caller = await openTenant(running, TENANT);
  await openTenant(running, OTHER);
  await openUser(running, TENANT, { email: OPERATOR, roleIds: ['agent'] });
  for (const tenant of [TENANT, OTHER]) {
    await openUser(running, tenant, { email: OWNER, roleIds: ['owner'] });
  }
  await openUser(running, OTHER, { email: OPERATOR, roleIds: ['owner'] });
  operator = await signedIn(TENANT, OPERATOR);
}, 60_000);
afterAll(() => running.close());

async function signedIn(tenant: number, email: string, { url } = running): Promise<Visitor> {
  const visitor = new Visitor(url);
  await visitor.signIn(tenant, email);
  return visitor;
}

describe('operations', () => {
  it('show checks, and each read model and follower with how far it is behind', async () => {
    const { status, text } = await operator.get(ROOT);
    expect(status).toBe(200);
    const { readModels, followers } = await running.host.engine.state();
    expect(readModels.length).toBeGreaterThan(5);
    expect(followers.length).toBeGreaterThan(2);
    for (const { projection } of readModels) {
      expect(text).toMatch(new RegExp(`<th scope="row">(<a [^>]+>)?${projection}<`));
    }
    for (const { name } of followers) expect(text).toContain(`<th scope="row">${name}</th>`);
    expect(text).toContain('<dt>event-store</dt>');
  });

  it.each([
    ['an owner of the same tenant', TENANT, OWNER],
    ['an owner of another', OTHER, OWNER],
    ['the same email in another', OTHER, OPERATOR],
  ])('are not for %s, however much the role permits', async (_, tenant, email) => {
    const visitor = await signedIn(tenant, email);
    for (const page of [ROOT, PARKED]) {
      const { status, text } = await visitor.get(page);
      expect([page, status]).toEqual([page, 403]);
      expect(text).toContain('CONSOLE_OPERATORS');
      expect(text).not.toContain(`href="${ROOT}"`);
    }
    const fields = { projection: 'transactions' };
    const answer = await visitor.submit('/console/live/overview', `${PARKED}/retry-all`, fields);
    expect(answer.status).toBe(403);
  });

  it('are in the navigation of an operator, whose role permits little else', async () => {
    expect((await operator.get('/console/live/overview')).text).toContain(`href="${ROOT}"`);
    expect((await operator.get('/console/live/settings/keys')).status).toBe(403);
  });

  it('are for nobody without the setting, on an address for metrics or not', async () => {
    const apart = await startHost({ env: { METRICS_PORT: '0' } });
    try {
      await openTenant(apart, TENANT);
      await openUser(apart, TENANT, { email: OPERATOR, roleIds: ['owner'] });
      const visitor = await signedIn(TENANT, OPERATOR, apart);
      expect((await visitor.get(ROOT)).status).toBe(403);
    } finally {
      await apart.close();
    }
  });
});

describe('parked streams', () => {
  /** Parks the stream of a payment by an event that this version does not know. */
  async function parkOne(): Promise<string> {
    const body = { amount: 12.34, currency: 'GBP', companyId: 5, email: 'ada@example.com' };
    const paid = await caller.post('/v1/payments', { body: { ...body, card: card() } });
    const { events } = running.host;
    const open = { append: events.append.bind(events), close: async () => undefined };
    await appendUnknown(open as unknown as EventStore, TENANT as TenantId, paid.body.id);
    const stream = `transaction-${TENANT}-${paid.body.id}`;
    const isParked = async () => (await operator.get(PARKED)).text.includes(stream);
    await vi.waitUntil(isParked, POLLING);
    return stream;
  }

  function retry(stream: string): Promise<ShownPage> {
    return operator.submit(PARKED, `${PARKED}/retry`, { projection: 'transactions', stream });
  }

  it('are listed with what waits and why, and applied again', async () => {
    expect((await operator.get(PARKED)).text).toContain('No stream is parked');
    const stream = await parkOne();
    const { text } = await operator.get(PARKED);
    expect(text).toContain('<span class="quiet">PaymentTeleported</span>');
    expect(text).toContain('at revision 3 cannot be read: unknown event type');
    const overview = (await operator.get('/console/live/overview')).text;
    expect(overview).toContain(`<a href="${PARKED}">Streams that are parked</a>`);
    const owner = await signedIn(TENANT, OWNER);
    expect((await owner.get('/console/live/overview')).text).not.toContain('are parked');

    expect(await retry(stream)).toMatchObject({ status: 303, location: PARKED });
    const failed = await operator.get(PARKED);
    expect(failed.text).toContain(`${stream} fails again, and stays parked.`);
    expect(failed.text).toContain('1 ×,');

    const all = await operator.submit(PARKED, `${PARKED}/retry-all`, {
      projection: 'transactions',
    });
    expect(all.status).toBe(303);
    const tried = await operator.get(PARKED);
    expect(tried.text).toContain('Of transactions, 0 are applied, and 1 fail again.');
    expect(tried.text).toContain('2 ×,');

    makeKnown(running.host.config.dataDir);
    await retry(stream);
    expect((await operator.get(PARKED)).text).toContain(`${stream} is applied.`);
    const { parked } = await lists();
    expect(parked.filter(({ projection }) => projection === 'transactions')).toEqual([]);
    await retry(stream);
    expect((await operator.get(PARKED)).text).toContain('is not parked any more');
  });

  async function lists() {
    const { readModels } = running.host;
    const parked = await (await readModels.live('transactions'))?.parked();
    return { parked: (parked ?? []).map((each) => ({ projection: 'transactions', ...each })) };
  }

  it('are in the activity of the operator, and of nobody else', async () => {
    const of = async (tenantId: number) => {
      const { activity } = running.host.engine.as({ tenantId, actor: OWNER });
      return (await activity.list({ action: 'operations.retryParked' })).items;
    };
    const items = await of(TENANT);
    expect(items.length).toBeGreaterThan(2);
    for (const each of items) expect(each).toMatchObject({ actor: OPERATOR, outcome: 'done' });
    expect(await of(OTHER)).toEqual([]);
  });
});

describe('a ledger in memory', () => {
  it('is rebuilt in this process, and has nothing that the doctor could examine', async () => {
    const env = { CONSOLE_OPERATORS: `${TENANT}:${OPERATOR}`, EVENT_STORE_URL: 'memory:' };
    const inMemory = await startHost({ env, onDisk: true });
    try {
      await openTenant(inMemory, TENANT);
      await openUser(inMemory, TENANT, { email: OPERATOR, roleIds: ['agent'] });
      const visitor = await signedIn(TENANT, OPERATOR, inMemory);
      const shows = (page: string, text: string) =>
        vi.waitUntil(async () => (await visitor.get(page)).text.includes(text), POLLING);
      const page = `${ROOT}/read-models/reference`;
      const fields = hiddenFields(await visitor.get(`${page}/rebuild`));
      expect((await visitor.post(`${page}/rebuild`, fields)).status).toBe(303);
      await shows(page, 'It equals the build before.');
      await visitor.submit(`${ROOT}/doctor`, `${ROOT}/doctor`, { how: 'full' });
      await shows(`${ROOT}/doctor`, 'there is no data folder to examine');
    } finally {
      await inMemory.close();
    }
  });
});

describe('the state of the ledger', () => {
  it('names the build that each read model has', async () => {
    const { readModels } = await running.host.engine.state();
    for (const { isReady, builds } of readModels) {
      expect(isReady).toBe(true);
      expect(builds.at(-1)?.state).toBe('ready');
    }
  });
});
