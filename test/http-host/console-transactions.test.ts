/** Transactions in the console: what the search box understands, and what agents do to payments. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CARDS,
  type Caller,
  card,
  type Json,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { openUser, type ShownPage, Visitor } from './console-visitor.ts';

const TENANT = 53;
const AGENT = 'agent@example.com';
const OTHER = 'other.agent@example.com';
const OWNER = 'owner@example.com';
const VIEWER = 'viewer@example.com';
const LIST = '/console/live/transactions';

let running: Running;
let caller: Caller;
let agent: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  for (const [email, roleIds] of [
    [AGENT, ['agent']],
    [OTHER, ['agent']],
    [OWNER, ['owner']],
    [VIEWER, ['viewer']],
  ] as const) {
    await openUser(running, TENANT, { email, roleIds });
  }
  agent = await signedIn(AGENT);
});
afterAll(() => running.close());

async function signedIn(email: string): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(TENANT, email);
  return visitor;
}

function idsIn({ text }: ShownPage): string[] {
  return [...text.matchAll(/href="\/console\/live\/transactions\/([0-9a-f-]{36})"/g)].map(
    ([, id = '']) => id,
  );
}

function searched(q: string): Promise<ShownPage> {
  return agent.get(`${LIST}?${new URLSearchParams({ q })}`);
}

describe('the search box', () => {
  let ada: Json;
  let arn: string;
  beforeAll(async () => {
    const customer = { email: 'ada@example.com', orderId: 4_711_000 };
    ada = await caller.paid({ ...customer, amount: 1234.5, card: card(CARDS.networkB) });
    await caller.paid({ email: 'other@example.com', orderId: 815 });
    const ledger = running.host.engine.as({ tenantId: TENANT, actor: AGENT });
    ({ arn } = (await ledger.payments.get(ada.id)).payment);
  });

  it.each([
    ['an email', () => 'ada@example.com'],
    ['a transaction id', () => ada.id],
    ['an order id', () => '4711000'],
    ['an order id with its sign', () => '#4711000'],
    ['the last four digits', () => '4444'],
    ['the last four digits behind dots', () => '•••• 4444'],
    ['an amount', () => '1234.50'],
    ['an amount with its currency', () => '1,234.50 GBP'],
    ['an amount with its sign', () => '£1234.5'],
    ['an ARN', () => arn],
    ['a name', () => 'ada lovelace'],
    ['a last name, beside others', () => ' Lovelace '],
  ])('understands %s', async (_, words) => {
    expect(idsIn(await searched(words()))).toContain(ada.id);
  });

  it('says what it looked for, and what else the words may mean', async () => {
    const { text } = await searched('4444');
    expect(text).toContain('Searched by <strong>last four digits of a card</strong>');
    expect(text).toContain('as=order');
  });

  it('finds nothing of other currencies, and says what to do', async () => {
    const page = await searched('1234.50 USD');
    expect(idsIn(page)).toEqual([]);
    expect(page.text).toContain('No transaction matches');
  });
});

describe('the list', () => {
  it('takes all filters from its address, and says which of them is wrong', async () => {
    const both = await agent.get(`${LIST}?${new URLSearchParams({ orderIds: '815,4711000' })}`);
    expect(idsIn(both)).toHaveLength(2);
    const { status, text } = await agent.get(`${LIST}?orderIds=815x`);
    expect(status).toBe(200);
    expect(text).toContain('aria-invalid="true"');
    expect(text).toContain('Order id must be an integer');
  });

  it('goes from page to page, each transaction once', async () => {
    const email = 'often@example.com';
    for (let orderId = 1; orderId <= 27; orderId += 1) await caller.paid({ email, orderId });
    const first = await searched(email);
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const ids = [...idsIn(first), ...idsIn(await agent.get(next))];
    expect(new Set(ids).size).toBe(27);
    expect(ids).toHaveLength(27);
  });

  it('is exported as it was found', async () => {
    const { text, headers } = await agent.get(`${LIST}/export.csv?q=often%40example.com`);
    expect(headers.get('content-type')).toContain('text/csv');
    const lines = text.trim().split('\r\n');
    expect(lines).toHaveLength(28);
    expect(lines[0]).toMatch(/^sent,completed,transactionId/);
  });
});

describe('a transaction', () => {
  it('shows its story with who did what', async () => {
    const { id } = await caller.paid();
    const { text } = await agent.get(`${LIST}/${id}`);
    expect(text).toContain('100.00 GBP captured');
    expect(text).toContain('agent@example.com');
  });

  it('shows a child within its payment', async () => {
    const { id } = await caller.paid();
    const { refundId } = (await caller.refund(id, { amount: 1 })).body;
    const { text } = await agent.get(`${LIST}/${refundId}`);
    expect(text).toContain(`id="t-${refundId}" class="asked"`);
    expect(text).toContain('asked for by agent@example.com');
  });

  it('is not shown among data of the other kind, nor to those who may not see it', async () => {
    const { id } = await caller.paid({ sandbox: true });
    expect((await agent.get(`${LIST}/${id}`)).status).toBe(404);
    expect((await agent.get(`/console/test/transactions/${id}`)).status).toBe(200);
  });

  it('shows the journal only to those who may read the books', async () => {
    const { id } = await caller.paid();
    const owner = await signedIn(OWNER);
    expect((await owner.get(`${LIST}/${id}`)).text).toContain('id="journal"');
    expect((await agent.get(`${LIST}/${id}`)).text).not.toContain('id="journal"');
  });
});
