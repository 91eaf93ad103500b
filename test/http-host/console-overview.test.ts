/** The overview: figures of the books, and what needs a person. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CARDS,
  type Caller,
  card,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { openUser, row, type ShownPage, Visitor } from './console-visitor.ts';

const TENANT = 59;
const OWNER = 'owner@example.com';
const PAGE = '/console/live/overview';
const ACCOUNT = 591;
const FAILED_MAILS = '/console/live/mails?status=failed';
const WAIT = { timeout: 60_000, interval: 20 };

let running: Running;
let caller: Caller;
let owner: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  owner = await signedIn(OWNER);
});
afterAll(() => running.close());

async function signedIn(email: string, { url } = running): Promise<Visitor> {
  const visitor = new Visitor(url);
  await visitor.signIn(TENANT, email);
  return visitor;
}

describe('sales', () => {
  it('show totals that no double holds', async () => {
    const amount = 9_999_999_999_999;
    for (let count = 0; count < 2; count += 1) await caller.paid({ amount, currency: 'USD' });
    for (const by of ['hour', 'day', 'month']) {
      const { status, text } = await owner.get(`${PAGE}?by=${by}&currency=USD`);
      expect({ by, status }).toEqual({ by, status: 200 });
      expect(text).toContain('19,999,999,999,998.00');
    }
  });

  it('show the approval of each card network', async () => {
    const cards = [CARDS.approve, CARDS.approve, CARDS.doNotHonour, CARDS.networkB];
    for (const number of cards) await caller.pay({ currency: 'EUR', card: card(number) });
    const page = await owner.get(`${PAGE}?currency=EUR`);
    expect(row(page, 'NetworkA')).toEqual(['NetworkA', '66.7 %', '3', '1']);
    expect(row(page, 'NetworkB')).toEqual(['NetworkB', '100.0 %', '1', '0']);
    expect(row(page, 'NetworkC')).toEqual([]);
  });
});

describe('the tables of approval', () => {
  it('count the payments that the figure of declines counts', async () => {
    for (const number of [CARDS.approve, CARDS.doNotHonour]) {
      await caller.pay({ currency: 'JPY', card: card(number) });
    }
    const page = await owner.get(`${PAGE}?currency=JPY`);
    expect(page.text).toContain('of 2 payments');
    expect(row(page, `Account ${ACCOUNT}`)).toEqual([
      ...[`Account ${ACCOUNT}`, '50.0 %', '2', '1'],
      '100 JPY',
    ]);
    expect(row(page, today())).toEqual([
      today(),
      '2',
      '1',
      '100 JPY',
      '0 JPY',
      '0 JPY',
      '0 JPY',
      '100 JPY',
    ]);
  });
});

describe('the chart', () => {
  it('has amounts with the decimals of the currency, and no label beyond its edge', async () => {
    await caller.paid({ currency: 'KWD', amount: 1_761.1 });
    const { text } = await owner.get(`${PAGE}?currency=KWD&by=hour`);
    expect(text).toContain(': 1,761.100 KWD captured</title>');
    const [, x] = /<text x="([\d.]+)" y="[\d.]+" text-anchor="middle">00:00/.exec(text) ?? [];
    expect(Number(x)).toBeGreaterThan(16);
  });
});

describe('the subscriptions of the month', () => {
  it('are active or frozen, as in their list', async () => {
    const ledger = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const ids: number[] = [];
    for (const name of ['active', 'frozen', 'ended']) {
      const subscription = { name, rebillAmount: 10, interval: 'month' };
      const { subscriptionId } = await caller.paid({ email: `${name}@example.com`, subscription });
      ids.push(Number(subscriptionId));
    }
    const [, frozen = 0, ended = 0] = ids;
    await ledger.subscriptions.freeze(frozen);
    await ledger.subscriptions.unsubscribe(ended);
    // Active, joined, renewed, frozen, left.
    const shown = ['GBP', '1', '3', '0', '1', '1', '10.00 GBP'];
    expect(row(await owner.get(PAGE), 'GBP')).toEqual(shown);
    const { text } = await owner.get('/console/live/subscriptions?status=active');
    expect(text.match(/href="\/console\/live\/subscriptions\/\d+"/g)).toHaveLength(1);
  });
});

describe('the time of the overview', () => {
  it('goes to earlier and later times, and back to the last sales', async () => {
    await caller.paid();
    const day = today();
    const now = await owner.get(PAGE);
    expect(now.text).toContain(`<strong>${daysBefore(day, 29)} to ${day}</strong>`);
    expect(now.text).not.toContain('rel="next"');
    expect(now.text).toContain(
      `/console/live/transactions?dateFrom=${daysBefore(day, 29)}&amp;dateTo=${day}`,
    );
    const [, earlier = ''] = /rel="prev" href="([^"]+)"/.exec(now.text) ?? [];
    const before = await owner.get(earlier.replaceAll('&amp;', '&'));
    expect(before.text).toContain(`to ${daysBefore(day, 30)}</strong>`);
    expect(before.text).toContain(`to=${day}">Later`);
    const [, later = ''] = /rel="next" href="([^"]+)"/.exec(before.text) ?? [];
    expect(later).toContain(`to=${day}`);
    // So far on that there is nothing in the time before.
    const far = await owner.get(`${PAGE}?to=2999-12-31`);
    expect(far.text).toContain(`to=${day}">Sales before, to ${day}`);
  });
});

describe('a company that has not sold for long', () => {
  it('sees its last sales, and is led to them beside one new payment', async () => {
    let now = '2026-01-15T12:00:00.000Z';
    const home = await startHost({ clock: { now: () => now } });
    try {
      const shop = await openTenant(home, TENANT);
      await openUser(home, TENANT, { email: OWNER, roleIds: ['owner'] });
      const { id } = await shop.paid();
      now = '2026-06-01T12:00:00.000Z';
      const visitor = await signedIn(OWNER, home);
      expect((await visitor.get(PAGE)).text).toContain('to 2026-01-15</strong>');
      const empty = await visitor.get('/console/live/transactions');
      const [, older = ''] = /href="([^"]+)">Show the newest, to 2026-01-15/.exec(empty.text) ?? [];
      expect((await visitor.get(older.replaceAll('&amp;', '&'))).text).toContain(id);
      await shop.paid();
      const { text } = await visitor.get(PAGE);
      expect(text).toContain('to 2026-06-01</strong>');
      expect(text).toContain('to=2026-01-15">Sales before, to 2026-01-15');
    } finally {
      await home.close();
    }
  });
});

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
}

describe('what needs a person', () => {
  it('leads to what differs in settlements', async () => {
    const list = '/console/live/settlements';
    expect((await owner.get(list)).text).toContain('Nothing differs');
    const { settlements } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const lines = [
      'reference,kind,gatewayTransactionId,amount,currency,fee,settledDate',
      'payout-1-1,capture,unknown-1,19.99,GBP,0.40,2026-03-10',
    ];
    const account = await merchantAccount();
    const asked = { merchantAccountId: account, name: 'payout-1' };
    const { id } = await settlements.import(asked, bytesOf(`${lines.join('\n')}\n`));
    expect(needOf(await owner.get(PAGE), list)).toBe('1');
    const { text } = await owner.get(list);
    expect(text).toContain('Not in the books');
    expect(text).toContain('19.99');
    expect((await owner.get(`${list}?merchantAccountId=999999`)).text).toContain('Nothing differs');
    const imports = await owner.get(`${list}/imports`);
    expect(imports.text).toContain('payout-1');
    expect(imports.text).toContain(`${list}?settlementId=${id}`);
    expect((await owner.get(`${list}?settlementId=${id}`)).text).toContain('payout-1-1');
    expect((await owner.get('/console/test/settlements')).text).toContain('Nothing differs');
  });

  it('leads to the payments that have no answer', async () => {
    const list = '/console/live/transactions/unanswered';
    expect((await owner.get(list)).text).toContain('Every payment has its answer');
    expect(needOf(await owner.get(PAGE), list)).toBe('None');
    const { body } = await caller.pay({ card: card(CARDS.timeoutNothing), amount: 12.34 });
    expect(needOf(await owner.get(PAGE), list)).toBe('1');
    const { text } = await owner.get(list);
    expect(text).toContain(`/console/live/transactions/${body.id}"`);
    expect(text).toContain('12.34');
    expect((await owner.get('/console/test/transactions/unanswered')).text).toContain(
      'Every payment has its answer',
    );
    const listed = await caller.get('/api/transactions/unanswered');
    expect(listed.body).toMatchObject({ count: 1, moreResults: false, next: null });
  });

  it('counts no mail that has nothing to say any more', async () => {
    let now = '2026-01-15T12:00:00.000Z';
    const home = await startHost({ clock: { now: () => now } });
    try {
      const shop = await openTenant(home, TENANT, {
        settings: { dunning: { retryAfterDays: [1], mails: ['frozen'] } },
      });
      await openUser(home, TENANT, { email: OWNER, roleIds: ['owner'] });
      const ledger = home.host.engine.as({ tenantId: TENANT, actor: OWNER });
      const { subscriptions, mails } = ledger;
      await ledger.senderDomains.create({ domain: 'crockery.example' });
      await ledger.mailSettings.change({
        sender: { address: 'shop@crockery.example' },
        // Nobody listens there: mails wait.
        smtp: { host: '127.0.0.1', port: 1 },
      });
      const subscription = { name: 'Tea club', rebillAmount: 10, interval: 'month' };
      const subscriptionId = Number((await shop.paid({ subscription })).subscriptionId);
      await subscriptions.freeze(subscriptionId);
      const stateOf = async () => (await mails.list({ kind: 'frozen' })).mails[0]?.status;
      await vi.waitUntil(async () => (await stateOf()) === 'deferred', WAIT);
      await subscriptions.unfreeze(subscriptionId);
      now = '2026-01-15T12:10:00.000Z';
      await vi.waitUntil(async () => (await stateOf()) === 'failed', WAIT);
      const visitor = await signedIn(OWNER, home);
      expect(needOf(await visitor.get(PAGE), FAILED_MAILS)).toBe('None');
      // As in the list that it leads to.
      expect((await visitor.get(FAILED_MAILS)).text).toContain('No mail matches');
      const needless = await visitor.get('/console/live/mails?status=needless');
      expect(needless.text).toContain('>Not needed any more</span>');
      expect(needless.text).not.toContain('No mail matches');
    } finally {
      await home.close();
    }
  });

  it('has the parts of the host for its operators alone', async () => {
    expect((await owner.get(PAGE)).text).not.toContain('Streams that are parked');
    const parked = '/console/live/operations/parked-streams';
    const home = await startHost({ env: { CONSOLE_OPERATORS: `${TENANT}:${OWNER}` } });
    try {
      await openTenant(home, TENANT);
      await openUser(home, TENANT, { email: OWNER, roleIds: ['owner'] });
      const operator = await signedIn(OWNER, home);
      const page = await operator.get(PAGE);
      expect(needOf(page, parked)).toBe('None');
      expect(needOf(page, '/console/live/operations')).toBe('None');
    } finally {
      await home.close();
    }
  });
});

/** How many there are of what an address lists. */
function needOf({ text }: ShownPage, href: string): string | undefined {
  const needs = text.match(/<li><span class="badge[\s\S]*?<\/li>/g) ?? [];
  return needs.find((each) => each.includes(`href="${href}"`))?.match(/>([^<]*)<\/span>/)?.[1];
}

async function merchantAccount(): Promise<number> {
  const { merchantAccounts } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
  return (await merchantAccounts.list()).items[0]?.id ?? 0;
}

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}
