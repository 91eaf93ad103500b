/** The overview: figures of the books, and what needs a person. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    expect(row(page, 'NetworkA')).toEqual(['NetworkA', '66.7 %', '2', '1']);
    expect(row(page, 'NetworkB')).toEqual(['NetworkB', '100.0 %', '1', '0']);
    expect(row(page, 'NetworkC')).toEqual([]);
  });
});

describe('what needs a person', () => {
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
