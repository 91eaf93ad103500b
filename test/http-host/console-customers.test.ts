/** The list of customers in the console. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Caller, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { hiddenFields, openUser, row, Visitor } from './console-visitor.ts';

const TENANT = 60;
const OTHER = 61;
const OWNER = 'owner@example.com';
const LIST = '/console/live/customers';
const SANDBOX_LIST = '/console/test/customers';
const SHOWN = 25;

let running: Running;
let caller: Caller;
let owner: Visitor;
let stranger: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  await openTenant(running, OTHER);
  for (const tenant of [TENANT, OTHER]) {
    await openUser(running, tenant, { email: OWNER, roleIds: ['owner'] });
  }
  owner = await signedIn(TENANT, OWNER);
  stranger = await signedIn(OTHER, OWNER);
});
afterAll(() => running.close());

async function signedIn(tenantId: number, email: string): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(tenantId, email);
  return visitor;
}

const ledgerOf = (tenantId: number) => running.host.engine.as({ tenantId, actor: OWNER });

let registered = 0;
async function register(changes: object = {}): Promise<number> {
  registered += 1;
  const { customers } = ledgerOf(TENANT);
  const email = `person-${registered}@example.com`;
  return (await customers.register({ email, ...changes })).customerId;
}

const idsOn = ({ text }: { text: string }) =>
  [...text.matchAll(/href="[^"]+\/customers\/(\d+)"/g)].map(([, id]) => Number(id));

it('says what to do where there is nobody', async () => {
  const { text } = await owner.get(LIST);
  expect(text).toContain('Whoever pays is a customer');
  expect(idsOn({ text })).toEqual([]);
});

it('goes from page to page, each once, the newest first', async () => {
  const ids: number[] = [];
  for (let count = 0; count < SHOWN + 2; count += 1) ids.unshift(await register());
  const first = await owner.get(LIST);
  expect(idsOn(first)).toEqual(ids.slice(0, SHOWN));
  expect(first.text).toContain(`person-${SHOWN + 2}@example.com`);
  const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
  const second = await owner.get(next ?? '');
  expect(idsOn(second)).toEqual(ids.slice(SHOWN));
  expect(second.text).not.toContain('rel="next"');
  expect(second.text).toContain(`href="${LIST}">First page`);
  expect((await owner.get(`${LIST}?after=MQ`)).status).toBe(400);
  // Beyond the end, which is where the list of another tenant has ended by then.
  const beyond = await stranger.get(next ?? '');
  expect(beyond.text).toContain('No more customers');
  expect(beyond.text).toContain(`href="${LIST}">To its beginning`);
});

it('shows one who is found alone, and leads back to all', async () => {
  const id = await register();
  await register();
  expect(idsOn(await owner.get(`${LIST}?q=${id}`))).toEqual([id]);
  const { text } = await owner.get(`${LIST}?q=987654321`);
  expect(text).toContain('No such customer');
  expect(text).toContain(`href="${LIST}">Show all`);
});

it('shows what somebody else changed beside what was typed, and saves after that', async () => {
  const id = await register({ firstName: 'Ada', phone: '1' });
  const page = `${LIST}/${id}`;
  const { customers } = ledgerOf(TENANT);
  const email = `person-${registered}@example.com`;
  const typed = { email, firstName: 'Ada', lastName: 'Mine', phone: '3' };
  const form = { ...hiddenFields(await owner.get(page)), ...typed };
  const theirs = { email, firstName: 'Berta', phone: '2', addresses: [], rowVersion: 1 };
  await customers.replace(id, theirs);
  const refused = await owner.post(page, form);
  expect(refused.status).toBe(409);
  expect(refused.text).not.toContain('rowVersion is');
  expect(row(refused, 'First name')).toEqual(['First name', 'Ada', 'Berta', 'not changed']);
  expect(row(refused, 'Phone')).toEqual(['Phone', '1', '2', '3']);
  expect((await customers.get(id)).phone).toBe('2');
  const seen = { ...form, ...hiddenFields(refused), firstName: 'Berta' };
  expect((await owner.post(page, seen)).status).toBe(303);
  const { firstName, lastName, phone } = await customers.get(id);
  expect([firstName, lastName, phone]).toEqual(['Berta', 'Mine', '3']);
});

it('says of those who are erased that they are', async () => {
  const id = await register({ firstName: 'Augusta' });
  await ledgerOf(TENANT).customers.erase(id);
  const { text } = await owner.get(LIST);
  expect(idsOn({ text })[0]).toBe(id);
  expect(text).not.toContain('Augusta');
  expect(text).not.toContain(`person-${registered}@example.com`);
});

it('shows what was given back with a minus sign on their pages', async () => {
  const { id, customerId } = await caller.paid({ email: 'refunded@example.com' });
  await caller.refund(id, { amount: 60 });
  const { text } = await owner.get(`${LIST}/${customerId}`);
  expect(text).toContain('>−60.00 <');
  expect(text).toContain('>100.00 <');
});

it('of sandbox data is under its address, and no other tenant has it', async () => {
  const id = await register({ sandbox: true });
  expect(idsOn(await owner.get(SANDBOX_LIST))).toEqual([id]);
  expect(idsOn(await owner.get(LIST))).not.toContain(id);
  for (const path of [LIST, SANDBOX_LIST]) expect(idsOn(await stranger.get(path))).toEqual([]);
  expect((await owner.get(`${SANDBOX_LIST}/${id}/erase`)).status).toBe(200);
  expect((await stranger.get(`${SANDBOX_LIST}/${id}/erase`)).status).toBe(404);
});

it('is shown to those alone who may read customers', async () => {
  const { id } = await ledgerOf(TENANT).users.createRole({
    name: 'Books',
    scopes: ['ledger:read'],
  });
  const email = 'books@example.com';
  await openUser(running, TENANT, { email, roleIds: [id] });
  expect((await (await signedIn(TENANT, email)).get(LIST)).status).toBe(403);
});
