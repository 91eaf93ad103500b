/** Leads in the console: found, paid, and exported. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, CHECKOUT, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { openUser, Visitor } from './console-visitor.ts';

const TENANT = 56;
const OWNER = 'owner@example.com';
const OTHER = 'disputes@example.com';
const LIST = '/console/live/leads';

let running: Running;
let caller: Caller;
let owner: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  await openUser(running, TENANT, { email: OTHER, roleIds: ['disputes'] });
  owner = new Visitor(running.url);
  await owner.signIn(TENANT, OWNER);
});
afterAll(() => running.close());

async function write(sessionId: string, more: object = {}) {
  const { leads } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
  const lead = { sessionId, applicationId: CHECKOUT, email: 'ada@example.com', ...more };
  return (await leads.write(lead)).lead;
}

describe('leads', () => {
  it('are found by email, session and state, with the pages that were seen', async () => {
    await write('visit-1', { scans: [{ page: '/offer?<b>' }], firstName: 'Ada' });
    await write('visit-2', { email: 'bob@example.com' });
    const byEmail = await owner.get(`${LIST}?email=ADA%40example.com`);
    expect(byEmail.text).toContain('/offer?&lt;b&gt;');
    expect(byEmail.text).not.toContain('visit-2');
    expect((await owner.get(`${LIST}?sessionId=visit-2`)).text).toContain('bob@example.com');
    expect((await owner.get(`${LIST}?status=paid&email=bob%40example.com`)).text).toContain(
      'No lead matches',
    );
  });

  it('that were paid lead to the payment', async () => {
    const { applicationId } = await write('visit-paid');
    const { id } = await caller.paid({ partnerSession: 'visit-paid', applicationId });
    await expect
      .poll(async () => (await owner.get(`${LIST}?status=paid`)).text)
      .toContain(`/console/live/transactions/${id}`);
  });

  it('go from page to page and into a file, each once', async () => {
    const email = '=often@example.com';
    for (let count = 0; count < 27; count += 1) await write(`often-${count}`, { email });
    const query = new URLSearchParams({ email });
    const first = await owner.get(`${LIST}?${query}`);
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await owner.get(next);
    const sessions = [first, second].flatMap(({ text }) => text.match(/<code>often-\d+</g) ?? []);
    expect(new Set(sessions).size).toBe(27);
    expect(sessions).toHaveLength(27);
    const csv = await owner.get(`${LIST}.csv?${query}`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const lines = csv.text.trim().split('\r\n');
    expect(lines).toHaveLength(28);
    expect(lines[0]).toMatch(/^id,session_id,status,email/);
    const { activity } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const { items } = await activity.list({ action: 'leads.export' });
    expect(items.map(({ actor, outcome }) => [actor, outcome])).toEqual([[OWNER, 'done']]);
    // No formula of a spreadsheet.
    expect(lines[1]).toContain(`,'${email},`);
  });

  it('of sandbox data are under its address', async () => {
    await write('visit-test', { sandbox: true });
    expect((await owner.get(LIST)).text).not.toContain('visit-test');
    expect((await owner.get('/console/test/leads')).text).toContain('visit-test');
    expect((await owner.get('/console/test/leads.csv')).text).toContain('visit-test');
  });

  it('are neither shown nor exported to roles that do not allow it', async () => {
    const other = new Visitor(running.url);
    await other.signIn(TENANT, OTHER);
    expect((await other.get(LIST)).status).toBe(403);
    expect((await other.get(`${LIST}.csv`)).status).toBe(403);
    expect((await other.get('/console/live/overview')).text).not.toContain(`${LIST}"`);
  });
});
