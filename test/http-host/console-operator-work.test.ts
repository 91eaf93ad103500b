/** Work of operators that runs in processes beside the host: rebuilds, counts, the doctor. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Caller, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { hiddenFields, openUser, row, Visitor } from './console-visitor.ts';

const TENANT = 60;
const OPERATOR = 'operator@example.com';
const ROOT = '/console/live/operations';
const POLLING = { timeout: 20_000, interval: 20 };

vi.setConfig({ testTimeout: 60_000 });

let running: Running;
let caller: Caller;
let operator: Visitor;

beforeAll(async () => {
  running = await startHost({ env: { CONSOLE_OPERATORS: `${TENANT}:${OPERATOR}` }, onDisk: true });
  caller = await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OPERATOR, roleIds: ['agent'] });
  operator = new Visitor(running.url);
  await operator.signIn(TENANT, OPERATOR);
}, 60_000);
afterAll(() => running.close());

const MODEL = `${ROOT}/read-models/ledger`;
const REBUILD = `${MODEL}/rebuild`;

/** What the page shows once nothing is under way. */
async function over(page: string): Promise<string> {
  return vi.waitUntil(async () => {
    const { text } = await operator.get(page);
    return text.includes('id="stop-work"') ? undefined : text;
  }, POLLING);
}

it('rebuilds a read model after a page that says what follows, and once', async () => {
  const asked = await operator.get(REBUILD);
  expect(asked.text).toContain('The new build takes the place of the live one');
  const fields = hiddenFields(asked);
  expect(fields['seen']).toBe('1');
  expect(await operator.post(REBUILD, fields)).toMatchObject({ status: 303, location: MODEL });
  const text = await over(MODEL);
  expect(text).toMatch(/Build 2 is live, made of [\d,]+ events\. It equals the build before\./);
  // The one that queries read is marked, and nothing says any more that work has begun.
  const shown = await operator.get(MODEL);
  expect([row(shown, '1').at(-1), row(shown, '2').at(-1)]).toEqual(['Complete', 'Live']);
  expect(text).not.toContain('has begun');
  const live = await running.host.readModels.live('ledger');
  expect(live?.info.build).toBe(2);
  // The host goes on with it.
  await caller.paid();
  expect((await caller.get('/api/ledger/accounts', { query: { account: 'sales' } })).status).toBe(
    200,
  );

  const again = await operator.post(REBUILD, fields);
  expect(again.status).toBe(409);
  expect(again.text).toContain('Somebody else has changed the read model');
});

it('counts the rows of a read model', async () => {
  expect((await operator.get(MODEL)).text).toContain('Not counted since this host started');
  const { status } = await operator.submit(MODEL, `${MODEL}/count`);
  expect(status).toBe(303);
  const text = await over(MODEL);
  expect(text).toMatch(/<th scope="row">balances<\/th><td class="number"[^>]*>[1-9]/);
});

it('refuses a read model that there is not', async () => {
  expect((await operator.get(`${ROOT}/read-models/nothing`)).status).toBe(404);
  const fields = { seen: '1' };
  const path = `${ROOT}/read-models/nothing/rebuild`;
  expect((await operator.submit(ROOT, path, fields)).status).toBe(404);
});

it('examines the data beside this host', async () => {
  const page = `${ROOT}/doctor`;
  expect((await operator.submit(page, page, { how: 'half' })).status).toBe(400);
  expect((await operator.submit(page, page, { how: 'quick' })).status).toBe(303);
  const text = await over(page);
  expect(text).toContain('Quick examination <span class="badge good">Sound</span>');
  expect(text).toContain('<th scope="row">files and permissions</th>');
  expect(text).toContain('left out by the quick examination');
  expect(text).toContain(`Begun by ${OPERATOR}`);
});

it('is ended on demand', async () => {
  const page = `${ROOT}/doctor`;
  await operator.submit(page, page, { how: 'full' });
  const busy = await operator.submit(page, page, { how: 'quick' });
  expect(busy.status).toBe(503);
  expect(busy.text).toContain('Other work is under way, and nothing was begun');
  const stopped = await operator.submit(page, `${ROOT}/stop-work`);
  expect(stopped.location).toBe(page);
  expect((await operator.get(page)).text).toContain(`Stopped by ${OPERATOR}`);
});

it('is the same at the socket of the operator', async () => {
  const { items } = await atSocket('GET', '/operator/read-models');
  expect(items).toContainEqual(expect.objectContaining({ projection: 'ledger', isReady: true }));
  const { item } = await atSocket('POST', '/operator/work', {
    kind: 'count',
    projection: 'leads',
  });
  expect(item).toMatchObject({ by: 'operator@localhost' });
  const busy = await atSocket('POST', '/operator/work', { kind: 'examine' });
  expect(busy).toMatchObject({ success: false, code: 'overloaded' });
  // One host: what one operator began, the other sees.
  expect((await operator.get(`${ROOT}/read-models/leads`)).text).toContain('Count of leads');
  await over(`${ROOT}/read-models/leads`);
  const { items: done } = await atSocket('GET', '/operator/work');
  expect(done.at(-1)).toMatchObject({ work: { projection: 'leads' }, outcome: { build: 1 } });
  const unknown = { kind: 'rebuild', projection: 'nothing' };
  expect(await atSocket('POST', '/operator/work', unknown)).toMatchObject({ code: 'not_found' });
  expect(await atSocket('DELETE', '/operator/work')).toMatchObject({ code: 'not_found' });
  const { items: waiting } = await atSocket('GET', '/operator/parked-streams');
  expect(waiting).toEqual(expect.any(Array));
});

// biome-ignore lint/suspicious/noExplicitAny: read untyped, like a script
async function atSocket(method: string, path: string, body?: object): Promise<any> {
  const socketPath = join(running.host.config.dataDir, 'events.db.sock');
  const headers = { Host: 'localhost', 'Content-Type': 'application/json' };
  const asked = request({ socketPath, method, path, headers, agent: false });
  const [answer] = (await Promise.all([
    once(asked, 'response'),
    asked.end(body && JSON.stringify(body)),
  ]).then(([responded]) => responded)) as [IncomingMessage];
  return JSON.parse(await textOf(answer));
}
