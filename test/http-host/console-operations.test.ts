/** Operations in the console: how the host is doing, for those who may know. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { openUser, Visitor } from './console-visitor.ts';

const TENANT = 58;
const OWNER = 'owner@example.com';
const AGENT = 'agent@example.com';
const PAGE = '/console/live/operations';

let running: Running;

beforeAll(async () => {
  running = await startHost();
  await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  await openUser(running, TENANT, { email: AGENT, roleIds: ['agent'] });
});
afterAll(() => running.close());

async function shownTo(email: string, { url } = running) {
  const visitor = new Visitor(url);
  await visitor.signIn(TENANT, email);
  return visitor.get(PAGE);
}

describe('operations', () => {
  it('show checks, and each read model and follower with how far it is behind', async () => {
    const { status, text } = await shownTo(OWNER);
    expect(status).toBe(200);
    const { readModels, followers } = await running.host.engine.state();
    expect(readModels.length).toBeGreaterThan(5);
    expect(followers.length).toBeGreaterThan(2);
    for (const { projection } of readModels) {
      expect(text).toContain(`<th scope="row">${projection}</th>`);
    }
    for (const { name } of followers) expect(text).toContain(`<th scope="row">${name}</th>`);
    expect(text).toContain('<dt>event-store</dt>');
  });

  it('are for those who may read the activity', async () => {
    expect((await shownTo(AGENT)).status).toBe(403);
  });

  it('say where the figures are when they have an address of their own', async () => {
    const apart = await startHost({ env: { METRICS_PORT: '0' } });
    try {
      await openTenant(apart, TENANT);
      await openUser(apart, TENANT, { email: OWNER, roleIds: ['owner'] });
      const { text } = await shownTo(OWNER, apart);
      expect(text).toContain('at an address of its operator');
      expect(text).not.toContain('Read models');
    } finally {
      await apart.close();
    }
  });
});

describe('the state of the ledger', () => {
  it('names the build that each read model has, and nothing parked', async () => {
    const { readModels } = await running.host.engine.state();
    for (const { projection, isReady, lag, builds } of readModels) {
      expect({ projection, isReady, parked: lag?.parked }).toEqual({
        projection,
        isReady: true,
        parked: 0,
      });
      expect(builds.map(({ state }) => state)).toEqual(['ready']);
    }
  });
});
