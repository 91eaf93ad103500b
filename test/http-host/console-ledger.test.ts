/** The ledger in the console: from the trial balance down to the payment. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { openUser, row, Visitor } from './console-visitor.ts';

const TENANT = 57;
const OTHER = 157;
const OWNER = 'owner@example.com';
const AGENT = 'agent@example.com';
const LEDGER = '/console/live/ledger';

let running: Running;
let caller: Caller;
let owner: Visitor;
let paid: string;
/** Of the payment. */
let month: string;
let account: string;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  await openUser(running, TENANT, { email: AGENT, roleIds: ['agent'] });
  owner = new Visitor(running.url);
  await owner.signIn(TENANT, OWNER);
  const { id } = await caller.paid({ amount: 1234.5 });
  await caller.refund(id, { amount: 34.5 });
  paid = id;
  const [entry] = await ledger().books.entries(id);
  month = entry?.at.slice(0, 7) ?? '';
  account = String(entry?.merchantAccountId);
});
afterAll(() => running.close());

function ledger() {
  return running.host.engine.as({ tenantId: TENANT, actor: OWNER });
}

describe('the trial balance', () => {
  it('is that of the books, and leads to each account', async () => {
    const page = await owner.get(LEDGER);
    expect(page.text).toContain('Balanced');
    expect(row(page, 'Sales')).toEqual(['Sales', '0.00 GBP', '1,234.50 GBP', '−1,234.50 GBP']);
    expect(row(page, 'Refunds')[1]).toBe('34.50 GBP');
    expect(row(page, 'Total').at(-1)).toBe('0.00 GBP');
    expect(page.text).toContain(`${LEDGER}/accounts?currency=GBP&amp;account=sales`);
    const accounts = await owner.get(`${LEDGER}/accounts?currency=GBP&account=sales`);
    expect(accounts.text).toContain(`${LEDGER}/statement?merchantAccountId=${account}`);
    expect(accounts.text).not.toContain('Refunds');
  });

  it('leads from an account to its entries by day, and to the payment of each', async () => {
    const entries = `${LEDGER}/account?account=refunds&currency=GBP`;
    const accounts = await owner.get(`${LEDGER}/accounts?currency=GBP&account=refunds`);
    expect(accounts.text).toContain(`${entries.replaceAll('&', '&amp;')}"`);
    const page = await owner.get(entries);
    expect(page.text).toContain('34.50');
    expect(page.text).toContain(`/console/live/transactions/${paid}"`);
    const day = (await ledger().books.entries(paid)).at(-1)?.at.slice(0, 10);
    expect(page.text).toContain(`<th scope="rowgroup" colspan="4">${day}</th>`);
    const later = await owner.get(`${entries}&from=2999-01-01`);
    expect(later.text).toContain('on these days');
    expect((await owner.get(`${entries}&merchantAccountId=999999`)).text).not.toContain('34.50');
    expect((await owner.get(`${entries}&from=2026-02-01&to=2026-01-01`)).status).toBe(400);
    expect((await owner.get(`${LEDGER}/account?account=refunds`)).status).toBe(400);
  });

  it('is filtered by merchant account and currency', async () => {
    expect((await owner.get(`${LEDGER}?currency=USD`)).text).toContain('No account matches');
    expect((await owner.get(`${LEDGER}?merchantAccountId=999999`)).text).toContain(
      'No account matches',
    );
    expect((await owner.get(`${LEDGER}?merchantAccountId=x`)).status).toBe(400);
  });

  it('of sandbox data is apart', async () => {
    expect((await owner.get('/console/test/ledger')).text).toContain('Nothing is posted');
  });
});

describe('a month of a merchant account', () => {
  it('adds up, and is the same as a file', async () => {
    const query = `merchantAccountId=${account}&month=${month}`;
    const page = await owner.get(`${LEDGER}/statement?${query}`);
    expect(row(page, 'Captured')[1]).toBe('1,234.50 GBP');
    expect(row(page, 'Refunded')[1]).toBe('34.50 GBP');
    const csv = await owner.get(`${LEDGER}/statement.csv?${query}`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text).toContain(`${account},${month},GBP,gross,1234.5\r\n`);
  });

  it('leads to the entries of its payments, and from there to each payment', async () => {
    const query = `merchantAccountId=${account}&month=${month}`;
    const { text } = await owner.get(`${LEDGER}/entries?${query}`);
    expect(text).toContain(`/console/live/transactions/${paid}"`);
    const entries = await ledger().books.entries(paid);
    expect(text.match(/scope="rowgroup"/g)).toHaveLength(entries.length);
    const refunds = await owner.get(`${LEDGER}/entries?${query}&account=refunds`);
    expect(refunds.text.match(/scope="rowgroup"/g)).toHaveLength(1);
  });

  it('without payments says so', async () => {
    const query = `merchantAccountId=${account}&month=2001-02`;
    expect((await owner.get(`${LEDGER}/entries?${query}`)).text).toContain('No payments');
    expect((await owner.get(`${LEDGER}/statement?${query}`)).text).toContain('Nothing is posted');
    expect((await owner.get(`${LEDGER}/statement?${query}3`)).status).toBe(400);
  });
});

describe('the statement of a merchant account', () => {
  it('that the company has not got is not found', async () => {
    const other = await openTenant(running, OTHER);
    await other.paid();
    const { merchantAccounts } = running.host.engine.as({ tenantId: OTHER, actor: OWNER });
    const [theirs] = (await merchantAccounts.list()).items;
    for (const id of ['99', String(theirs?.id)]) {
      for (const path of ['/statement', '/statement.csv']) {
        const { status, text } = await owner.get(`${LEDGER}${path}?merchantAccountId=${id}`);
        expect(status, id).toBe(404);
        expect(text).toContain(`This company has no merchant account ${id}.`);
      }
    }
  });
});

describe('roles', () => {
  it('that do not allow it see no ledger', async () => {
    const agent = new Visitor(running.url);
    await agent.signIn(TENANT, AGENT);
    for (const path of [
      '',
      '/accounts',
      `/statement?merchantAccountId=${account}`,
      `/statement.csv?merchantAccountId=${account}`,
      `/entries?merchantAccountId=${account}`,
    ]) {
      expect((await agent.get(LEDGER + path)).status, path).toBe(403);
    }
  });

  it('that read the books alone see no payments', async () => {
    await ledger().users.createRole({ name: 'Books', scopes: ['ledger:read'] });
    const { items } = await ledger().users.listRoles();
    const roleIds = [items.find(({ name }) => name === 'Books')?.id ?? ''];
    await openUser(running, TENANT, { email: 'books@example.com', roleIds });
    const reader = new Visitor(running.url);
    await reader.signIn(TENANT, 'books@example.com');
    const { status, text } = await reader.get(
      `${LEDGER}/statement?merchantAccountId=${account}&month=${month}`,
    );
    expect(status).toBe(200);
    expect(text).not.toContain('Journal entries');
    expect((await reader.get(`${LEDGER}/entries?merchantAccountId=${account}`)).status).toBe(403);
  });
});
